// SPDX-License-Identifier: Apache-2.0
// Written through to the kernel, not to the disk: it outlives this process and the guest at the
// price of one call an order.
#include "app/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/files.h"
#include "report/layout.h"
#include "report/words.h"

namespace bohr::app {

Result<Journal> Journal::open(const std::string& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file >= 0) return Journal(path, file);
  return Error{"explore-journal", path, "", std::string("cannot write it: ") + std::strerror(errno),
               "choose a folder that is writable (-o)"};
}

Journal::~Journal() {
  if (file_ < 0) return;
  close(file_);
  if (!under_way_) unlink(path_.c_str());
}

Journal::Journal(Journal&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::exchange(other.file_, -1)),
      under_way_(std::move(other.under_way_)) {}

void Journal::begin(const std::string& graph, const replay::Request& request) {
  under_way_ = explore::LostOrder{{request.order.begin(), request.order.end()},
                                  !request.expected.empty(),
                                  !request.contents.empty(),
                                  ""};
  const nlohmann::ordered_json json = {{"graph", graph},
                                       {"order", under_way_->order},
                                       {"stopping", under_way_->stopping},
                                       {"other_contents", under_way_->other_contents}};
  write(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

void Journal::end() {
  under_way_.reset();
  write("");
}

// A full disk costs the note, not the search.
void Journal::write(const std::string& text) {
  if (ftruncate(file_, 0) != 0) return;
  static_cast<void>(!pwrite(file_, text.data(), text.size(), 0));
}

std::optional<std::string> left_in_journal(const std::string& path) {
  const Result<std::string> text = read_text(path);
  if (!text.ok() || text.value().empty()) return std::nullopt;
  const auto json = nlohmann::json::parse(text.value(), nullptr, false);
  const bool whole = json.is_object() && json.contains("graph") && json["graph"].is_string() &&
                     json.contains("order") && json["order"].is_array();
  if (!whole) return "an order was under way when the search ended; its note is damaged";
  return fmt::format("an order of {} ({}) was under way when the search ended: {}",
                     report::printable(json["graph"].get<std::string>()),
                     report::count(static_cast<int64_t>(json["order"].size()), "step"), path);
}

}  // namespace bohr::app
