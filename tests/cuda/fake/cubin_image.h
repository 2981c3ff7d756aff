// SPDX-License-Identifier: Apache-2.0
// The parts of a cubin that say where the parameters of its kernels lie, and nothing else: an ELF
// file with a section .nv.info.NAME for each kernel.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

// One parameter behind the other, each at a multiple of 8.
using CubinKernels = std::vector<std::pair<std::string, std::vector<uint32_t>>>;

inline std::vector<uint8_t> cubin_image(const CubinKernels& kernels) {
  std::string names(1, '\0');
  std::vector<Elf64_Shdr> sections(1);
  std::vector<uint8_t> image(sizeof(Elf64_Ehdr));
  const auto add_section = [&](const std::string& name, uint32_t type, const std::string& bytes) {
    Elf64_Shdr section = {};
    section.sh_name = static_cast<uint32_t>(names.size());
    names += name + '\0';
    section.sh_type = type;
    section.sh_offset = image.size();
    section.sh_size = bytes.size();
    image.insert(image.end(), bytes.begin(), bytes.end());
    sections.push_back(section);
  };
  for (const auto& [name, sizes] : kernels) {
    std::string info;
    uint32_t offset = 0;
    for (uint32_t i = 0; i < sizes.size(); ++i) {
      // EIATTR_KPARAM_INFO, with a payload of 12 bytes: index, ordinal and offset, size.
      const uint32_t record[] = {0x000c1704, 0, i | offset << 16, sizes[i] << 18};
      info.append(reinterpret_cast<const char*>(record), sizeof record);
      offset += (sizes[i] + 7) / 8 * 8;
    }
    add_section(".nv.info." + name, 0x70000000, info);
  }
  names += ".shstrtab";
  names += '\0';
  const std::string copy = names;
  add_section("", SHT_STRTAB, copy);
  sections.back().sh_name = static_cast<uint32_t>(copy.size() - sizeof ".shstrtab");
  Elf64_Ehdr head = {};
  std::memcpy(head.e_ident, ELFMAG, SELFMAG);
  head.e_ident[EI_CLASS] = ELFCLASS64;
  head.e_machine = 190;  // EM_CUDA
  head.e_shoff = image.size();
  head.e_shentsize = sizeof(Elf64_Shdr);
  head.e_shnum = static_cast<uint16_t>(sections.size());
  head.e_shstrndx = static_cast<uint16_t>(sections.size() - 1);
  std::memcpy(image.data(), &head, sizeof head);
  const auto* bytes = reinterpret_cast<const uint8_t*>(sections.data());
  image.insert(image.end(), bytes, bytes + sections.size() * sizeof(Elf64_Shdr));
  return image;
}
