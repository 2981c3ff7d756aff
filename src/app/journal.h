// SPDX-License-Identifier: Apache-2.0
// The order that is under way in a running program, written down before it runs: one that ends its
// process, or the machine, leaves the file behind. One JSON object:
//
//   {"graph": NAME, "order": [step…], "stopping": bool, "other_contents": bool}
//
// It is removed where no order was under way in the end.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "explore/lost_orders.h"
#include "replay/replayer.h"

namespace bohr::app {

constexpr const char* kJournalName = "explore.order";

class Journal {
 public:
  // Error `explore-journal`.
  static Result<Journal> open(const std::string& path);
  ~Journal();
  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&&) = delete;

  void begin(const std::string& graph, const replay::Request& request);
  void end();
  // Begun and not ended; without a reason.
  const std::optional<explore::LostOrder>& under_way() const { return under_way_; }

 private:
  Journal(std::string path, int file) : path_(std::move(path)), file_(file) {}
  void write(const std::string& text);

  std::string path_;
  int file_;
  std::optional<explore::LostOrder> under_way_;
};

// What a journal that was left behind says, in a line; nothing where no order was under way.
std::optional<std::string> left_in_journal(const std::string& path);

}  // namespace bohr::app
