// SPDX-License-Identifier: Apache-2.0
// A cubin is an ELF file. Its section .nv.info.NAME is a list of records: a format, an attribute
// and 16 bits, which with format 4 are the size of a payload. Two attributes tell one parameter
// each: its number, its offset and its size.
#include "agent/cubin.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace bohr::agent {
namespace {

constexpr uint32_t kFatbinWrapper = 0x466243b1;
constexpr uint32_t kFatbin = 0xba55ed50;
constexpr size_t kMostBytes = size_t{1} << 30;
constexpr std::string_view kInfo = ".nv.info.";
constexpr uint8_t kSized = 4;          // EIFMT_SVAL
constexpr uint8_t kParameter = 0x17;   // EIATTR_KPARAM_INFO
constexpr uint8_t kParameter2 = 0x45;  // the same, where one parameter takes 16 KiB or more
constexpr size_t kMostParameters = 4096;

using Image = std::span<const uint8_t>;

template <class T>
bool read(Image image, uint64_t at, T* out) {
  if (at > image.size() || image.size() - at < sizeof(T)) return false;
  std::memcpy(out, image.data() + at, sizeof(T));
  return true;
}

Image part(Image image, uint64_t at, uint64_t bytes) {
  if (at > image.size() || image.size() - at < bytes) return {};
  return image.subspan(at, bytes);
}

std::string_view text_at(Image texts, uint64_t at) {
  if (at >= texts.size()) return {};
  const auto* begin = reinterpret_cast<const char*>(texts.data()) + at;
  return {begin, strnlen(begin, texts.size() - at)};
}

struct Parameter {
  uint16_t ordinal = 0;
  uint16_t offset = 0;
  uint32_t size = 0;
};

std::vector<Parameter> parameters_of(Image info) {
  std::vector<Parameter> found;
  uint64_t at = 0;
  for (uint8_t head[4]; read(info, at, &head); at += sizeof head) {
    const uint64_t payload = at + sizeof head;
    const uint64_t bytes = head[0] == kSized ? head[2] | uint64_t{head[3]} << 8 : 0;
    at += bytes;
    const bool parameter = head[1] == kParameter || head[1] == kParameter2;
    if (head[0] != kSized || !parameter || bytes < 12) continue;
    Parameter next;
    if (!read(info, payload + 4, &next.ordinal) || !read(info, payload + 6, &next.offset) ||
        !read(info, payload + 8, &next.size))
      return {};
    if (head[1] == kParameter) next.size >>= 18;
    found.push_back(next);
    if (found.size() > kMostParameters) return {};
  }
  std::sort(found.begin(), found.end(),
            [](const Parameter& a, const Parameter& b) { return a.ordinal < b.ordinal; });
  for (size_t i = 0; i < found.size(); ++i)
    if (found[i].ordinal != i) return {};
  return found;
}

}  // namespace

std::optional<CodeImage> code_image(const void* image) {
  if (!image) return std::nullopt;
  uint32_t magic = 0;
  std::memcpy(&magic, image, sizeof magic);
  if (magic == kFatbinWrapper) {
    std::memcpy(&image, static_cast<const uint8_t*>(image) + 8, sizeof image);
    std::memcpy(&magic, image, sizeof magic);
  }
  CodeImage found;
  found.begin = static_cast<const uint8_t*>(image);
  if (magic == kFatbin) {  // magic, version and size of the head in 16 bits each, size of the rest
    uint16_t head = 0;
    uint64_t rest = 0;
    std::memcpy(&head, found.begin + 6, sizeof head);
    std::memcpy(&rest, found.begin + 8, sizeof rest);
    found.bytes = head + std::min<uint64_t>(rest, kMostBytes);
  } else if (std::memcmp(image, ELFMAG, SELFMAG) == 0) {
    Elf64_Ehdr head;
    std::memcpy(&head, image, sizeof head);
    uint64_t end = head.e_shoff + uint64_t{head.e_shnum} * head.e_shentsize;
    if (head.e_phnum) end = std::max(end, head.e_phoff + uint64_t{head.e_phnum} * head.e_phentsize);
    for (uint64_t i = 0; i < head.e_shnum; ++i) {
      Elf64_Shdr section;
      std::memcpy(&section, found.begin + head.e_shoff + i * head.e_shentsize, sizeof section);
      if (section.sh_type != SHT_NOBITS) end = std::max(end, section.sh_offset + section.sh_size);
    }
    found.bytes = std::min<uint64_t>(kMostBytes, end);
    found.cubin = true;
  } else {
    return std::nullopt;
  }
  return found;
}

std::vector<CubinKernel> kernels_of_cubin(Image image) {
  std::vector<CubinKernel> kernels;
  Elf64_Ehdr head;
  if (!read(image, 0, &head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) return kernels;
  if (head.e_shentsize < sizeof(Elf64_Shdr)) return kernels;
  const auto section = [&](uint64_t i, Elf64_Shdr* out) {
    return head.e_shoff <= image.size() && read(image, head.e_shoff + i * head.e_shentsize, out);
  };
  Elf64_Shdr names;
  if (!section(head.e_shstrndx, &names)) return kernels;
  const Image texts = part(image, names.sh_offset, names.sh_size);
  for (uint64_t i = 0; i < head.e_shnum; ++i) {
    Elf64_Shdr info;
    if (!section(i, &info)) return {};
    const std::string_view name = text_at(texts, info.sh_name);
    if (!name.starts_with(kInfo) || name.size() == kInfo.size()) continue;
    CubinKernel kernel;
    kernel.name = name.substr(kInfo.size());
    for (const Parameter& one : parameters_of(part(image, info.sh_offset, info.sh_size))) {
      kernel.offsets.push_back(one.offset);
      kernel.sizes.push_back(one.size);
    }
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

}  // namespace bohr::agent
