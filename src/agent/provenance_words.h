// SPDX-License-Identifier: Apache-2.0
// What is kept of command lines, values and names of files: pure functions over the allow-list.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/allowed.h"

namespace bohr::agent {

constexpr size_t kMaxValue = 200;

using Settings = std::vector<std::pair<std::string, std::string>>;

inline std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

inline std::string base_name(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

template <class List>
inline bool listed(const List& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

// Dashes and underscores are one, and so are letters of both cases: names of packages.
inline std::string folded(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '-') c = '_';
  }
  return text;
}

inline bool digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789.") == std::string_view::npos;
}

// The program's name, and of an interpreter what it runs: "python3 serve.py", "python3 -m server".
inline std::string program_words(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return "";
  std::string words = base_name(arguments[0]).substr(0, kMaxValue);
  if (words.rfind("python", 0) != 0) return words;
  for (size_t i = 1; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word == "-m" && i + 1 < arguments.size()) return words + " -m " + arguments[i + 1];
    if (word == "-c") return words + " -c";
    if (word == "-X" || word == "-W") {
      ++i;
    } else if (word.empty() || word[0] != '-') {
      return words + " " + base_name(word);
    }
  }
  return words;
}

// A value as it is kept: cut where it is long, left out where it looks like a path.
inline std::string kept_value(const std::string& value) {
  if (value.find('/') != std::string::npos) return "(a path)";
  return value.size() <= kMaxValue ? value : value.substr(0, kMaxValue) + "...";
}

// The options of a command line that are on the list.
inline Settings allowed_options(const std::vector<std::string>& arguments) {
  Settings settings;
  for (size_t i = 1; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word == "--") break;  // what follows are no options
    if (word.rfind("--", 0) != 0) continue;
    const size_t equals = word.find('=');
    const std::string name = word.substr(2, equals == std::string::npos ? equals : equals - 2);
    if (!listed(kAllowedOptions, std::string_view(name))) continue;
    std::string value = "set";
    if (equals != std::string::npos) {
      value = word.substr(equals + 1);
    } else if (i + 1 < arguments.size() && arguments[i + 1].rfind('-', 0) != 0) {
      value = arguments[i + 1];
    }
    settings.emplace_back("--" + name, kept_value(value));
  }
  return settings;
}

// "libcudnn.so.9.10.2" on the list -> "libcudnn", "9.10.2"; an empty name where it is not.
inline std::pair<std::string, std::string> library_of(const std::string& file_name) {
  const size_t so = file_name.find(".so");
  if (so == std::string::npos) return {};
  std::string name = file_name.substr(0, so);
  if (!listed(kAllowedLibraries, std::string_view(name))) return {};
  const std::string version = so + 4 < file_name.size() ? file_name.substr(so + 4) : "";
  return {name, digits(version) ? version : ""};
}

// Of "/venv/lib/python3.12/site-packages/cupy/…" the folder of packages and "cupy"; empty where the
// path lies in none that is on the list. Of "nvidia/nccl/…": "nvidia_nccl".
inline std::pair<std::string, std::string> package_of(const std::string& path) {
  for (const std::string_view folder : {"/site-packages/", "/dist-packages/"}) {
    const size_t at = path.rfind(folder);
    if (at == std::string::npos) continue;
    const size_t begin = at + folder.size();
    const std::vector<std::string> parts = split(path.substr(begin), '/');
    const std::string packages = path.substr(0, begin);
    if (parts.size() > 2 && parts[0] == "nvidia") return {packages, "nvidia_" + folded(parts[1])};
    if (parts.size() > 1 && listed(kAllowedPackages, std::string_view(parts[0])))
      return {packages, parts[0]};
  }
  return {};
}

// Whether "cupy_cuda12x-13.4.1.dist-info" is of package "cupy"; then its version.
inline bool version_of_package(const std::string& folder, const std::string& package,
                               std::string* version) {
  constexpr std::string_view kEnding = ".dist-info";
  const size_t dash = folder.find('-');
  if (dash == std::string::npos || folder.size() < dash + 1 + kEnding.size()) return false;
  if (folder.substr(folder.size() - kEnding.size()) != kEnding) return false;
  const std::string name = folded(folder.substr(0, dash));
  const std::string wanted = folded(package);
  // "nvidia_cudnn_cu12", "cupy_cuda12x", "flashinfer_python".
  const bool same =
      name == wanted || name.rfind(wanted + "_cu", 0) == 0 || name == wanted + "_python";
  if (!same) return false;
  *version = folder.substr(dash + 1, folder.size() - dash - 1 - kEnding.size());
  return true;
}

}  // namespace bohr::agent
