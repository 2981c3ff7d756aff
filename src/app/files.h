// SPDX-License-Identifier: Apache-2.0
// Small files, whole or not at all.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace bohr::app {

Result<std::string> read_text(const std::string& path);

// Writes `path` (mode 0600) by way of a temporary name beside it, so that it is never half there.
Status write_file(const std::string& path, std::string_view text);

// What is behind the last slash.
std::string base_name(const std::string& path);

bool is_directory(const std::string& path);

// `path`, or the current folder where it is empty, from the root on.
std::string absolute_folder(const std::string& path);

// `word` as one word of a POSIX shell.
std::string shell_word(std::string_view word);

}  // namespace bohr::app
