// SPDX-License-Identifier: Apache-2.0
// The memory that replays may write: its saved contents, and what it has become.
//
// Every allocation that a step names is guarded whole where that fits, so a step that writes beside
// what it names is still put back as long as it stays in these allocations. Saved contents lie on
// the device where they fit, else in pinned host memory.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/range.h"
#include "base/result.h"
#include "replay/cuda/device.h"

namespace bohr::replay::cuda {

// The driver allocations behind what steps name, by whether they can be saved whole.
struct Allocations {
  std::vector<ByteRange> whole;
  std::vector<ByteRange> large;
};
// Whether all of a range lies in allocations of the driver.
bool is_known(const Driver& driver, const ByteRange& range);
// Whether a known range lies where kernels of the current context's device reach it: there, or in
// memory of the host.
bool is_of_this_device(const Driver& driver, const ByteRange& range);
// Whether there is room for so much, and for a second copy to look at what steps write.
bool fits_twice(const Driver& driver, std::span<const ByteRange> ranges);
Allocations allocations_of(const Driver& driver, std::span<const ByteRange> named);

class Guard {
 public:
  // `ranges`: sorted and disjoint, each inside one allocation. Refuses more than can be saved
  // (`explore-memory`, with the bytes that are missing).
  static Result<std::unique_ptr<Guard>> of(Device* device, std::vector<ByteRange> ranges);

  std::span<const ByteRange> ranges() const { return ranges_; }
  bool contains(const ByteRange& range) const;
  // Contents of a guarded range, from and to the host; get() waits.
  Status put(const ByteRange& range, const uint8_t* from);
  Status get(const ByteRange& range, uint8_t* to);
  Status clear(const ByteRange& range);
  // Whether some aligned word of the range is an address of guarded memory: a kernel that finds
  // zeros in a table of pointers would end its context. A range too long to be looked at may be
  // one.
  Result<bool> holds_addresses(const ByteRange& range);
  uint64_t bytes() const { return list_.bytes; }

  Status save();
  // All of it; memory that somebody else writes meanwhile would lose that.
  Status restore_all();
  // What is known to be written, once that is known.
  Status restore();
  // From here on restore() puts back the pages of these ranges, and rest_is_saved() looks at the
  // others. Memory must hold what was saved.
  Status note_written(std::span<const ByteRange> ranges);
  bool is_noted(const ByteRange& range) const;
  // Whether all pages that nobody was noted to write hold what was saved.
  Result<bool> rest_is_saved();
  // Whether something changes while nothing of ours runs: another process, say, or a network card.
  Result<bool> changes_by_itself();

  // The program's own memory, where it went on since save(): kept apart, and put back.
  Status keep_own();
  Status put_back_own();
  bool has_own() const { return static_cast<bool>(own_); }
  // Whether the allocations are still those that were saved.
  bool still_there() const;
  // Of all guarded bytes as they are.
  Result<uint64_t> digest();
  // Of some of them, range by range.
  Result<std::vector<uint64_t>> digests(std::span<const ByteRange> ranges);

  // From here on, changes() tells which words of 4 bytes changed since it was asked the last time.
  Status watch();
  Result<std::vector<ByteRange>> changes();
  void unwatch() { shadow_.reset(); }
  // What a guarded range held when watch() or changes() looked at it last.
  Status put_back_watched(const ByteRange& range);

  // The parts of ranges that our kernels can compare: each begins at a multiple of 16.
  static std::vector<ByteRange> comparable(const std::vector<ByteRange>& ranges);
  // Lists of such ranges, and as many zeros as the longest of them needs.
  struct ZeroLists {
    SpanList spans;
    std::vector<SpanSlice> slices;
    Buffer zeros;
  };
  Result<ZeroLists> zero_lists(const std::vector<std::vector<ByteRange>>& ranges);
  // Which words of one list are not zero. Waits.
  Result<std::vector<ByteRange>> not_zero(const ZeroLists& lists, size_t list);

  // Gives our memory back; what was saved is gone.
  void drop() { saved_.reset(), own_.reset(), shadow_.reset(); }
  bool holds_saved() const { return static_cast<bool>(saved_); }

 private:
  explicit Guard(Device* device) : device_(device) {}
  // Of guarded ranges, in the layout of saved memory.
  Result<SpanList> list_of(std::span<const ByteRange> ranges);
  Result<uint64_t> digest_of(const SpanList& list);
  // Of a guarded address: the guarded span it lies in, and its place in saved memory.
  const Span& span_at(uint64_t address) const;
  uint64_t saved_offset(uint64_t address) const;
  // The range cut where one allocation ends and the next begins, for the driver copies no further.
  std::vector<ByteRange> pieces(const ByteRange& range) const;

  Device* device_;
  std::vector<ByteRange> ranges_;
  SpanList list_;
  uint64_t extent_ = 0;  // of the spans laid out
  Buffer saved_;
  std::vector<ByteRange> noted_;  // whole pages; nothing: not yet known
  SpanList written_;              // of them
  SpanList rest_;                 // what is guarded beside them
  uint64_t rest_digest_ = 0;
  Buffer own_;  // empty: the program did not go on, its memory is what was saved
  Buffer shadow_;
};

}  // namespace bohr::replay::cuda
