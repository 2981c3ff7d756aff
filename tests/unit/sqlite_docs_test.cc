// SPDX-License-Identifier: Apache-2.0
// docs/trace-format.md names every kind and its fields, and its queries run.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "trace/sqlite_schema.h"
#include "trace/sqlite_trace.h"

#ifndef BOHR_SOURCE_DIR
#error "the build says where docs/ is"
#endif

namespace bohr::trace {
namespace {

std::string page() {
  std::ifstream in(std::string(BOHR_SOURCE_DIR) + "/docs/trace-format.md");
  return {std::istreambuf_iterator<char>(in), {}};
}

// The line of the table of kinds that begins with a kind's number and name.
template <class R>
std::string line_of(const std::string& text) {
  const std::string head =
      "\n| " + std::to_string(static_cast<int>(R::kKind)) + " | `" + R::kName + "` |";
  const size_t at = text.find(head);
  if (at == std::string::npos) return "";
  return text.substr(at + 1, text.find('\n', at + 1) - at - 1);
}

class FieldNames {
 public:
  template <class T>
  void operator()(const char* name, const T&) {
    names.emplace_back(name);
  }
  std::vector<std::string> names;
};

TEST(SqliteDocs, NameEveryKindAndField) {
  const std::string text = page();
  for_each_kind([&](auto kind) {
    using R = decltype(kind);
    const std::string line = line_of<R>(text);
    EXPECT_NE(line, "") << R::kName;
    FieldNames fields;
    R::fields(fields, kind);
    size_t at = 0;
    for (const std::string& name : fields.names) {
      // "grid_x…z" stands for three fields.
      if (name == "grid_y" || name == "grid_z" || name == "block_y" || name == "block_z") continue;
      at = line.find(name, at);
      ASSERT_NE(at, std::string::npos) << R::kName << "." << name;
      at += name.size();
    }
  });
}

TEST(SqliteDocs, QueriesRun) {
  const auto database = sqlite_in_memory({});
  ASSERT_TRUE(database.ok());
  const std::string text = page();
  int queries = 0;
  for (size_t at = text.find("```sql\n"); at != std::string::npos; at = text.find("```sql\n", at)) {
    at += 7;
    const std::string sql = text.substr(at, text.find("```", at) - at);
    const auto query = database.value().prepare(sql);
    EXPECT_TRUE(query.ok()) << sql << to_string(query.error());
    ++queries;
  }
  EXPECT_GE(queries, 5);
}

}  // namespace
}  // namespace bohr::trace
