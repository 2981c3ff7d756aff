// SPDX-License-Identifier: Apache-2.0
// Lifetimes by layer, and which of them owns an address at the moment that import has reached.
//
// Two layers: what the driver handed out, and the blocks that a framework's allocator cut out of
// it. The innermost one that holds an address owns it. A driver allocation in which blocks were
// handed out is a segment: an address in it that is in no block belongs to nobody that we know of
// (a stale pointer, padding behind a block), except where blocks had to be left out because their
// order is unknown; there the segment stands in for them.
//
// What a graph's nodes write outlives the allocator's word: a block that was handed out in a
// capture and given back after it stays the graph's, whose every launch writes it again, until the
// bytes are handed out anew. (torch.compile drops the outputs of its graphs so, and reads them
// after each launch.)
//
// Addresses are not bytes: memory may show at several addresses (import_aliases.h), so what a
// lifetime has is told in places, and an access to addresses becomes accesses to places.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/program.h"
#include "trace/import_diagnostics.h"
#include "trace/import_live.h"

namespace bohr::trace {

struct Owner {
  LifetimeId lifetime;  // invalid: nobody that we know of
  ByteRange range;      // the addresses of the lifetime
  Doubt doubt = Doubt::none;
  bool stale = false;   // in a segment, but in no block of it
  uint64_t offset = 0;  // of range.begin from the lifetime's first byte
};

class MemoryMap {
 public:
  MemoryMap(Program* program, Diagnostics* diagnostics)
      : program_(program), diagnostics_(diagnostics) {}

  // Blocks that lie in these ranges are not known; their segment stands in for them.
  void set_unplaced(std::vector<ByteRange> ranges);

  // A lifetime of [address, address + bytes) begins. Those that it overlaps in its layer end here;
  // the caller gives them their free point. An invalid id where the range is no range.
  LifetimeId begin_allocation(uint64_t address, uint64_t bytes, Lifetime lifetime, uint64_t seq,
                              std::vector<LifetimeId>* evicted);
  LifetimeId begin_block(uint64_t address, uint64_t bytes, Lifetime lifetime, uint64_t seq,
                         std::vector<LifetimeId>* evicted);
  // A lifetime of memory that shows at several addresses begins; it shows nowhere yet.
  LifetimeId begin_shared(ByteRange place, Lifetime lifetime);
  // Its bytes from `offset` on show in `addresses`.
  void show(LifetimeId shared, ByteRange addresses, uint64_t offset,
            std::vector<LifetimeId>* evicted);
  // The allocation is one mapping of perhaps many side by side.
  void mark_mapped(LifetimeId lifetime) { mapped_[lifetime.index()] = true; }
  // The allocation that begins at `address`; invalid where none is known.
  LifetimeId allocation_at(uint64_t address) const;
  // The lifetime that ends here; invalid where none is known.
  LifetimeId end_allocation(uint64_t address) { return allocations_.erase(address).lifetime; }
  // Ends a block if it is still the one that has its address; one that stays a graph's owns its
  // bytes as long as no other lifetime has them.
  bool end_block(uint64_t address, LifetimeId lifetime, bool stays_of_graph);

  Owner owner(uint64_t address) const;
  // Mappings that lie side by side with the one that has the address: nothing says that a pointer
  // into one is not meant for its neighbours. At most `most` to each side; false if there are more.
  bool neighbours(const Owner& owner, size_t most, std::vector<Owner>* list) const;
  // Appends an access to addresses of `owner` as accesses to places.
  void append(const Access& access, const Owner& owner, std::vector<Access>* accesses) const;
  // The first address above `address` that has an owner; UINT64_MAX if there is none.
  uint64_t next_owned(uint64_t address) const;
  // No address below is known to any layer, now or before.
  uint64_t lowest() const { return lowest_; }

 private:
  LifetimeId add(LiveRanges* layer, ByteRange range, Lifetime lifetime, uint64_t seq,
                 std::vector<LifetimeId>* evicted);
  bool unplaced(uint64_t address) const;
  LifetimeId push(Lifetime lifetime, std::vector<Piece> pieces, uint64_t bytes);
  void mark_segments(ByteRange block);
  std::vector<Piece> places(ByteRange addresses) const;
  const LiveBlock* mapping_before(uint64_t address) const;
  const LiveBlock* mapping_at(uint64_t address) const;

  Program* program_;
  Diagnostics* diagnostics_;
  LiveRanges allocations_;
  LiveRanges blocks_;
  LiveRanges left_to_graphs_;        // ended blocks that a graph still writes
  std::vector<ByteRange> unplaced_;  // sorted, disjoint
  std::vector<bool> segment_;        // by lifetime: blocks were handed out in it
  std::vector<bool> mapped_;         // by lifetime: is a mapping
  std::vector<bool> shared_;         // by lifetime: shows at several addresses
  bool any_shared_ = false;
  uint64_t lowest_ = UINT64_MAX;
};

// Sorts ranges, joins those that overlap and leaves out empty ones.
void join_overlapping(std::vector<ByteRange>* ranges);
// Whether `range` overlaps one of `joined`, which join_overlapping made.
bool any_overlaps(const std::vector<ByteRange>& joined, ByteRange range);

// "64 KiB", "1.5 MiB", "100 B".
std::string size_text(uint64_t bytes);

}  // namespace bohr::trace
