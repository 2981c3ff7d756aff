// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "trace/tar.h"
#include "trace/zstd.h"

namespace bohr::trace {
namespace {

std::vector<TarFile> two_files() {
  return {{"a/empty", {}}, {"a/text", std::vector<uint8_t>(700, 'x')}};
}

TEST(TraceTar, ComesBackAsItWas) {
  const std::vector<uint8_t> bytes = write_tar(two_files());
  EXPECT_TRUE(is_tar(bytes));
  const auto files = read_tar(bytes, "t");
  ASSERT_TRUE(files.ok()) << to_string(files.error());
  ASSERT_EQ(files.value().size(), 2u);
  EXPECT_EQ(files.value()[1].name, "a/text");
  EXPECT_EQ(files.value()[1].bytes, two_files()[1].bytes);
  EXPECT_EQ(write_tar(two_files()), bytes);
}

TEST(TraceTar, RefusesDamage) {
  const std::vector<uint8_t> good = write_tar(two_files());
  for (size_t size = 512; size < good.size() - 1024; size += 100)
    EXPECT_FALSE(read_tar(std::span(good).first(size), "t").ok()) << size;
  for (size_t at : {0, 100, 124, 148, 156, 257}) {
    std::vector<uint8_t> bad = good;
    bad[at] ^= 1;
    const auto files = read_tar(bad, "t");
    ASSERT_FALSE(files.ok()) << at;
    EXPECT_EQ(files.error().code, "input-tar");
  }
}

TEST(TraceTar, CompressedAndBack) {
  const std::vector<uint8_t> bytes = write_tar(two_files());
  const auto packed = compress(bytes);
  ASSERT_TRUE(packed.ok());
  EXPECT_TRUE(is_zstd(packed.value()));
  const auto back = decompress(packed.value(), bytes.size(), "t");
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back.value(), bytes);
  EXPECT_EQ(compress(bytes).value(), packed.value());
}

}  // namespace
}  // namespace bohr::trace
