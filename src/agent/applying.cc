// SPDX-License-Identifier: Apache-2.0
// The driver is asked for the edges again after they were added, and the pairs are looked at in
// what it says.
#include "agent/applying.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "agent/environment.h"
#include "agent/files.h"
#include "agent/graph_edges.h"
#include "agent/graphs.h"
#include "agent/recorder.h"

namespace bohr::agent {
namespace {

constexpr size_t kMaxFile = size_t{64} << 20;
constexpr size_t kMaxWhys = 20;
constexpr int kRefused = 2;

void say(const std::string& text) {
  const std::string line = "bohr: " + text + "\n";
  if (write(STDERR_FILENO, line.data(), line.size()) < 0) {
    // Nowhere is left to say it.
  }
}

std::string words_of(const patch::Counts& counts) {
  return "applied in " + std::to_string(counts.applied) + ", not needed in " +
         std::to_string(counts.not_needed) + ", unresolved in " + std::to_string(counts.unresolved);
}

// Whole or not at all, for it is read while the program runs.
void write_counts(const Applying& a) {
  if (a.count_path.empty()) return;
  const std::string text = patch::to_text(a.counts);
  const std::string temporary = a.count_path + ".tmp";
  const int file =
      open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return;
  const bool whole = append(file, text);
  close(file);
  if (whole) std::rename(temporary.c_str(), a.count_path.c_str());
}

// The caller holds the mutex of `a`.
void not_resolved(Recorder& r, Applying& a, const std::string& why) {
  if (!a.refuse) {
    if (a.count_path.empty()) say(a.path + ": " + why);
    return;
  }
  a.counts.refused = why;
  write_counts(a);
  if (a.count_path.empty())
    say(a.path + ": " + why + "; refused (BOHR_UNRESOLVED=warn goes on unrepaired)");
  if (r.log) r.log->close(r.tick());
  _exit(kRefused);
}

// What the driver has now, whatever it said to what was asked.
bool read_again(Recorder& r, CUgraph graph, const std::vector<CUgraphNode>& handles,
                trace::Edges* edges) {
  trace::Edges now;
  now.graph = edges->graph;
  if (!read_edges(r, graph, handles, &now)) return false;
  *edges = std::move(now);
  return true;
}

}  // namespace

std::unique_ptr<Applying> make_applying(const std::string& count_path) {
  const char* path = std::getenv(kApplyVariable);
  if (!path || !*path) return nullptr;
  auto applying = std::make_unique<Applying>();
  applying->path = path;
  applying->count_path = count_path;
  const char* unresolved = std::getenv(kUnresolvedVariable);
  applying->refuse = !unresolved || std::strcmp(unresolved, "warn") != 0;
  const std::string text = read_file(path, kMaxFile);
  if (text.empty()) {
    say(std::string(path) +
        ": no fix file can be read there (write it again: bohr fix FILE --save)");
    _exit(kRefused);
  }
  auto file = patch::parse_fix_file(text, path);
  const Status usable = file.ok() ? patch::has_edge_form(file.value(), path) : Status(file.error());
  if (!usable.ok()) {
    say(to_string(usable.error()));
    _exit(kRefused);
  }
  applying->file = std::move(file).value();
  write_counts(*applying);
  return applying;
}

void apply_to(Recorder& r, CUgraph graph, bool inside, const std::vector<CUgraphNode>& handles,
              const patch::ChildGraph& read, trace::Edges* edges) {
  Applying* a = r.applying.get();
  if (!a) return;
  bool seen = false;
  if (!inside) {
    std::lock_guard lock(r.mutex);
    seen = std::exchange(r.graphs.templates[graph].matched, true);
  }
  const auto name_of = [&r](uint32_t number) { return function_name(r, number); };
  const patch::GraphView view{read.nodes, *edges, name_of, read.children};
  patch::Match match = patch::match(a->file, view);
  if (seen && match.need != patch::Need::needed) return;  // read again after other changes
  if (match.need == patch::Need::needed) {
    const bool added = add_edges(r.driver, graph, handles, match.edges, edges) &&
                       read_again(r, graph, handles, edges);
    if (!added || !patch::in_order(view, match.pairs))
      match = {patch::Need::unresolved, {}, {}, "the driver refused an edge"};
  }
  std::lock_guard lock(a->mutex);
  a->counts.of_fix += match.need != patch::Need::elsewhere;
  a->counts.applied += match.need == patch::Need::needed;
  a->counts.not_needed +=
      !inside && (match.need == patch::Need::not_needed || match.need == patch::Need::elsewhere);
  if (match.need == patch::Need::unresolved) {
    ++a->counts.unresolved;
    const std::string why =
        "a graph of " + std::to_string(read.nodes.size()) + " nodes is not repaired: " + match.why;
    if (a->counts.whys.size() < kMaxWhys) a->counts.whys.push_back(why);
    not_resolved(r, *a, why);
  }
  write_counts(*a);
}

void note_launch(Recorder& r) {
  Applying* a = r.applying.get();
  if (!a || a->launched.load(std::memory_order_acquire)) return;
  std::lock_guard lock(a->mutex);
  if (a->launched.load(std::memory_order_relaxed)) return;
  if (a->count_path.empty()) say(a->path + ": " + words_of(a->counts));
  if (a->counts.of_fix == 0)
    not_resolved(r, *a, "a graph is launched, and none of those that the fix is for was made");
  a->launched.store(true, std::memory_order_release);
}

void not_applied(Recorder& r, const std::string& why) {
  std::lock_guard lock(r.applying->mutex);
  r.applying->counts.whys.push_back(why);
  not_resolved(r, *r.applying, why);
  write_counts(*r.applying);
}

}  // namespace bohr::agent
