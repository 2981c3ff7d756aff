// SPDX-License-Identifier: Apache-2.0
// Bytes as canaries, as `--watch` names them:
//
//   NAME[lo:hi]      of a block or view (app/names.h), the range may be left out
//   0xADDR+BYTES     whatever has no name: what tensor.data_ptr() printed, say
//
// and behind it, where the steps that name the memory are not the ones that may write it, "=" and
// the labels of those that may, as reports print them: NAME=first,second, or "NAME=" for nobody.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/names.h"
#include "base/result.h"
#include "model/exploration.h"
#include "model/step.h"

namespace bohr::app {

// Which of a program's blocks a name means.
enum class Blocks : uint8_t {
  all,      // the whole program is run, with what it allocates and frees
  live_now  // one launch is run where the program stands, in memory that it may have made unseen
};

class WatchList {
 public:
  explicit WatchList(const std::vector<std::string>& texts = {});

  bool empty() const { return items_.empty(); }
  // What of the list this program has, for its `steps`. By default those are expected to write
  // that name the block, as parameters or accesses that write or may. A label that is none of this
  // program's stands for nobody.
  std::vector<Watch> in(const Program& program, std::span<const Step> steps, Blocks blocks);
  // What no program had that was asked so far: codes `watch-name`, `watch-range`, `watch-memory`
  // and `watch-label`, with the nearest names.
  std::vector<Error> unmet() const;
  // What some program had, or none was asked for, and that is not among `texts`: watches of which
  // nothing came.
  std::vector<std::string> missing_in(const std::vector<std::string>& texts) const;

 private:
  struct Item {
    std::string text;
    bool found = false;
    std::optional<Error> error = {};            // of the newest program without such bytes
    std::optional<Nearest> names = {};          // to its name
    std::map<std::string, Nearest> lacks = {};  // labels that some program lacks
    std::vector<std::string> matched = {};      // labels that some program has
  };
  static std::vector<Error> unmet(const Item& item);
  static Result<Watch> look(const Program& program, std::span<const Step> steps, Blocks blocks,
                            Item* item);
  static void expect(const Program& program, std::span<const Step> steps, std::string_view labels,
                     Item* item, Watch* watch);

  std::vector<Item> items_;
};

// An error of the replayer's about watched memory, which it knows by address only, with the name.
Error by_name(Error error, std::span<const Watch> watched);

}  // namespace bohr::app
