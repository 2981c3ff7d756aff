// SPDX-License-Identifier: Apache-2.0
// docs/reading.md explains each.
#include "report/absence_text.h"

#include <fmt/format.h>

#include <array>

#include "report/frames.h"
#include "report/words.h"

namespace bohr::report {

namespace {

std::string at(const std::string& line) { return line.empty() ? line : " at " + line; }

std::string order_text(const Absence& absence) {
  switch (absence.kind) {
    case AbsenceKind::one_stream:
      return "ordered: one stream";
    case AbsenceKind::free_later:
      return "ordered: freed behind its uses";
    case AbsenceKind::edge:
      return fmt::format("ordered: edge {} -> {}", label_text(absence.detail),
                         label_text(absence.to));
    case AbsenceKind::wait:
      return "ordered: a wait" + at(absence.detail);
    case AbsenceKind::host:
      return "ordered: host synchronisation" + at(absence.detail);
    default:
      return "ordered";
  }
}

}  // namespace

std::string absence_text(const Absence& absence) {
  switch (absence.kind) {
    case AbsenceKind::unknown:
      return "not found";
    case AbsenceKind::unrecorded:
      return fmt::format("not found: {}", reason_words(absence.detail));
    case AbsenceKind::no_work:
      return fmt::format("absent: no {}", label_text(absence.detail));
    case AbsenceKind::no_block:
      return "absent: no such block";
    case AbsenceKind::not_reached:
      return fmt::format("not reached: {}", absence.detail);
    case AbsenceKind::side_unused:
      return fmt::format("not reached: {} unused", noun("stream", absence.detail));
    case AbsenceKind::not_freed:
      return "absent: the block is not freed";
    case AbsenceKind::not_shared:
      return "absent: no bytes shared";
    case AbsenceKind::sizes:
      return "absent: sizes differ, no bytes shared";
    case AbsenceKind::own_bytes:
      return "absent: each graph reads what it wrote";
    case AbsenceKind::reused:
      return fmt::format("there it is {}", absence.detail);
    default:
      return order_text(absence);
  }
}

const char* absence_word(AbsenceKind kind) {
  constexpr std::array<const char*, 17> kWords = {
      "unknown",     "unrecorded", "no-work", "no-block",  "not-reached", "side-unused",
      "not-freed",   "not-shared", "sizes",   "own-bytes", "reused",      "one-stream",
      "freed-later", "edge",       "wait",    "host",      "order"};
  return kWords[static_cast<size_t>(kind)];
}

}  // namespace bohr::report
