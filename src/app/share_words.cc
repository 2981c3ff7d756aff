// SPDX-License-Identifier: Apache-2.0
// A name of a person or machine gets a pseudonym of its own length, because mangled names, in which
// it may stand, count their letters.
#include "app/share_words.h"

#include <algorithm>
#include <cctype>

#include "app/files.h"

namespace bohr::app {

namespace {

constexpr size_t kMostName = 64;
constexpr size_t kMostPlain = 256;
constexpr size_t kMostQuoted = 32;
constexpr size_t kLikeAKey = 24;  // letters and digits in a row

const std::set<std::string> nobody = {
    "root",  "user",  "users",  "nobody", "home",  "ubuntu",    "debian",      "centos", "admin",
    "guest", "local", "server", "python", "torch", "localhost", "localdomain", "runner", "worker"};

// Folders that are named alike everywhere.
const std::set<std::string> common_folders = {"",
                                              ".",
                                              "..",
                                              "usr",
                                              "lib",
                                              "lib64",
                                              "local",
                                              "bin",
                                              "sbin",
                                              "opt",
                                              "etc",
                                              "var",
                                              "tmp",
                                              "home",
                                              "root",
                                              "src",
                                              "build",
                                              "proc",
                                              "self",
                                              "include",
                                              "share",
                                              "venv",
                                              ".venv",
                                              "env",
                                              "targets",
                                              "extras",
                                              "CUPTI",
                                              "conda",
                                              "miniconda3",
                                              "envs",
                                              "bohr",
                                              "torch",
                                              "triton",
                                              "jax",
                                              "jaxlib",
                                              "cupy",
                                              "nvidia",
                                              "cuda",
                                              "numpy",
                                              "vllm",
                                              "sglang",
                                              "python",
                                              "release",
                                              "debug",
                                              "asyncio",
                                              "concurrent",
                                              "multiprocessing",
                                              "x86_64-linux-gnu",
                                              "aarch64-linux-gnu",
                                              "x86_64-linux",
                                              "sbsa-linux"};

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool only_of(const std::string& text, const char* signs) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return is_letter(c) || is_digit(c) || std::string_view(signs).find(c) != std::string_view::npos;
  });
}

// "python3.12", "cuda-13.0", "cu13", "310"
bool is_versioned(const std::string& folder) {
  const size_t letters = folder.find_first_of("0123456789.-");
  const std::string stem = folder.substr(0, letters);
  const bool known = stem == "python" || stem == "cuda" || stem == "cu" || stem.empty();
  return known && letters != std::string::npos &&
         folder.find_first_not_of("0123456789.-", letters) == std::string::npos;
}

// What lies below is what somebody published.
bool holds_packages(const std::string& folder) {
  return folder == "site-packages" || folder == "dist-packages" ||
         (folder.rfind("python3.", 0) == 0 && is_versioned(folder));
}

bool looks_like_a_key(const std::string& text) {
  size_t run = 0;
  bool digits = false;
  for (char c : text) {
    run = is_letter(c) || is_digit(c) ? run + 1 : 0;
    digits = run > 0 && (digits || is_digit(c));
    if (run >= kLikeAKey && digits) return true;
  }
  return false;
}

bool is_short_word(const std::string& text) {
  return text.size() <= kMostName && only_of(text, "_.:=[]<>()@#,+-/") && !looks_like_a_key(text);
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

}  // namespace

size_t find_word(const std::string& text, const std::string& word, size_t from) {
  const auto same = [](char a, char b) { return lower(a) == lower(b); };
  for (auto at = text.begin() + static_cast<std::ptrdiff_t>(std::min(from, text.size()));; ++at) {
    at = std::search(at, text.end(), word.begin(), word.end(), same);
    if (at == text.end()) return std::string::npos;
    const auto behind = at + static_cast<std::ptrdiff_t>(word.size());
    const bool begins = at == text.begin() || !is_letter(*(at - 1));
    if (begins && (behind == text.end() || !is_letter(*behind)))
      return static_cast<size_t>(at - text.begin());
  }
}

bool identifies(const std::string& name) {
  std::string small = name;
  std::transform(small.begin(), small.end(), small.begin(), lower);
  return name.size() > 2 && std::any_of(name.begin(), name.end(), is_letter) &&
         nobody.count(small) == 0 && common_folders.count(small) == 0;
}

void add_home_owner(const std::string& path, std::set<std::string>* identities) {
  for (const char* homes : {"/home/", "/Users/", "/users/", "/homes/"}) {
    for (size_t at = path.find(homes); at != std::string::npos; at = path.find(homes, at + 1)) {
      const size_t begin = at + std::char_traits<char>::length(homes);
      const size_t end = path.find_first_of("/ \t'\":", begin);
      const std::string owner = path.substr(begin, end - begin);
      if (identifies(owner)) identities->insert(owner);
    }
  }
}

