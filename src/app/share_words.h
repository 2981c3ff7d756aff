// SPDX-License-Identifier: Apache-2.0
// Texts of a trace made fit for others to see. What is kept is kept by what it is; all else gets a
// pseudonym, the same text always the same one, so that stacks still compare equal.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace bohr::app {

// What a text is, which decides what of it may stay.
enum class TextKind : uint8_t {
  fixed,     // words of ours: stay as they are
  code,      // names of kernels, functions and calls: stay
  path,      // the file's own name stays, and folders that say nothing about their owner
  plain,     // versions and settings: letters, digits and a few signs stay
  name,      // what the program calls something: one short word stays
  sentence,  // ours: what it quotes goes, paths in it are treated as such
  command,   // the names of the program and of its script stay
  unknown,   // nothing stays
};

struct Replacement {
  std::string what;
  std::string by;
  int64_t times = 0;
};

class ShareWords {
 public:
  // `identities`: names of people and machines, to be replaced wherever they stand as a word.
  explicit ShareWords(const std::set<std::string>& identities);

  std::string scrub(TextKind kind, const std::string& text);

  // In the order in which they were first made.
  const std::vector<Replacement>& replaced() const { return replaced_; }

 private:
  std::string pseudonym(const std::string& prefix, const std::string& what);
  std::string without_identities(std::string text);
  std::string path(const std::string& text);
  std::string folder(const std::string& text);
  std::string sentence(const std::string& text);
  std::string command(const std::string& text);

  std::vector<Replacement> identities_;  // longest first; `times` is not used
  std::map<std::string, size_t> known_;  // by prefix and text: index into replaced_
  std::map<std::string, int> numbers_;   // given out, by prefix
  std::vector<Replacement> replaced_;
};

// The names that a path below a folder for homes gives away: "alice" of "/home/alice/x.py".
void add_home_owner(const std::string& path, std::set<std::string>* identities);
// Whether a name says anything about who somebody is: not "root", and no word of two letters.
bool identifies(const std::string& name);
// Where `word` stands in `text` from `from` on, in any case, with no letter on either side.
size_t find_word(const std::string& text, const std::string& word, size_t from);

}  // namespace bohr::app
