// SPDX-License-Identifier: Apache-2.0
#include "sim_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "check/check.h"
#include "trace/import.h"
#include "trace/log_reader.h"

namespace bohr::gpu::sim {

std::vector<uint32_t> Ran::words(Words buffer) const {
  std::vector<uint32_t> words(buffer.count);
  std::memcpy(words.data(), sim->arena().at(buffer.address), buffer.bytes());
  return words;
}

Ran run_program(const ProgramText& text, Options options) {
  trace::TempFolder folder;
  if (options.log.empty()) options.log = folder.file("log");
  Ran ran;
  auto sim = Sim::create(options);
  EXPECT_TRUE(sim.ok());
  ran.sim = std::move(sim).value();
  const Status status = text(*ran.sim);
  EXPECT_TRUE(status.ok()) << to_string(status.error());
  const Status finished = ran.sim->finish();
  EXPECT_TRUE(finished.ok()) << to_string(finished.error());
  ran.log = trace::file_bytes(options.log);
  auto log = trace::read_log(ran.log, "log");
  EXPECT_TRUE(log.ok());
  auto program = trace::import_log(log.value());
  EXPECT_TRUE(program.ok());
  ran.program = std::move(program).value();
  return ran;
}

Error error_of(const ProgramText& text, const Options& options) {
  auto sim = Sim::create(options);
  EXPECT_TRUE(sim.ok());
  const Status status = text(*sim.value());
  if (!status.ok()) return status.error();
  const Status finished = sim.value()->finish();
  EXPECT_FALSE(finished.ok()) << "the program ended without an error";
  return finished.ok() ? Error{} : finished.error();
}

Verdict verdict_of(const Ran& ran) {
  auto verdict = check::check(ran.program, {});
  EXPECT_TRUE(verdict.ok());
  return std::move(verdict).value();
}

namespace {

std::string plain(const std::string& label) { return label.substr(0, label.find('#')); }

}  // namespace

std::vector<std::string> findings_of(const Verdict& verdict) {
  std::vector<std::string> lines;
  for (const Finding& finding : verdict.findings)
    lines.push_back(std::string(to_string(finding.hazard)) + " " + plain(finding.first.label) +
                    " " + plain(finding.second.label) + " " + std::string(to_string(finding.cls)));
  std::sort(lines.begin(), lines.end());
  return lines;
}

Result<Words> device_words(Runtime& gpu, Stream stream, uint64_t count, const std::string& name) {
  BOHR_TRY(address, gpu.alloc(count * sizeof(uint32_t), stream, name));
  return Words{address, count};
}

Result<Words> host_words(Runtime& gpu, HostMemory kind, uint64_t count, const std::string& name) {
  BOHR_TRY(address, gpu.alloc_host(count * sizeof(uint32_t), kind, name));
  return Words{address, count};
}

Status put_words(Runtime& gpu, Words buffer, uint32_t first) {
  std::vector<uint8_t> bytes(buffer.bytes());
  for (uint64_t i = 0; i < buffer.count; ++i) {
    const uint32_t word = first + static_cast<uint32_t>(i);
    std::memcpy(bytes.data() + i * sizeof word, &word, sizeof word);
  }
  return gpu.host_write(buffer.address, bytes);
}

}  // namespace bohr::gpu::sim
