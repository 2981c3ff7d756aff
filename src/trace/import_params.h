// SPDX-License-Identifier: Apache-2.0
// Accesses from kernel parameters: each aligned slot of the packed image whose value lies in memory
// that is handed out names that memory. An access names the whole block, because nothing says how
// far the kernel goes from the pointer that it was given. A tensor map that was seen being encoded
// does say it.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/access.h"
#include "trace/import_index.h"
#include "trace/import_memory.h"

namespace bohr::trace {

// Where pointers can stand in a function's packed image.
struct ParamLayout {
  struct Slot {
    uint32_t offset = 0;
    bool read = false;   // a pointer to constant data by the function's signature
    bool large = false;  // in a by-value parameter so large that slots of it may be stale
    // A pointer to a block's end has its begin beside it: in the same structure, or in a parameter
    // of the same type. Slots of one group could be such a pair.
    uint32_t group = 0;
    bool begins = false;  // was seen to hold what cannot have been an end pointer
  };
  bool known = false;
  bool no_ends = false;  // no slot holds an end pointer
  uint32_t bytes = 0;    // of the image, as far as parameters reach
  std::vector<Slot> slots;
};

ParamLayout param_layout(const Function& function, std::string_view mangled_name);

class ParamScanner {
 public:
  explicit ParamScanner(const TensorMaps& maps) : maps_(maps) {}

  // Appends what the image names to `accesses`. False where parameters could not be read whole.
  // `stale` counts values that point into a segment, but into no block of it; large structures are
  // left out, where leftovers are to be expected.
  bool scan(ParamLayout* layout, ParamForm form, const Bytes& image, const MemoryMap& memory,
            std::vector<Access>* accesses, int64_t* stale);

  // Accesses of the last scan that are doubted as ends, each with the slot of a known layout that
  // decides: if that slot turns out to hold no end pointers, there is no doubt.
  struct DoubtedEnd {
    uint32_t access = 0;  // index into the list that was appended to
    uint32_t slot = 0;
  };
  const std::vector<DoubtedEnd>& doubted_ends() const { return doubted_; }
  // False: the last scan named a part only of the mappings that lie side by side.
  bool all_neighbours() const { return all_neighbours_; }

 private:
  struct Hit {
    Owner owner;
    uint64_t address = 0;
    ByteRange range;  // from there on, or the owner's
    bool read = false;
    Doubt doubt = Doubt::none;
    uint32_t group = 0;
    uint32_t slot = 0;
    bool described = false;  // by a tensor map
  };
  void look_up(const Bytes& image, const ParamLayout::Slot& slot, uint32_t index,
               const MemoryMap& memory, int64_t* stale);
  // Adds what the tensor maps in the image describe.
  void find_maps(const Bytes& image, const MemoryMap& memory);
  void add_described(ByteRange range, const MemoryMap& memory);
  bool in_map(uint32_t offset) const;
  void doubt_ends(ParamLayout* layout);
  void add_neighbours(const MemoryMap& memory);
  void append(const MemoryMap& memory, std::vector<Access>* accesses);

  const TensorMaps& maps_;
  std::vector<Hit> hits_;       // of one image; kept for their storage
  std::vector<size_t> map_at_;  // of that image: where tensor maps begin, in order
  std::vector<DoubtedEnd> doubted_;
  std::vector<Owner> neighbours_;
  bool all_neighbours_ = true;
};

}  // namespace bohr::trace
