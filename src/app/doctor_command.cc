// SPDX-License-Identifier: Apache-2.0
// Goes from program to program: a script to its interpreter, a wrapper to what it wraps, until
// there is a program that is none of these.
#include "app/doctor_command.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>

#include "agent/environment.h"
#include "app/ask_program.h"
#include "app/elf_file.h"
#include "app/files.h"

namespace bohr::app {

namespace {

using Words = std::vector<std::string>;

constexpr int kMostSteps = 8;  // wrappers and scripts in a row

constexpr const char* kPutBehind = "put `bohr run --` behind it, in front of the program itself";

// Programs that start another one where the environment does not come along.
const std::map<std::string, const char*> elsewhere = {
    {"sudo", "sudo clears the environment"},
    {"su", "su starts a program as another user"},
    {"doas", "doas clears the environment"},
    {"runuser", "runuser starts a program as another user"},
    {"pkexec", "pkexec clears the environment"},
    {"ssh", "ssh starts the program on another machine"},
    {"systemd-run", "systemd-run lets the service manager start the program"},
    {"docker", "docker lets a daemon start the program in a container"},
    {"podman", "podman starts the program in a container"},
    {"nerdctl", "nerdctl lets a daemon start the program in a container"},
    {"kubectl", "kubectl starts the program on another machine"},
};

const std::set<std::string> shells = {"sh", "bash", "dash", "zsh", "ksh", "fish"};

// Programs that start another one as it would have been started, and how many words of their own
// stand before it (options aside).
const std::map<std::string, size_t> transparent = {
    {"nohup", 0},  {"setsid", 0}, {"time", 0},    {"nice", 0},    {"ionice", 0},
    {"stdbuf", 0}, {"chrt", 1},   {"timeout", 1}, {"taskset", 1}, {"numactl", 0},
};
// Their options that take the next word.
const std::map<std::string, std::string> takes_word = {
    {"nice", "-n"},       {"ionice", "-c -n -p"}, {"stdbuf", "-i -o -e"},
    {"timeout", "-k -s"}, {"time", "-f -o"},      {"numactl", "-m -N -C -i -p -l"}};

Words split(const std::string& line) {
  Words words;
  for (size_t at = line.find_first_not_of(" \t"); at != std::string::npos;) {
    const size_t end = std::min(line.find_first_of(" \t", at), line.size());
    words.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(" \t", end);
  }
  return words;
}

bool is_ours(const std::string& name, Via via) {
  const char* loads = via == Via::preload ? agent::kPreloadVariable : agent::kInjectionVariable;
  return name == loads || name == agent::kAgentVariable || name == agent::kDirVariable ||
         name == agent::kPythonPathVariable;
}

void note_lost(const std::string& name, const std::string& who, Started* started) {
  if (!is_ours(name, started->via)) return;
  if (name == agent::kPythonPathVariable) {
    started->remarks.push_back(
        {Works::partly, who + " changes " + name,
         "the Python shim is not found: allocations are not recorded; " + std::string(kPutBehind)});
  } else {
    started->remarks.push_back({Works::no, who + " changes " + name, kPutBehind});
  }
}

// What `env` starts; empty where it starts nothing.
Words behind_env(const Words& command, Started* started) {
  size_t at = 1;
  for (; at < command.size(); ++at) {
    const std::string& word = command[at];
    if (word == "-" || word == "-i" || word == "--ignore-environment") {
      started->remarks.push_back(
          {Works::no, "env " + word + " clears the environment", kPutBehind});
    } else if ((word == "-u" || word == "-C") && at + 1 < command.size()) {
      ++at;
      if (word == "-u") note_lost(command[at], "env -u", started);
    } else if (word.rfind("--unset=", 0) == 0) {
      note_lost(word.substr(8), "env", started);
    } else if (word.rfind("-S", 0) == 0 || word.rfind("--split-string", 0) == 0) {
      Words rest = {"env"};
      const size_t value = word[1] == 'S' ? 2 : word.find('=') + 1;
      const Words inner = split(word.size() > value ? word.substr(value) : "");
      rest.insert(rest.end(), inner.begin(), inner.end());
      rest.insert(rest.end(), command.begin() + static_cast<long>(at) + 1, command.end());
      return behind_env(rest, started);
    } else if (word[0] != '-' && word.find('=') != std::string::npos) {
      note_lost(word.substr(0, word.find('=')), "env", started);
    } else if (word[0] != '-') {
      break;
    }
  }
  return {command.begin() + static_cast<long>(std::min(at, command.size())), command.end()};
}

// What a wrapper starts that leaves the environment alone.
Words behind_wrapper(const Words& command) {
  const std::string name = base_name(command.front());
  const auto takes = takes_word.find(name);
  const std::string with_word = takes == takes_word.end() ? "" : " " + takes->second + " ";
  size_t own = transparent.at(name);
  size_t at = 1;
  for (; at < command.size(); ++at) {
    const std::string& word = command[at];
    if (word.size() > 1 && word[0] == '-') {
      if (with_word.find(" " + word + " ") != std::string::npos) ++at;
    } else if (own == 0) {
      break;
    } else {
      --own;
    }
  }
  return {command.begin() + static_cast<long>(std::min(at, command.size())), command.end()};
}

// "#!/usr/bin/env python3" before the script and its arguments; empty: it is no script.
Words behind_script(const std::string& path, const Words& command) {
  const std::string line = first_line_of_script(path);
  if (line.empty()) return {};
  const size_t blank = line.find_first_of(" \t");
  Words words = {line.substr(0, blank)};
  if (blank != std::string::npos) {  // the kernel passes the rest as one word
    const size_t rest = line.find_first_not_of(" \t", blank);
    if (rest != std::string::npos) words.push_back(line.substr(rest));
  }
  words.push_back(path);
  words.insert(words.end(), command.begin() + 1, command.end());
  return words;
}

bool is_python(const std::string& path) {
  const std::string name = base_name(path);
  return name.rfind("python", 0) == 0 &&
         name.find_first_not_of("0123456789.", 6) == std::string::npos;
}

// The interpreter and its own options.
Words python_call(const std::string& program, const Words& command) {
  Words call = {program};
  for (size_t at = 1; at < command.size(); ++at) {
    const std::string& word = command[at];
    if (word.size() < 2 || word[0] != '-' || word == "--") break;
    const size_t ends = word[1] == '-' ? std::string::npos : word.find_first_of("cm");
    const size_t takes = word[1] == '-' ? std::string::npos : word.find_first_of("WX");
    if (ends < takes) {  // what stands with -c or -m: options before it in one word
      if (ends > 1) call.push_back(word.substr(0, ends));
      break;
    }
    call.push_back(word);
    if ((takes == word.size() - 1 || word == "--check-hash-based-pycs") && at + 1 < command.size())
      call.push_back(command[++at]);
  }
  return call;
}

void look_at_rights(const std::string& path, Started* started) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return;
  const bool as_other = ((info.st_mode & S_ISUID) != 0 && info.st_uid != geteuid()) ||
                        ((info.st_mode & S_ISGID) != 0 && info.st_gid != getegid());
  const bool capable = getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
  if (!as_other && !capable) return;
  started->remarks.push_back(
      {Works::no, path + (as_other ? " runs as another user (setuid)" : " has file capabilities"),
       "such programs ignore what the environment asks to load, and cannot write to your folder; "
       "run a copy without these rights"});
}

void look_at_elf(const std::string& path, Started* started) {
  const ElfFile elf = read_elf(path);
  const std::string name = base_name(path);
  if (!elf.is_elf) return;
  if (!elf.same_machine) {
    started->remarks.push_back({Works::no, name + " is built for another kind of machine",
                                "the recorder cannot be loaded into it"});
  } else if (elf.interpreter.empty()) {
    started->remarks.push_back({Works::no, name + " is a static binary",
                                "it cannot load the CUDA driver, nor the recorder; what it starts "
                                "can be recorded"});
  } else if (elf.interpreter.find("musl") != std::string::npos) {
    started->remarks.push_back(
        {Works::no, name + " uses musl, not glibc", "the CUDA driver and the recorder need glibc"});
  }
}

// One step; empty: `path` is what runs in the end.
Words next_of(const std::string& path, const Words& command, Started* started) {
  const std::string name = base_name(command.front());
  if (const auto found = elsewhere.find(name); found != elsewhere.end()) {
    started->remarks.push_back({Works::no, found->second, kPutBehind});
    return {};
  }
  if (shells.count(name) > 0)
    started->remarks.push_back(
        {Works::yes, "a shell: what it starts was not looked at", "run bohr doctor on that, too"});
  if (name == "env") return behind_env(command, started);
  if (transparent.count(name) > 0) return behind_wrapper(command);
  return behind_script(path, command);
}

}  // namespace

Result<Started> what_starts(const std::vector<std::string>& command, Via via) {
  Started started;
  started.via = via;
  Words words = command;
  for (int step = 0; step < kMostSteps; ++step) {
    const std::string path = find_program(words.front());
    if (path.empty()) {
      return Error{"guest-start", "cannot start", words.front(), "there is no such program",
                   step == 0 ? "name a program after --, with its path if it is not in PATH"
                             : fmt::format("{} would start it", command.front())};
    }
    started.program = path;
    look_at_rights(path, &started);
    Words next = next_of(path, words, &started);
    if (next.empty()) {
      look_at_elf(path, &started);
      if (is_python(path)) started.python = python_call(path, words);
      return started;
    }
    words = std::move(next);
  }
  started.remarks.push_back({Works::partly,
                             "scripts and wrappers in a row: gave up at " + started.program,
                             "run bohr doctor on what they start"});
  return started;
}

}  // namespace bohr::app
