// SPDX-License-Identifier: Apache-2.0
// Gathers what several records say: process, device, framework and provenance.
#include "trace/import_provenance.h"

#include <algorithm>
#include <array>

namespace bohr::trace {

namespace {

constexpr size_t kMostNames = 1000;  // a log that anybody made may hold any number

class Gathering {
 public:
  Gathering(const Log& log, const LogIndex& index) : log_(log), index_(index) {}

  std::vector<bohr::Provenance> run() {
    if (index_.process != nullptr) add_process(*index_.process);
    for (const Device* device : index_.devices)
      put("GPU " + std::to_string(device->device), text(device->name));
    for (const Framework* framework : index_.frameworks) add_framework(*framework);
    for (const ProvenanceKind kind : {ProvenanceKind::package, ProvenanceKind::library,
                                      ProvenanceKind::variable, ProvenanceKind::option}) {
      for (const Provenance* one : index_.provenance) {
        if (one->what == kind) put(text(one->name), text(one->value));
      }
    }
    return std::move(list_);
  }

 private:
  std::string text(Text text) const {
    return text.id < log_.strings.size() ? log_.strings[text.id] : std::string();
  }

  static std::string version(uint32_t cuda) {
    return std::to_string(cuda / 1000) + "." + std::to_string(cuda % 1000 / 10);
  }

  void add_process(const Process& process) {
    put("program", text(process.command));
    put("driver", text(process.driver_text));
    if (process.driver != 0) put("CUDA of the driver", version(process.driver));
    put("recorder", text(process.recorder));
  }

  void add_framework(const Framework& framework) {
    const std::string name = text(framework.name);
    put(name, text(framework.version));
    put(name + " allocator", text(framework.allocator));
    put(name + " allocator settings", text(framework.settings));
  }

  void put(const std::string& name, const std::string& value) {
    if (name.empty() || value.empty()) return;
    const auto same = std::ranges::find(list_, name, &bohr::Provenance::name);
    if (same != list_.end())
      same->value = value;
    else if (list_.size() < kMostNames)
      list_.push_back({name, value});
  }

  const Log& log_;
  const LogIndex& index_;
  std::vector<bohr::Provenance> list_;
};

}  // namespace

std::vector<bohr::Provenance> provenance_of(const Log& log, const LogIndex& index) {
  return Gathering(log, index).run();
}

}  // namespace bohr::trace
