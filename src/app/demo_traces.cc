// SPDX-License-Identifier: Apache-2.0
// Files are NAME.race.bohr.zst and NAME.clean.bohr.zst.
#include "app/demo_traces.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "app/check_file.h"
#include "report/frames.h"

namespace bohr::app::demo {

namespace fs = std::filesystem;

namespace {

struct Known {
  const char* name;
  const char* mistake;
};
constexpr std::array<Known, 6> kKnown = {{
    {"missing_record_stream_captured",
     "PyTorch, in a graph: a tensor is dropped while a side stream still reads it."},
    {"missing_record_stream_eager", "PyTorch, eager: the same, without record_stream."},
    {"inplace_copy", "PyTorch: a buffer is overwritten in place while a side stream reads it."},
    {"pool_order", "PyTorch: two graphs share a pool and are replayed in another order."},
    {"event_reused", "CUDA: an event is recorded again before anybody waited for it."},
    {"missing_wait", "CUDA: a side stream is forked before its input is produced, not after."},
}};

std::string summary(const Cause& cause, const Finding& finding) {
  return fmt::format("{}: {} ({}), then {} ({}), on {}", cause.site,
                     report::short_name(finding.first.label), finding.first.where,
                     report::short_name(finding.second.label), finding.second.where,
                     finding.range.name);
}

Result<std::vector<std::string>> races_in(const std::string& path) {
  BOHR_TRY(checked, check_path(path, {}));
  std::vector<std::string> found;
  for (const Checked& one : checked) {
    for (const Cause& cause : one.verdict.causes) {
      if (cause.findings.empty() || cause.latent) continue;
      const auto first = static_cast<size_t>(cause.findings.front());
      found.push_back(summary(cause, one.verdict.findings[first]));
    }
  }
  return found;
}

}  // namespace

Result<std::vector<TracePair>> check_traces(const std::string& folder) {
  std::vector<TracePair> pairs;
  for (const Known& known : kKnown) {
    const std::string stem = folder + "/" + known.name;
    std::error_code error;
    if (folder.empty() || !fs::exists(stem + ".race.bohr.zst", error)) continue;
    BOHR_TRY(with_it, races_in(stem + ".race.bohr.zst"));
    BOHR_TRY(without_it, races_in(stem + ".clean.bohr.zst"));
    pairs.push_back({known.mistake, std::move(with_it), std::move(without_it)});
  }
  return pairs;
}

}  // namespace bohr::app::demo
