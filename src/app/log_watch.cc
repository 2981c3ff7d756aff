// SPDX-License-Identifier: Apache-2.0
// Skips from frame to frame and looks at their kinds alone. It need not be exact: what it says is
// only when to read a log properly.
#include "app/log_watch.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "app/run_dir.h"
#include "trace/writer/framing.h"
#include "trace/writer/records.h"

namespace bohr::app {

namespace {

constexpr size_t kChunk = size_t{1} << 20;
constexpr size_t kMostPerPoll = 256;  // chunks; a log that grows faster is caught up with later

// Steps through the whole frames in `bytes`; returns how many bytes they and the next frame's
// known length take.
uint64_t count_graphs(const std::vector<uint8_t>& bytes, int64_t* graphs) {
  uint64_t at = 0;
  while (at + trace::kFrameHeadSize < bytes.size()) {
    const uint32_t size = trace::load_u32(bytes.data() + at);
    if (size == 0 || size > trace::kMaxPayload) return at;
    const uint8_t kind = bytes[at + trace::kFrameHeadSize];  // kinds below 128 take one byte
    *graphs += kind == static_cast<uint8_t>(trace::Kind::graph) ? 1 : 0;
    at += trace::frame_size(size);
  }
  return at;
}

}  // namespace

int64_t LogWatch::poll() {
  int64_t graphs = 0;
  for (const ProcessFiles& files : processes_in(dir_)) {
    if (files.log.empty()) continue;
    const auto at = offsets_.try_emplace(files.log, trace::kLogHeadSize).first;
    graphs += read_on(files.log, &at->second);
  }
  return graphs;
}

int64_t LogWatch::read_on(const std::string& path, uint64_t* offset) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  int64_t graphs = 0;
  for (size_t chunk = 0; chunk < kMostPerPoll; ++chunk) {
    std::vector<uint8_t> bytes(kChunk);
    const ssize_t got = pread(fd, bytes.data(), bytes.size(), static_cast<off_t>(*offset));
    if (got <= 0) break;
    bytes.resize(static_cast<size_t>(got));
    const uint64_t taken = count_graphs(bytes, &graphs);
    if (taken == 0) break;
    *offset += taken;
  }
  close(fd);
  return graphs;
}

}  // namespace bohr::app
