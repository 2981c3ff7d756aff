// SPDX-License-Identifier: Apache-2.0
// Reads and writes with the system's own words for what goes wrong.
#include "app/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace bohr::app {

namespace {

Error write_error(const std::string& path, int code) {
  return {"file-write", "cannot write", path, std::strerror(code),
          code == ENOSPC ? "free some space or choose another folder with -o"
                         : "choose a folder that can be written to with -o"};
}

int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t done = write(fd, text.data(), text.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return errno;
    text.remove_prefix(static_cast<size_t>(done));
  }
  return 0;
}

}  // namespace

Result<std::string> read_text(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Error{"file-read", "cannot read", path, std::strerror(errno), ""};
  std::string text;
  char buffer[1 << 16];
  ssize_t got = 0;
  while ((got = read(fd, buffer, sizeof buffer)) > 0) text.append(buffer, static_cast<size_t>(got));
  const int code = errno;
  close(fd);
  if (got < 0) return Error{"file-read", "cannot read", path, std::strerror(code), ""};
  return text;
}

Status write_file(const std::string& path, std::string_view text) {
  const std::string temporary = path + ".part";
  const int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return write_error(path, errno);
  int code = write_all(fd, text);
  if (close(fd) != 0 && code == 0) code = errno;
  if (code == 0 && rename(temporary.c_str(), path.c_str()) != 0) code = errno;
  if (code == 0) return Nothing{};
  unlink(temporary.c_str());
  return write_error(path, code);
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

bool is_directory(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

std::string absolute_folder(const std::string& path) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(path.empty() ? "." : path, error);
  return error ? path : whole.lexically_normal().string();
}

std::string shell_word(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=+:,@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(word);
  }
  std::string quoted = "'";
  for (char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

}  // namespace bohr::app
