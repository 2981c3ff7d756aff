// SPDX-License-Identifier: Apache-2.0
// The instruction that waits is ACQBULK, the one that triggers PREEXIT: griddepcontrol.wait and
// .launch_dependents of PTX. A function's instructions are walked from the first one along all
// paths that have not waited yet; each is met once, so this ends. A wait with a predicate lets the
// path go on, a branch with one goes both ways, and one whose target is not written down makes the
// answer unknown.
#include "trace/machine_code.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <vector>

namespace bohr::trace {
namespace {

constexpr int kFirstArchitecture = 90;  // with programmatic launches
constexpr size_t kMostInstructions = 1 << 20;

struct Instruction {
  uint64_t address = 0;
  bool predicated = false;
  std::string_view opcode;  // without its modifiers
  std::string_view modifiers;
  std::string_view operands;
};

struct ListedFunction {
  std::string_view name;
  std::vector<Instruction> code;
  std::map<std::string_view, size_t> labels;  // the instruction behind each
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
    text.remove_suffix(1);
  return text;
}

// The word at the front, which is taken away.
std::string_view take_word(std::string_view* text) {
  *text = trimmed(*text);
  const size_t end = std::min(text->find_first_of(" \t"), text->size());
  const std::string_view word = text->substr(0, end);
  *text = trimmed(text->substr(end));
  return word;
}

std::optional<uint64_t> hexadecimal(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return value;
}

// "/*0030*/  @!P0 BRA `(.L_x_1) ;  /* ... */"
std::optional<Instruction> instruction_of(std::string_view line) {
  line = trimmed(line);
  if (!line.starts_with("/*")) return std::nullopt;
  const size_t comment = line.find("*/");
  const auto address = hexadecimal(line.substr(2));
  if (comment == std::string_view::npos || !address) return std::nullopt;
  line = line.substr(comment + 2);
  line = trimmed(line.substr(0, line.find("/*")));
  const size_t end = line.find(';');
  if (end == std::string_view::npos) return std::nullopt;
  line = trimmed(line.substr(0, end));
  if (line.starts_with("{")) line = trimmed(line.substr(1));  // two that are issued together
  Instruction found;
  found.address = *address;
  found.predicated = line.starts_with("@");
  if (found.predicated) take_word(&line);
  const std::string_view word = take_word(&line);
  const size_t dot = std::min(word.find('.'), word.size());
  found.opcode = word.substr(0, dot), found.modifiers = word.substr(dot), found.operands = line;
  if (found.opcode.empty()) return std::nullopt;
  return found;
}

bool accesses_memory(std::string_view opcode) {
  constexpr std::array kAccesses = {"LD",   "ST",     "LDG",   "STG",   "ATOM",  "ATOMG", "RED",
                                    "REDG", "LDGSTS", "LDGMC", "TEX",   "TLD",   "TLD4",  "TXD",
                                    "TXQ",  "SULD",   "SUST",  "SURED", "SUATOM"};
  if (opcode == "UTMAPF" || opcode == "UBLKPF" || opcode == "UTMACCTL" || opcode == "UTMACMDFLUSH")
    return false;
  if (opcode.starts_with("UTMA") || opcode.starts_with("UBLK")) return true;
  return std::any_of(kAccesses.begin(), kAccesses.end(),
                     [&](const char* access) { return opcode == access; });
}

class Walk {
 public:
  explicit Walk(const ListedFunction& function)
      : function_(function), met_(function.code.size(), false) {
    for (size_t i = 0; i < function.code.size(); ++i) {
      at_[function.code[i].address] = i;
      if (function.code[i].opcode == "BSSY") note_barrier(function.code[i]);
    }
  }

  GridCode run() {
    GridCode found;
    bool waits = false;
    for (const Instruction& one : function_.code) {
      waits = waits || one.opcode == "ACQBULK";
      found.triggers = found.triggers || one.opcode == "PREEXIT";
    }
    go_on(0);
    while (!open_.empty() && known_) {
      const size_t next = open_.back();
      open_.pop_back();
      step(next);
    }
    // Code that was called elsewhere may wait, or trigger.
    if (!known_)
      found = {};
    else
      found.wait = !waits ? GridWait::never : early_ ? GridWait::later : GridWait::first;
    return found;
  }

 private:
  void go_on(size_t index) {
    if (index >= met_.size() || met_[index]) return;
    met_[index] = true;
    open_.push_back(index);
  }

