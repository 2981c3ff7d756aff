// SPDX-License-Identifier: Apache-2.0
// A block of 512 bytes describes each file, its bytes follow, filled up to whole blocks; two blocks
// of zeros end the archive. Numbers are octal text. Nothing that a header says is believed before
// it was compared with the bytes that are left.
#include "trace/tar.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/check.h"

namespace bohr::trace {
namespace {

constexpr size_t kBlock = 512;
constexpr size_t kMostName = 99;
constexpr uint64_t kMostFileBytes = uint64_t{8} << 30;  // eleven octal digits

struct Field {
  size_t at;
  size_t size;
};
constexpr Field kName{0, 100}, kMode{100, 8}, kOwner{108, 8}, kGroup{116, 8}, kSize{124, 12},
    kTime{136, 12}, kSum{148, 8}, kMagic{257, 8};
constexpr size_t kType = 156;
constexpr char kMagicText[] = "ustar\00000";

size_t filled_up(size_t bytes) { return (bytes + kBlock - 1) / kBlock * kBlock; }

// Octal digits up to the field's last byte, which stays zero.
void put_number(uint8_t* header, Field field, uint64_t value) {
  for (size_t i = field.size - 1; i-- > 0; value >>= 3)
    header[field.at + i] = static_cast<uint8_t>('0' + (value & 7));
}

std::optional<uint64_t> number_in(std::span<const uint8_t> header, Field field) {
  uint64_t value = 0;
  size_t i = field.at;
  const size_t end = field.at + field.size;
  while (i < end && header[i] == ' ') ++i;
  for (; i < end && header[i] != 0 && header[i] != ' '; ++i) {
    if (header[i] < '0' || header[i] > '7') return std::nullopt;
    value = value * 8 + (header[i] - '0');
  }
  return value;
}

// Of all bytes of the header, those of the sum itself counting as blanks.
uint64_t sum_of(std::span<const uint8_t> header) {
  uint64_t sum = 0;
  for (size_t i = 0; i < kBlock; ++i)
    sum += i >= kSum.at && i < kSum.at + kSum.size ? ' ' : header[i];
  return sum;
}

std::string text_in(std::span<const uint8_t> header, Field field) {
  const auto* text = reinterpret_cast<const char*>(header.data() + field.at);
  return {text, strnlen(text, field.size)};
}

void put_header(const TarFile& file, std::vector<uint8_t>* out) {
  BOHR_CHECK(file.name.size() <= kMostName && file.bytes.size() < kMostFileBytes);
  out->resize(out->size() + kBlock);
  uint8_t* header = out->data() + out->size() - kBlock;
  std::copy(file.name.begin(), file.name.end(), header + kName.at);
  put_number(header, kMode, 0600);
  for (const Field& field : {kOwner, kGroup, kTime}) put_number(header, field, 0);
  put_number(header, kSize, file.bytes.size());
  header[kType] = '0';
  std::memcpy(header + kMagic.at, kMagicText, kMagic.size);
  put_number(header, kSum, sum_of({header, kBlock}));
}

Error archive_damaged(const std::string& source, size_t at, const std::string& why) {
  return {"input-tar", source, "byte " + std::to_string(at) + " of the archive", why,
          "make the bundle again with bohr share, or copy it again"};
}

}  // namespace

bool is_tar(std::span<const uint8_t> bytes) {
  return bytes.size() >= kBlock && std::memcmp(bytes.data() + kMagic.at, "ustar", 5) == 0;
}

std::vector<uint8_t> write_tar(std::span<const TarFile> files) {
  std::vector<uint8_t> out;
  for (const TarFile& file : files) {
    put_header(file, &out);
    out.insert(out.end(), file.bytes.begin(), file.bytes.end());
    out.resize(filled_up(out.size()));
  }
  out.resize(out.size() + 2 * kBlock);
  return out;
}

Result<std::vector<TarFile>> read_tar(std::span<const uint8_t> bytes, const std::string& source) {
  std::vector<TarFile> files;
  for (size_t at = 0;;) {
    if (bytes.size() - at < kBlock) return archive_damaged(source, at, "it is cut off");
    const auto header = bytes.subspan(at, kBlock);
    if (std::all_of(header.begin(), header.end(), [](uint8_t byte) { return byte == 0; })) break;
    const auto sum = number_in(header, kSum);
    const auto size = number_in(header, kSize);
    if (!sum || *sum != sum_of(header))
      return archive_damaged(source, at, "a header's sum is wrong");
    if (!size) return archive_damaged(source, at, "a file's size is no octal number");
    at += kBlock;
    if (*size > bytes.size() - at || filled_up(*size) > bytes.size() - at)
      return archive_damaged(source, at, "a file is cut off");
    const auto body = bytes.subspan(at, *size);
    if (header[kType] == '0' || header[kType] == 0)
      files.push_back({text_in(header, kName), {body.begin(), body.end()}});
    at += filled_up(*size);
  }
  return files;
}

}  // namespace bohr::trace
