// SPDX-License-Identifier: Apache-2.0
// Small files, by the oldest system calls: streams of newer C++ libraries ask for a newer libc.
#pragma once

#include <cstddef>
#include <string>

namespace bohr::agent {

// The bytes of a file; empty where it cannot be read or has more than `limit`.
std::string read_file(const std::string& path, size_t limit);

// Appends to an open file. False where that cannot be whole: on a full disk, or beyond the
// process's limit for files, where writing would raise SIGXFSZ, which ends programs.
bool append(int file, const std::string& bytes);

bool file_exists(const std::string& path);

}  // namespace bohr::agent
