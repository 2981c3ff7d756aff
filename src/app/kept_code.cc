// SPDX-License-Identifier: Apache-2.0
// cuobjdump reads both cubins and fat binaries, and needs nvdisasm beside it; nvdisasm alone reads
// cubins. They are looked for on PATH, then in the toolkit's folders. Listings of code that is the
// same for many kernels are long, so only those functions are asked for that a programmatic edge
// leads to or from.
#include "app/kept_code.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "agent/environment.h"
#include "app/ask_program.h"
#include "trace/import.h"

namespace bohr::app {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kImagePatience{60};  // with one image
constexpr size_t kMostImages = 1000;

std::string folder_of(const trace::Log& log) {
  const std::string_view suffix = agent::kLogSuffix;
  if (!log.source.ends_with(suffix)) return {};
  return log.source.substr(0, log.source.size() - suffix.size()) + agent::kCodeSuffix;
}

std::vector<std::string> images_in(const std::string& folder) {
  std::vector<std::string> images;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    if (entry.is_regular_file(error) && images.size() < kMostImages) images.push_back(entry.path());
  std::sort(images.begin(), images.end());
  return images;
}

// Mangled names of the kernels at both ends of programmatic edges.
std::set<std::string> functions_in_question(const trace::Log& log) {
  std::set<std::pair<uint32_t, uint64_t>> nodes;
  for (const trace::Record& record : log.records) {
    const auto* edges = std::get_if<trace::Edges>(&record);
    for (size_t i = 0; edges && i < edges->types.size(); ++i)
      if ((edges->types[i] & 0xff) == 1)
        nodes.insert({edges->graph, edges->from[i]}), nodes.insert({edges->graph, edges->to[i]});
  }
  std::set<uint32_t> functions;
  for (const trace::Record& record : log.records)
    if (const auto* node = std::get_if<trace::Node>(&record))
      if (nodes.contains({node->graph, node->index})) functions.insert(node->function);
  std::set<std::string> names;
  for (const trace::Record& record : log.records)
    if (const auto* function = std::get_if<trace::Function>(&record))
      if (functions.contains(function->function)) names.insert(log.strings[function->name.id]);
  names.erase("");
  return names;
}

// On PATH, then in the toolkit's folders; or nothing.
std::string find_tool(const std::string& name) {
  std::string tool = find_program(name);
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* root = std::getenv(variable); root && tool.empty())
      tool = find_program(std::string(root) + "/bin/" + name);
  return tool.empty() ? find_program("/usr/local/cuda/bin/" + name) : tool;
}

std::string joined(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

struct Looked {
  trace::GridCodes codes;
  std::string note;  // why not all was looked at
};

Looked look(const std::vector<std::string>& images, const std::set<std::string>& names) {
  Looked looked;
  const std::string cuobjdump = find_tool("cuobjdump"), nvdisasm = find_tool("nvdisasm");
  if (nvdisasm.empty()) {
    looked.note =
        "machine code was kept, and there is no nvdisasm to read it: install the CUDA "
        "toolkit's cuobjdump and nvdisasm, or put them on PATH, and check again";
    return looked;
  }
  for (const std::string& image : images) {
    const std::vector<std::string> command =
        cuobjdump.empty()
            ? std::vector<std::string>{nvdisasm, image}
            : std::vector<std::string>{cuobjdump, "-sass", "-fun", joined(names), image};
    std::map<std::string, std::string> variables;
    const char* path = std::getenv("PATH");
    variables["PATH"] =
        fs::path(nvdisasm).parent_path().string() + (path ? ":" + std::string(path) : "");
    const Said said = ask_program(command, variables, kImagePatience);
    if (!said.in_time) looked.note = "machine code was not read within a minute";
    for (const auto& [name, code] : trace::read_machine_code(said.text)) {
      if (!names.contains(name)) continue;
      const auto [at, is_new] = looked.codes.try_emplace(name, code);
      if (!is_new && at->second != code) at->second = {};
    }
  }
  return looked;
}

}  // namespace

Result<Program> import_with_code(const trace::Log& log) {
  const std::string folder = folder_of(log);
  const std::vector<std::string> images =
      folder.empty() ? std::vector<std::string>() : images_in(folder);
  const std::set<std::string> names =
      images.empty() ? std::set<std::string>() : functions_in_question(log);
  const Looked looked = names.empty() ? Looked() : look(images, names);
  BOHR_TRY(program, trace::import_log(log, looked.codes));
  if (!looked.note.empty()) {
    Diagnostic note;
    note.reason = "note";
    note.text = looked.note;
    program.diagnostics.push_back(std::move(note));
  }
  return std::move(program);
}

}  // namespace bohr::app