  std::optional<size_t> target_of(const Instruction& one) const {
    const size_t label = one.operands.find("`(");
    if (label != std::string_view::npos) {
      const size_t end = one.operands.find(')', label);
      if (end == std::string_view::npos) return std::nullopt;
      const auto found = function_.labels.find(one.operands.substr(label + 2, end - label - 2));
      if (found == function_.labels.end()) return std::nullopt;
      return found->second;
    }
    const size_t number = one.operands.rfind("0x");
    if (number == std::string_view::npos) return std::nullopt;
    const auto address = hexadecimal(one.operands.substr(number + 2));
    const auto found = address ? at_.find(*address) : at_.end();
    if (found == at_.end()) return std::nullopt;
    return found->second;
  }

  static std::string_view barrier_of(const Instruction& one) {
    return trimmed(one.operands.substr(0, one.operands.find(',')));
  }
  void note_barrier(const Instruction& one) {
    if (const auto target = target_of(one)) barriers_[barrier_of(one)].push_back(*target);
  }

  void jump(const Instruction& one) {
    if (const auto target = target_of(one))
      go_on(*target);
    else
      known_ = false;
  }

  void step(size_t index) {
    const Instruction& one = function_.code[index];
    bool falls_through = true;
    if (one.opcode == "ACQBULK" || one.opcode == "EXIT" || one.opcode == "RET" ||
        one.opcode == "KILL") {
      falls_through = one.predicated;
    } else if (one.opcode == "BRA" || one.opcode == "JMP") {
      jump(one);
      // With a predicate of its own, or as one of several forms that may also go on.
      falls_through = one.predicated || !one.modifiers.empty() ||
                      one.operands.find(',') != std::string_view::npos;
    } else if (one.opcode == "CALL") {
      jump(one);
    } else if (one.opcode == "BRX" || one.opcode == "BRXU" || one.opcode == "JMX" ||
               one.opcode == "JMXU" || one.opcode == "JCAL") {
      known_ = false;
    } else if (one.opcode == "BSYNC") {
      for (const size_t target : barriers_[barrier_of(one)]) go_on(target);
    } else if (accesses_memory(one.opcode)) {
      early_ = true;
    }
    if (falls_through) go_on(index + 1);
  }

  const ListedFunction& function_;
  std::vector<bool> met_;
  std::vector<size_t> open_;
  std::map<uint64_t, size_t> at_;  // by address
  std::map<std::string_view, std::vector<size_t>> barriers_;
  bool early_ = false;
  bool known_ = true;
};

class Reader {
 public:
  GridCodes run(std::string_view listing) {
    while (!listing.empty()) {
      const size_t end = std::min(listing.find('\n'), listing.size());
      line(listing.substr(0, end));
      listing.remove_prefix(std::min(end + 1, listing.size()));
    }
    finish();
    return std::move(codes_);
  }

 private:
  void line(std::string_view text) {
    if (const auto one = instruction_of(text)) {
      if (!function_.name.empty() && ++instructions_ <= kMostInstructions)
        function_.code.push_back(*one);
      return;
    }
    text = trimmed(text);
    constexpr std::string_view kFunction = "Function : ", kSection = ".text.", kArch = "arch = sm_",
                               kTarget = ".target", kCode = "code for sm_";
    if (text.starts_with(kFunction)) {
      begin(text.substr(kFunction.size()));
    } else if (text.starts_with(kSection) && text.ends_with(":")) {
      begin(text.substr(kSection.size(), text.size() - kSection.size() - 1));
    } else if (text.starts_with(kArch)) {
      architecture(text.substr(kArch.size()));
    } else if (text.starts_with(kCode)) {
      architecture(text.substr(kCode.size()));
    } else if (text.starts_with(kTarget)) {
      const size_t at = text.find("sm_");
      if (at != std::string_view::npos) architecture(text.substr(at + 3));
    } else if (text.starts_with(".L") && text.ends_with(":")) {
      function_.labels[text.substr(0, text.size() - 1)] = function_.code.size();
    }
  }

  void architecture(std::string_view text) {
    finish();
    architecture_ = 0;
    std::from_chars(text.data(), text.data() + text.size(), architecture_);
  }

  void begin(std::string_view name) {
    finish();
    function_.name = trimmed(name);
  }

  void finish() {
    const bool cut = instructions_ > kMostInstructions;
    if (!function_.name.empty() && !function_.code.empty() && architecture_ >= kFirstArchitecture) {
      const GridCode found = cut ? GridCode() : Walk(function_).run();
      const auto [at, is_new] = codes_.try_emplace(std::string(function_.name), found);
      if (!is_new && at->second != found) at->second = {};
    }
    function_ = {};
  }

  GridCodes codes_;
  ListedFunction function_;
  int architecture_ = kFirstArchitecture;  // of listings that name none
  size_t instructions_ = 0;
};

}  // namespace

GridCodes read_machine_code(std::string_view listing) { return Reader().run(listing); }

}  // namespace bohr::trace