ShareWords::ShareWords(const std::set<std::string>& identities) {
  for (const std::string& name : identities)
    if (identifies(name)) identities_.push_back({name, "", 0});
  std::stable_sort(
      identities_.begin(), identities_.end(),
      [](const Replacement& a, const Replacement& b) { return a.what.size() > b.what.size(); });
  int number = 0;
  for (Replacement& name : identities_) {
    name.by = "u" + std::to_string(++number);
    name.by.resize(name.what.size(), 'x');
  }
}

std::string ShareWords::pseudonym(const std::string& prefix, const std::string& what) {
  const auto [at, added] = known_.try_emplace(prefix + what, replaced_.size());
  if (added) replaced_.push_back({what, prefix + std::to_string(++numbers_[prefix]), 0});
  Replacement& entry = replaced_[at->second];
  ++entry.times;
  return entry.by;
}

std::string ShareWords::without_identities(std::string text) {
  for (const Replacement& name : identities_) {
    for (size_t at = 0; (at = find_word(text, name.what, at)) != std::string::npos;) {
      text.replace(at, name.what.size(), name.by);
      at += name.by.size();
      const auto [known, added] = known_.try_emplace("\n" + name.what, replaced_.size());
      if (added) replaced_.push_back({name.what, name.by, 0});
      ++replaced_[known->second].times;
    }
  }
  return text;
}

std::string ShareWords::folder(const std::string& text) {
  const bool common = common_folders.count(text) > 0 || is_versioned(text) || holds_packages(text);
  return common ? text : pseudonym("dir", text);
}

std::string ShareWords::path(const std::string& text) {
  if (text.rfind('<', 0) == 0) return only_of(text, "<>_. -") ? text : pseudonym("file", text);
  const std::vector<std::string> parts = split(text, '/');
  std::string result;
  bool published = false;
  for (size_t i = 0; i + 1 < parts.size(); ++i) {
    result += (published ? parts[i] : folder(parts[i])) + "/";
    published = published || holds_packages(parts[i]);
  }
  const std::string& name = parts.back();
  return result + (is_short_word(name) ? name : pseudonym("file", name));
}

// Quotes first, since paths may stand in them.
std::string ShareWords::sentence(const std::string& text) {
  std::string without_quotes;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    const bool opens = (c == '\'' || c == '"') && (at == 0 || !is_letter(text[at - 1]));
    const size_t end = opens ? text.find(c, at + 1) : std::string::npos;
    if (end == std::string::npos) {
      without_quotes += c, ++at;
      continue;
    }
    const std::string inner = text.substr(at + 1, end - at - 1);
    const bool stays = inner.size() <= kMostQuoted && only_of(inner, "_.-");
    without_quotes += c + (stays ? inner : pseudonym("text", inner)) + c;
    at = end + 1;
  }
  constexpr const char* kEnds = " \t\n()[]{}'\",;:=";
  std::string result;
  for (size_t at = 0; at < without_quotes.size();) {
    const size_t end = std::min(without_quotes.find_first_of(kEnds, at), without_quotes.size());
    const std::string word = without_quotes.substr(at, end - at);
    result += word.find('/') == std::string::npos ? word : path(word);
    if (end < without_quotes.size()) result += without_quotes[end];
    at = end + 1;
  }
  return result;
}

std::string ShareWords::command(const std::string& text) {
  const auto name_of = [this](const std::string& word) {
    const std::string name = base_name(word);
    return is_short_word(name) ? name : pseudonym("program", name);
  };
  const std::vector<std::string> words = split(text, ' ');
  std::string result = name_of(words.front());
  size_t kept = 1;
  for (size_t i = 1; i < words.size(); ++i) {
    const bool module = words[i] == "-m" && i + 1 < words.size();
    const bool script = words[i].size() > 3 && words[i].rfind(".py") == words[i].size() - 3;
    if (module) result += " -m " + name_of(words[i + 1]), kept += 2;
    if (script) result += " " + name_of(words[i]), ++kept;
    if (module || script) break;
  }
  return kept < words.size() ? result + " …" : result;
}

std::string ShareWords::scrub(TextKind kind, const std::string& text) {
  if (text.empty()) return text;
  const auto or_pseudonym = [&](bool stays) { return stays ? text : pseudonym("text", text); };
  switch (kind) {
    case TextKind::fixed:
      return text;
    case TextKind::code:
      return without_identities(text);
    case TextKind::path:
      return without_identities(path(text));
    case TextKind::plain:
      return without_identities(or_pseudonym(
          text.size() <= kMostPlain && only_of(text, "_.:,+[]()= -") && !looks_like_a_key(text)));
    case TextKind::name:
      return without_identities(or_pseudonym(is_short_word(text)));
    case TextKind::sentence:
      return without_identities(sentence(text));
    case TextKind::command:
      return without_identities(command(text));
    case TextKind::unknown:
      break;
  }
  return pseudonym("text", text);
}

}  // namespace bohr::app
