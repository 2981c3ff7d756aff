// SPDX-License-Identifier: Apache-2.0
// What the case reader refuses: the code, the line, and that a remedy is named.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "trace/case_reader.h"

namespace bohr::trace {
namespace {

struct Bad {
  std::string text;
  std::string code;
  int line;
};

// Lines 1 to 8 of the cases below that start with kHead.
const std::string kHead =
    "case 1\nstream s\nstream t\nthread u\nagent nic\nbuffer b 4K\nbuffer c 4K\npool p\n";

class CaseError : public testing::TestWithParam<Bad> {};

TEST_P(CaseError, NamesCodeLineAndRemedy) {
  const auto program = read_case(GetParam().text, "x.case");
  ASSERT_FALSE(program.ok());
  const Error& error = program.error();
  EXPECT_EQ(error.code, GetParam().code) << to_string(error);
  EXPECT_EQ(error.what, "x.case");
  EXPECT_EQ(error.where, GetParam().line > 0 ? "line " + std::to_string(GetParam().line) : "");
  EXPECT_FALSE(error.why.empty());
  EXPECT_FALSE(error.remedy.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Lexis, CaseError,
    testing::Values(Bad{"", "case-empty", 0}, Bad{"# only a comment\n\n", "case-empty", 0},
                    Bad{std::string("case 1\nbuffer a\0b 4K", 21), "case-encoding", 2},
                    Bad{"case 1\n# \xC3\x28\n", "case-encoding", 2},
                    Bad{"case 1\n# \xED\xA0\x80\n", "case-encoding", 2},
                    Bad{"case 1\n# " + std::string(1 << 20, 'x'), "case-encoding", 2},
                    Bad{"case 2\n", "case-version", 1}, Bad{"stream s\n", "case-version", 1},
                    Bad{"case\n", "case-syntax", 1}, Bad{"case 1 2\n", "case-syntax", 1},
                    Bad{"case 1\ncase 1\n", "case-syntax", 2}));

INSTANTIATE_TEST_SUITE_P(
    Statements, CaseError,
    testing::Values(
        Bad{kHead + "strem r\n", "case-syntax", 9}, Bad{kHead + "stream 1r\n", "case-syntax", 9},
        Bad{kHead + "stream r-1\n", "case-syntax", 9},
        Bad{kHead + "stream r fast\n", "case-syntax", 9},
        Bad{kHead + "buffer d\n", "case-syntax", 9}, Bad{kHead + "buffer d 4Q\n", "case-syntax", 9},
        Bad{kHead + "buffer d -4\n", "case-syntax", 9},
        Bad{kHead + "buffer d 4K managed\n", "case-syntax", 9},
        Bad{kHead + "view v on b\n", "case-syntax", 9},
        Bad{kHead + "s kernel k\n", "case-syntax", 9}, Bad{kHead + "s: kernel\n", "case-syntax", 9},
        Bad{kHead + "s: memcpy k\n", "case-syntax", 9},
        Bad{kHead + "s: kernel k reads\n", "case-syntax", 9},
        Bad{kHead + "s: kernel k reads b,\n", "case-syntax", 9},
        Bad{kHead + "s: kernel k reads b c\n", "case-syntax", 9},
        Bad{kHead + "s: kernel k pdl pdl\n", "case-syntax", 9},
        Bad{kHead + "s: copy k from b c\n", "case-syntax", 9},
        Bad{kHead + "s: fill k b c\n", "case-syntax", 9},
        Bad{kHead + "s: callback k updates b\n", "case-syntax", 9},
        Bad{kHead + "s: callback k reads b pdl\n", "case-syntax", 9},
        Bad{kHead + "u: touch k atomics b\n", "case-syntax", 9},
        Bad{kHead + "s: touch k reads b\n", "case-syntax", 9},
        Bad{kHead + "s: sync device\n", "case-syntax", 9},
        Bad{kHead + "u: kernel k reads b\n", "case-syntax", 9},
        Bad{kHead + "nic: sync device\n", "case-syntax", 9},
        Bad{kHead + "nic: kernel k\n", "case-syntax", 9},
        Bad{kHead + "@u host: touch k reads b\n", "case-syntax", 9},
        Bad{kHead + "s: kernel k reads b[0;4]\n", "case-syntax", 9}));

INSTANTIATE_TEST_SUITE_P(
    Names, CaseError,
    testing::Values(Bad{kHead + "r: kernel k\n", "case-unknown-name", 9},
                    Bad{kHead + "b: kernel k\n", "case-unknown-name", 9},
                    Bad{kHead + "@nic s: kernel k\n", "case-unknown-name", 9},
                    Bad{kHead + "@w s: kernel k\n", "case-unknown-name", 9},
                    Bad{kHead + "s: kernel k reads d\n", "case-unknown-name", 9},
                    Bad{kHead + "s: kernel k reads s\n", "case-unknown-name", 9},
                    Bad{kHead + "s: alloc a 4K pool q\n", "case-unknown-name", 9},
                    Bad{kHead + "s: alloc a 4K over z\n", "case-unknown-name", 9},
                    Bad{kHead + "s: free z\n", "case-unknown-name", 9},
                    Bad{kHead + "s: uses z\n", "case-unknown-name", 9},
                    Bad{kHead + "s: launch g\n", "case-unknown-name", 9},
                    Bad{kHead + "capture g on r\n", "case-unknown-name", 9},
                    Bad{kHead + "host: sync r\n", "case-unknown-name", 9},
                    Bad{kHead + "live z\n", "case-unknown-name", 9},
                    Bad{kHead + "scratch s\n", "case-unknown-name", 9},
                    Bad{kHead + "view v of z\n", "case-unknown-name", 9},
                    Bad{kHead + "stream s\n", "case-duplicate", 9},
                    Bad{kHead + "buffer s 4K\n", "case-duplicate", 9},
                    Bad{kHead + "thread host\n", "case-duplicate", 9},
                    Bad{kHead + "view b of c\n", "case-duplicate", 9},
                    Bad{kHead + "capture b on s\n", "case-duplicate", 9},
                    Bad{kHead + "s: alloc b 4K\n", "case-duplicate", 9},
                    Bad{kHead + "s: alloc a 4K\ns: free a\ns: alloc a 4K\n", "case-duplicate", 11},
                    Bad{kHead + "s: fill k b\nt: fill k c\n", "case-duplicate", 10},
                    Bad{kHead + "s: record t\n", "case-duplicate", 9},
                    Bad{kHead + "live b\nscratch b\n", "case-duplicate", 10},
                    Bad{"case 1\nstream a legacy\nstream b legacy\n", "case-duplicate", 3}));

INSTANTIATE_TEST_SUITE_P(
    Sizes, CaseError,
    testing::Values(Bad{kHead + "buffer d 0\n", "case-size", 9},
                    Bad{kHead + "s: alloc a 0\n", "case-size", 9},
                    Bad{kHead + "buffer d 99999999999999999999\n", "case-size", 9},
                    Bad{kHead + "buffer d 18446744073709551615K\n", "case-size", 9},
                    Bad{kHead + "buffer d 18446744073709551615\n", "case-size", 9},
                    Bad{kHead + "buffer d 4194304G\nbuffer e 4294967296G\n", "case-size", 10},
                    Bad{kHead + "s: fill k b[4:4]\n", "case-range", 9},
                    Bad{kHead + "s: fill k b[8:4]\n", "case-range", 9},
                    Bad{kHead + "s: fill k b[0:4097]\n", "case-range", 9},
                    Bad{kHead + "view v of b[1K:2K]\ns: fill k v[0:1025]\n", "case-range", 10},
                    Bad{kHead + "view v of b[5K:6K]\n", "case-range", 9},
                    Bad{kHead + "s: alloc a 4K\ns: free a\ns: alloc d 4K over a+4K\n", "case-range",
                        11}));

INSTANTIATE_TEST_SUITE_P(
    Lifetimes, CaseError,
    testing::Values(
        Bad{kHead + "s: alloc a 4K\ns: alloc d 4K over a\n", "case-reuse", 10},
        Bad{kHead + "s: alloc a 4K over a\n", "case-reuse", 9},
        Bad{kHead + "s: alloc a 4K over b\n", "case-lifetime", 9},
        Bad{kHead + "s: free b\n", "case-lifetime", 9},
        Bad{kHead + "s: uses b\n", "case-lifetime", 9},
        Bad{kHead + "s: alloc a 4K\ns: free a\ns: free a\n", "case-lifetime", 11},
        Bad{kHead + "s: alloc a 4K\ns: free a\nt: uses a\n", "case-lifetime", 11},
        Bad{kHead + "s: alloc a 4K\nview v of a\ns: free v\n", "case-unknown-name", 11},
        Bad{kHead + "s: alloc a 4K\ns: free a\ns: alloc d 3K over a\ns: alloc e 2K over a+2K\n",
            "case-reuse", 12},
        Bad{kHead + "capture g on s\ns: alloc a 4K\nt: uses a\ns: free a\ns: alloc d 4K over a\n",
            "case-reuse", 13}));

INSTANTIATE_TEST_SUITE_P(
    Captures, CaseError,
    testing::Values(Bad{kHead + "capture g on s\ncapture h on t\n", "case-capture", 10},
                    Bad{kHead + "end g\n", "case-capture", 9},
                    Bad{kHead + "capture g on s\nend h\n", "case-capture", 10},
                    Bad{kHead + "capture g on s\ns: fill k b\n", "case-capture", 10},
                    Bad{kHead + "capture g on s\ns: launch g\n", "case-capture", 10},
                    Bad{kHead + "capture g on s\nhost: sync s\n", "case-capture", 10},
                    Bad{kHead + "capture g on s\nu: sync device\n", "case-capture", 10},
                    Bad{kHead + "capture g on s\nend g\ncapture g on s\n", "case-duplicate", 11},
                    Bad{kHead + "host: await done\n", "case-await", 9},
                    Bad{kHead + "host: await done\nu: signal done\n", "case-await", 9}));

const std::string kPair = kHead +
                          "s: alloc a 4K\ns: free a\ns: fill k b\nt: fill m b\n"
                          "capture g on s\ns: fill n c\nend g\ns: launch g\ns: launch g\n";

INSTANTIATE_TEST_SUITE_P(
    Expectations, CaseError,
    testing::Values(Bad{kPair + "expect\n", "case-expect", 18},
                    Bad{kPair + "expect dirty\n", "case-expect", 18},
                    Bad{kPair + "expect clean now\n", "case-syntax", 18},
                    Bad{kPair + "expect incomplete\n", "case-syntax", 18},
                    Bad{kPair + "expect hazard RAR k m\n", "case-expect", 18},
                    Bad{kPair + "expect hazard WAW k\n", "case-syntax", 18},
                    Bad{kPair + "expect hazard WAW k z\n", "case-expect", 18},
                    Bad{kPair + "expect hazard WAW k m class race\n", "case-expect", 18},
                    Bad{kPair + "expect hazard WAW k m class\n", "case-expect", 18},
                    Bad{kPair + "expect hazard WAW k m on z\n", "case-unknown-name", 18},
                    Bad{kPair + "expect hazard WAW k m class lifetime\n", "case-expect", 18},
                    Bad{kPair + "expect hazard WAW k a class data\n", "case-expect", 18},
                    Bad{kPair + "expect hazard WAW k@2 m\n", "case-expect", 18},
                    Bad{kPair + "expect hazard WAW n@3 m\n", "case-expect", 18},
                    Bad{kPair + "expect hazard WAW n@1 m\n", "case-expect", 18},
                    Bad{kPair + "expect fix edge k m\n", "case-syntax", 18},
                    Bad{kPair + "expect fix edge k -> z\n", "case-expect", 18},
                    Bad{kPair + "expect fix lifetime b\n", "case-expect", 18},
                    Bad{kPair + "expect fix order\n", "case-expect", 18},
                    Bad{kPair + "expect clean\nexpect hazard WAW k m\n", "case-expect", 19},
                    Bad{kPair + "expect witness\nexpect no-witness\n", "case-expect", 19}));

std::string numbered(const std::string& line, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    std::string next = line;
    for (size_t at = next.find('%'); at != std::string::npos; at = next.find('%', at)) {
      next.replace(at, 1, std::to_string(i));
    }
    text += next + "\n";
  }
  return text;
}

std::string code_of(const std::string& text) {
  const auto program = read_case(text, "x.case");
  return program.ok() ? "" : program.error().code;
}

TEST(CaseTooLarge, AllocatorWaitsDoNotMultiply) {
  const auto text = [](int count) {
    return kHead + numbered("stream s%", count) + "s: alloc a 1M\n" +
           numbered("s%: uses a", count) + "s: free a\n" +
           numbered("s: alloc b% 1 over a+%", count);
  };
  EXPECT_EQ(code_of(text(200)), "");
  EXPECT_EQ(code_of(text(2000)), "case-too-large");
}

TEST(CaseTooLarge, GenerationsDoNotGrowWithoutBound) {
  const auto text = [](int count) {
    std::string made = kHead + "s: alloc a0 1\n";
    for (int i = 1; i < count; ++i) {
      const std::string old = "a" + std::to_string(i - 1);
      made += "s: free " + old + "\ns: alloc a" + std::to_string(i) + " " + std::to_string(i + 1) +
              " over " + old + "\n";
    }
    return made;
  };
  EXPECT_EQ(code_of(text(500)), "");
  EXPECT_EQ(code_of(text(2500)), "case-too-large");
}

TEST(CaseTooLarge, WideJoins) {
  const auto text = [](int count, int joins) {
    std::string made = kHead + numbered("stream s%", count) + "capture g on s\n" +
                       numbered("s%: callback c%\ns%: record e%", count);
    for (int i = 0; i < joins; ++i) {
      made += numbered("s" + std::to_string(i) + ": wait e%", count);
    }
    return made + "end g\n";
  };
  EXPECT_EQ(code_of(text(200, 10)), "");
  EXPECT_EQ(code_of(text(4000, 10)), "case-too-large");
}

}  // namespace
}  // namespace bohr::trace
