// SPDX-License-Identifier: Apache-2.0
// One run is: restore, contents, then step by step: issue it, pin it, look at it. Nothing waits for
// the device unless something has to be looked at before the next step. A run that nothing has to
// be done between is one graph.
#include "replay/cuda/replayer.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "replay/cuda/chain.h"
#include "replay/cuda/guard.h"
#include "replay/cuda/large_blocks.h"
#include "replay/cuda/moved_work.h"
#include "replay/cuda/observed.h"
#include "replay/cuda/silent_writes.h"
#include "replay/cuda/variant.h"
#include "replay/moves.h"
#include "replay/schedule.h"

namespace bohr::replay::cuda {

namespace {

constexpr int32_t kContents = 2;  // what stands there, and zeros where that can do no harm
// So many steps are issued before they are waited for: a launch into a full queue would wait
// itself, and for ever where a kernel does.
constexpr size_t kMostIssued = 200;

class CudaReplayer : public Replayer {
 public:
  CudaReplayer(const Driver& driver, Launch launch)
      : driver_(driver), launch_(std::move(launch)), steps_(steps_of(launch_.program)) {}
  ~CudaReplayer() override {
    static_cast<void>(CudaReplayer::release());
    if (device_ && device_->lost()) abandon();
  }

  Status begin() {
    BOHR_TRY_STATUS(refuse_what_cannot_run());
    for (const PlanStep& step : launch_.plan.steps) named_.push_back(step.named);
    watched_ = merged(launch_.plan.watched);
    BOHR_TRY(device, Device::create(driver_, launch_.longest));
    device_ = std::move(device);
    return Nothing{};
  }

  const Program& program() const override { return launch_.program; }
  std::span<const Step> steps() const override { return steps_; }
  std::span<const ByteRange> written(int32_t step) const override {
    return written_[static_cast<size_t>(step)];
  }

  Result<Saved> learn() override {
    Ranges all;
    for (const Ranges& named : named_) all.insert(all.end(), named.begin(), named.end());
    BOHR_TRY_STATUS(add_destinations(&all));
    BOHR_TRY_STATUS(add_watched(&all));
    Allocations allocations = allocations_of(driver_, all);
    if (!allocations.large.empty() && !own_launch_seen_) {
      BOHR_TRY(large, LargeBlocks::of(device_.get(), std::move(allocations.large)));
      large_ = std::move(large);
      return Error{"explore-observe", launch_.program.source, "",
                   "large blocks are to be observed over a launch of the program's own",
                   "pause, and resume at the next launch"};
    }
    readable_ = allocations.whole;
    readable_.insert(readable_.end(), large_.blocks().begin(), large_.blocks().end());
    std::sort(readable_.begin(), readable_.end());
    Ranges saved = std::move(allocations.whole);
    Ranges unseen = add_watched_pages(saved);
    saved.insert(saved.end(), large_pages_.begin(), large_pages_.end());
    std::sort(saved.begin(), saved.end());
    BOHR_TRY(guard, Guard::of(device_.get(), std::move(saved)));
    guard_ = std::move(guard);
    BOHR_TRY_STATUS(large_.settle());
    BOHR_TRY_STATUS(guard_->save());
    BOHR_TRY(digest, guard_->digest());
    saved_ = {guard_->bytes(), digest, kContents, std::move(unseen)};
    own_digest_ = digest;
    if (const Status quiet = nobody_else_writes(); !quiet.ok()) {
      guard_->drop();  // nothing was run, so there is nothing to put back
      return quiet.error();
    }
    const Status observed = observe_writes();
    if (!observed.ok() && device_->lost()) return observed.error();
    BOHR_TRY_STATUS(guard_->restore_all());
    BOHR_TRY_STATUS(verify(saved_.digest));
    if (!observed.ok()) return observed.error();
    BOHR_TRY_STATUS(guard_->note_written(all_changed_));
    return saved_;
  }

  Result<Outcome> run(const Request& request) override {
    BOHR_TRY_STATUS(still_there());
    BOHR_TRY_STATUS(put_back());
    BOHR_TRY_STATUS(check_request(*this, request, [this](int32_t step) { return bytes_of(step); }));
    BOHR_TRY_STATUS(use_moves(request.moved));
    if (!std::equal(request.ignored.begin(), request.ignored.end(), ignored_.begin(),
                    ignored_.end()))
      BOHR_TRY_STATUS(upload_written({request.ignored.begin(), request.ignored.end()}));
    BOHR_TRY_STATUS(put_contents(request.contents));
    const bool as_graph = !request.stepwise && request.pins.empty();
    auto outcome = as_graph ? run_as_graph(request) : run_order(request);
    if (device_->lost()) return outcome;
    if (outcome.ok())
      if (const Status whole = large_blocks_are_whole(); !whole.ok()) outcome = whole.error();
    BOHR_TRY_STATUS(look_at_rest());
    if (!outcome.ok()) BOHR_TRY_STATUS(put_back());
    return outcome;
  }

  Result<Outcome> run_unforced(uint64_t) override {
    BOHR_TRY_STATUS(still_there());
    if (launch_.exec == nullptr) {
      return Error{"no-own-run", launch_.program.source, "", "there is no instantiated graph",
                   "run orders of steps"};
    }
    BOHR_TRY_STATUS(put_back());
    BOHR_TRY_STATUS(device_->check(driver_.cuGraphLaunch(launch_.exec, device_->stream()),
                                   "launching the program's own graph"));
    return own_run_done();
  }

  Result<Outcome> run_variant(const Variant& variant) override {
    BOHR_TRY_STATUS(still_there());
    BOHR_TRY_STATUS(check_variants(*this, {&variant, 1}));
    BOHR_TRY_STATUS(put_back());
    BOHR_TRY_STATUS(use_moves(variant.moved));
    BOHR_TRY(graph, variant_graph(device_.get(), {work(), launch_.nodes, launch_.plan.steps},
                                  variant, launch_.flags));
    BOHR_TRY_STATUS(graph->launch());
    return own_run_done();
  }

  Result<Timings> time(std::span<const Variant> variants, int32_t rounds) override {
    BOHR_TRY_STATUS(still_there());
    BOHR_TRY_STATUS(check_variants(*this, variants));
    TimingNeeds needs;
    needs.put_back = [this] { return put_back(); };
    needs.issue_step = [this](int32_t step) { return issue_step(step); };
    needs.most = launch_.slice;
    needs.flags = launch_.flags;
    const StepNodes nodes{*launch_.work, launch_.nodes, launch_.plan.steps};
    auto timings = timings_of(device_.get(), nodes, variants, rounds, needs);
    if (device_->lost()) return timings;
    if (timings.ok())
      if (const Status whole = large_blocks_are_whole(); !whole.ok()) timings = whole.error();
    BOHR_TRY_STATUS(restore());
    return timings;
  }

  Status restore() override {
    BOHR_TRY_STATUS(still_there());
    BOHR_TRY_STATUS(look_at_rest());
    BOHR_TRY_STATUS(put_back());
    return verify(saved_.digest);
  }

  Status pause() override {
    if (!guard_ && !large_.empty()) return Nothing{};  // observing: nothing was changed
    BOHR_TRY_STATUS(still_there());
    if (!foreign_) static_cast<void>(look_at_rest());
    BOHR_TRY_STATUS(guard_->has_own() ? guard_->put_back_own() : put_back());
    if (!foreign_) BOHR_TRY_STATUS(verify(own_digest_));
    paused_ = true;
    return device_->wait();
  }

  Status resume() override {
    // Looked at before anything else: a digest of freed memory would end the context.
    if (!large_.still_there() || (guard_ && !guard_->still_there())) {
      return Error{"memory-changed", launch_.program.source, "",
                   "memory that the launch uses was freed or handed out anew meanwhile",
                   "explore it in one piece: a longer --max-pause"};
    }
    if (!guard_ && !large_.empty()) return note_own_launch();
    BOHR_TRY_STATUS(still_there());
    BOHR_TRY_STATUS(large_blocks_are_whole());
    BOHR_TRY_STATUS(guard_->keep_own());
    BOHR_TRY(digest, guard_->digest());
    own_digest_ = digest;
    paused_ = false;
    BOHR_TRY_STATUS(nobody_else_writes());
    return guard_->restore_all();
  }

  Status release() override {
    if (!guard_ || !guard_->holds_saved() || device_->lost()) return Nothing{};
    // While it is paused its memory is the program's, which has gone on with it.
    Status restored = paused_ ? Status(Nothing{}) : pause();
    guard_->drop();
    moved_.reset();
    lists_.buffer.reset();
    slots_.reset();
    return restored;
  }

  Result<std::vector<uint64_t>> digest(std::span<const ByteRange> ranges) override {
    Ranges there, moved;
    for (const ByteRange& range : ranges) {
      BOHR_TRY_STATUS(in_memory(range));
      const auto real = real_place(range);
      if (real)
        moved.push_back(*real);
      else
        there.push_back(range);
    }
    BOHR_TRY(digests, guard_->digests(there));
    if (moved.empty()) return digests;
    BOHR_TRY(others, digests_of_moved(moved));
    std::vector<uint64_t> all;
    auto next = digests.begin(), next_moved = others.begin();
    for (const ByteRange& range : ranges)
      all.push_back(real_place(range) ? *next_moved++ : *next++);
    return all;
  }

  OwnMemory own_memory() const override { return Buffer::most(); }

  Result<Bytes> fetch(ByteRange range) override {
    BOHR_TRY_STATUS(in_memory(range));
    const ByteRange real = real_place(range).value_or(range);
    return fetch_real({&real, 1});
  }

 private:
  // --- refusals ---

  Status refuse_what_cannot_run() const {
    for (const int32_t node : launch_.nodes) {
      const bool known = node >= 0 && static_cast<size_t>(node) < launch_.work->nodes.size();
      const std::string reason =
          known ? launch_.work->nodes[static_cast<size_t>(node)].refusal : "unreadable-node";
      if (reason.empty()) continue;
      return Error{reason, launch_.program.source, "node " + std::to_string(node),
                   "this node cannot be run by itself", "explore a graph without such nodes"};
    }
    if (launch_.nodes.size() == steps_.size() && launch_.plan.steps.size() == steps_.size())
      return Nothing{};
    return Error{"replay-request", launch_.program.source, "",
                 "a node and a plan are needed for each step of the launch",
                 "this is a bug in whoever asked"};
  }

  Status still_there() const {
    if (device_->lost()) {
      return Error{"process-lost", launch_.program.source, "",
                   "an earlier order ended the program's context", "start the program again"};
    }
    if (guard_ && guard_->holds_saved()) return Nothing{};
    return Error{"replay-request", launch_.program.source, "", "nothing is saved",
                 "call learn() first"};
  }

  // To give memory back would wait for what hangs. The process is lost, and this with it.
  void abandon() {
    struct Kept {
      SpanList lists;
      Buffer slots;
      LargeBlocks large;
      std::unique_ptr<MovedWork> moved;
    };
    static_cast<void>(
        new Kept{std::move(lists_), std::move(slots_), std::move(large_), std::move(moved_)});
    static_cast<void>(guard_.release());
    static_cast<void>(device_.release());
  }

  Status note_own_launch() {
    BOHR_TRY(pages, large_.changed());
    large_pages_ = std::move(pages);
    own_launch_seen_ = true;
    return Nothing{};
  }

  // Pages beside those that are saved cannot be put back.
  Status large_blocks_are_whole() {
    BOHR_TRY(changed, large_.changed());
    const Ranges strange = without(changed, large_pages_);
    if (strange.empty()) return Nothing{};
    return Error{"foreign-writer", launch_.program.source, "",
                 std::to_string(strange.size()) +
                     " pieces of a large block changed that the program's launches do not write",
                 "leave enough memory free to save the block whole, or stop what shares it"};
  }

  Status verify(uint64_t expected) {
    BOHR_TRY(digest, guard_->digest());
    if (digest == expected) return Nothing{};
    return foreign("memory did not become what was saved: something else writes it meanwhile");
  }

  Error foreign(const std::string& what) {
    foreign_ = true;
    return {"foreign-writer", launch_.program.source, "", what,
            "stop what shares this memory (another process, RDMA), or explore another graph"};
  }

  Status nobody_else_writes() {
    BOHR_TRY(changes, guard_->changes_by_itself());
    if (!changes) return Nothing{};
    return foreign("memory changes while nothing runs: something else writes it");
  }

  // An order in which a step reads garbage may write where no step was seen to: that is put back
  // before the next one. What changes although nothing runs is somebody else's, and stays.
  Status look_at_rest() {
    BOHR_TRY(saved, guard_->rest_is_saved());
    if (saved) return Nothing{};
    BOHR_TRY_STATUS(nobody_else_writes());
    strayed_ = true;
    return Nothing{};
  }

  Status put_back() {
    const bool all = std::exchange(strayed_, false);
    return all ? guard_->restore_all() : guard_->restore();
  }

  bool is_readable(const ByteRange& range) const {
    return std::any_of(readable_.begin(), readable_.end(),
                       [&](const ByteRange& one) { return one.contains(range); });
  }

  Status in_memory(const ByteRange& range) const {
    if (real_place(range)) return Nothing{};
    if (is_readable(range) || (guard_ && guard_->contains(range))) return Nothing{};
    return Error{"replay-range", launch_.program.source, "", "no step names memory in this range",
                 "take ranges from what the launch accesses"};
  }

  // --- learning ---

  // Copies and sets write what they say, whether the program names it or not. What the driver does
  // not know (arrays, memory of the host that is not pinned) could not be put back.
  Status add_destinations(Ranges* all) const {
    for (const int32_t node : launch_.nodes) {
      const NodeWork& work = launch_.work->nodes[static_cast<size_t>(node)];
      if (work.type != CU_GRAPH_NODE_TYPE_MEMCPY && work.type != CU_GRAPH_NODE_TYPE_MEMSET)
        continue;
      const ByteRange range = destination_of(work);
      if (range.empty() || !is_known(driver_, range)) {
        return Error{"unguarded-memory", launch_.program.source, "node " + std::to_string(node),
                     "it writes memory that cannot be saved: an array, or pageable memory",
                     "explore a graph that writes device or pinned memory"};
      }
      all->push_back(range);
    }
    return Nothing{};
  }

  // What is watched is saved and looked at like what steps name. It may come from people, so it is
  // looked at here whether our kernels can read it: of another device, or of nobody, they cannot.
  Status add_watched(Ranges* all) const {
    for (const ByteRange& range : launch_.plan.watched) {
      if (!range.empty() && is_known(driver_, range) && is_of_this_device(driver_, range)) {
        all->push_back(range);
        continue;
      }
      return Error{"watch-memory", launch_.program.source, address_text(range),
                   "it is to be watched, and this device has no memory there",
                   "watch memory that is allocated when the launch is held"};
    }
    return Nothing{};
  }

  // Of blocks that are too large to be saved whole the pages with watched bytes are saved as well,
  // where there is room beside all others. Returns those that there is none for.
  Ranges add_watched_pages(const Ranges& whole) {
    Ranges pages = large_pages_;
    for (const ByteRange& block : large_.blocks())
      for (const ByteRange& range : watched_)
        if (range.overlaps(block)) pages.push_back(pages_around(block.intersection(range), block));
    pages = merged(std::move(pages));
    Ranges all = whole;
    all.insert(all.end(), pages.begin(), pages.end());
    if (!fits_twice(driver_, all)) return without(pages, large_pages_);
    large_pages_ = cut_at_blocks(pages, large_.blocks());
    return {};
  }

  Status observe_writes() {
    std::vector<Ranges> changed(steps_.size());
    BOHR_TRY_STATUS(observe_once({}, &changed));
    BOHR_TRY(silent, silent_writes(guard_.get(), launch_.plan.steps, changed,
                                   [this](int32_t step) { return issue_step(step); }));
    for (size_t i = 0; i < silent.size(); ++i)
      changed[i].insert(changed[i].end(), silent[i].begin(), silent[i].end());
    Ranges blank = launch_.plan.blank;
    for (const Ranges& ranges : changed) blank.insert(blank.end(), ranges.begin(), ranges.end());
    BOHR_TRY_STATUS(observe_once(merged(std::move(blank)), &changed));
    guard_->unwatch();
    for (size_t i = 0; i < changed.size(); ++i) {
      for (const ByteRange& range : launch_.plan.steps[i].writes)
        if (guard_->contains(range)) changed[i].push_back(range);
      changed[i] = merged(std::move(changed[i]));
    }
    all_changed_.clear();
    for (const Ranges& ranges : changed)
      all_changed_.insert(all_changed_.end(), ranges.begin(), ranges.end());
    written_ = written_by(changed, named_);
    for (const Ranges& ranges : written_)
      all_changed_.insert(all_changed_.end(), ranges.begin(), ranges.end());
    return upload_written({});
  }

  Status observe_once(const Ranges& blank, std::vector<Ranges>* changed) {
    BOHR_TRY_STATUS(guard_->restore_all());
    for (const ByteRange& range : blank) {
      BOHR_TRY(pointers, guard_->holds_addresses(range));
      if (!pointers) BOHR_TRY_STATUS(guard_->clear(range));
    }
    BOHR_TRY_STATUS(guard_->watch());
    for (size_t i = 0; i < steps_.size(); ++i) {
      BOHR_TRY_STATUS(issue_step(static_cast<int32_t>(i)));
      BOHR_TRY(runs, guard_->changes());
      (*changed)[i].insert((*changed)[i].end(), runs.begin(), runs.end());
    }
    return Nothing{};
  }

  // All written ranges that count in one list, a slice for each step.
  Status upload_written(Ranges ignored) {
    ignored_ = std::move(ignored);
    std::vector<Span> spans;
    slices_.clear();
    for (size_t i = 0; i < written_.size(); ++i) {
      const Ranges ranges = places(static_cast<int32_t>(i), without(written_[i], ignored_));
      SpanSlice slice{spans.size(), ranges.size(), 0};
      for (const Span& span : laid_out(ranges)) {
        spans.push_back(span);
        slice.widest = std::max(slice.widest, span.size);
      }
      slices_.push_back(slice);
    }
    BOHR_TRY(lists, device_->upload(std::move(spans)));
    lists_ = std::move(lists);
    slots_ = Buffer::of(driver_, steps_.size() * sizeof(uint64_t), true);
    if (slots_) return Nothing{};
    return Error{"explore-memory", "", "", "no memory for our own tables",
                 "leave more memory free"};
  }

  // --- other memory for some steps ---

  const GraphWork& work() const { return moved_ ? moved_->work() : *launch_.work; }
  std::span<const Move> moves() const { return moved_ ? moved_->moves() : std::span<const Move>(); }

  // Memory must hold what was saved.
  Status use_moves(std::span<const Move> wanted) {
    const std::span<const Move> now = moves();
    if (!std::equal(wanted.begin(), wanted.end(), now.begin(), now.end())) {
      BOHR_TRY_STATUS(device_->wait());  // what runs may use the old ones
      moved_.reset();
      if (!wanted.empty()) {
        BOHR_TRY(moved, MovedWork::of(device_.get(), *launch_.work, launch_.nodes, wanted));
        moved_ = std::move(moved);
      }
      BOHR_TRY_STATUS(upload_written(Ranges(ignored_)));
    }
    return moved_ ? moved_->fill() : Status(Nothing{});
  }

  std::optional<ByteRange> real_place(const ByteRange& range) const {
    return moved_ ? moved_->real(range) : std::nullopt;
  }

  // Where a step finds them in truth.
  Ranges places(int32_t step, const Ranges& ranges) const {
    Ranges real = seen_at(ranges, step, moves());
    for (ByteRange& range : real) range = real_place(range).value_or(range);
    return real;
  }

  Result<std::vector<uint64_t>> digests_of_moved(const Ranges& ranges) {
    std::vector<Span> spans;
    std::vector<SpanSlice> slices;
    for (size_t i = 0; i < ranges.size(); ++i) {
      spans.push_back({ranges[i].begin, ranges[i].size(), 0, 0});
      slices.push_back({i, 1, ranges[i].size()});
    }
    BOHR_TRY(list, device_->upload(std::move(spans)));
    return device_->digests_of(list, slices);
  }

  // --- running ---

  Result<Outcome> own_run_done() {
    BOHR_TRY_STATUS(device_->wait());
    BOHR_TRY_STATUS(large_blocks_are_whole());
    BOHR_TRY_STATUS(look_at_rest());
    Outcome outcome;
    outcome.ran = steps_.size();
    return outcome;
  }

  Status issue_step(int32_t step) {
    if (!launch_.plan.steps[static_cast<size_t>(step)].runs) return Nothing{};
    const int32_t node = launch_.nodes[static_cast<size_t>(step)];
    return device_->check(
        issue(driver_, work().nodes[static_cast<size_t>(node)], device_->stream()),
        "running node " + std::to_string(node));
  }

  Status put_contents(std::span<const Content> contents) {
    for (const Content& content : contents)
      if (!in_memory(content.range).ok() || content.bytes.size() != content.range.size())
        return Error{"replay-contents", launch_.program.source, "",
                     "the contents do not fit their range", "put what was fetched from it"};
    for (const Content& content : contents) {
      if (real_place(content.range) || guard_->is_noted(content.range)) continue;
      BOHR_TRY_STATUS(guard_->note_written({&content.range, 1}));
    }
    for (const Content& content : contents) {
      const ByteRange real = real_place(content.range).value_or(content.range);
      BOHR_TRY_STATUS(put_at(real, content.bytes.data()));
    }
    return Nothing{};
  }

  // In one piece, when there is nothing to do between steps.
  Result<Outcome> run_as_graph(const Request& request) {
    std::vector<const NodeWork*> works;
    for (const int32_t step : request.order) {
      const auto i = static_cast<size_t>(step);
      if (launch_.plan.steps[i].runs)
        works.push_back(&work().nodes[static_cast<size_t>(launch_.nodes[i])]);
    }
    BOHR_TRY_STATUS(run_chained(device_.get(), works));
    Outcome outcome;
    outcome.ran = request.order.size();
    outcome.kept.resize(request.keep.size());
    return outcome;
  }

  Result<Outcome> run_order(const Request& request) {
    const auto pin_of = index_by_step(request.pins, [](const Pin& pin) { return pin.step; });
    const auto keep_of = index_by_step(request.keep, std::identity());
    Outcome outcome;
    outcome.kept.resize(request.keep.size());
    if (request.stepwise) BOHR_TRY_STATUS(device_->clear(slots_.address(), slots_.bytes()));
    if (request.observe) BOHR_TRY_STATUS(guard_->watch());
    if (!request.expected.empty()) outcome.digests.assign(steps_.size(), 0);
    for (const int32_t step : request.order) {
      const auto i = static_cast<size_t>(step);
      BOHR_TRY_STATUS(issue_step(step));
      if (request.observe) BOHR_TRY_STATUS(note_changes(step, &outcome.changed));
      if (!pin_of.empty() && pin_of[i] >= 0)
        BOHR_TRY_STATUS(put_pin(request, step, request.pins[static_cast<size_t>(pin_of[i])].bytes));
      ++outcome.ran;
      if (outcome.ran % kMostIssued == 0) BOHR_TRY_STATUS(device_->wait());
      if (!request.stepwise) continue;
      BOHR_TRY_STATUS(device_->digest(lists_, slices_[i], slot(i)));
      if (!keep_of.empty() && keep_of[i] >= 0) {
        BOHR_TRY(bytes, fetch_real(places(step, written_[i])));
        outcome.kept[static_cast<size_t>(keep_of[i])] = std::move(bytes);
      }
      if (request.expected.empty()) continue;
      BOHR_TRY_STATUS(device_->copy_to_host(&outcome.digests[i], slot(i), sizeof(uint64_t)));
      if (outcome.digests[i] != request.expected[i]) break;
    }
    BOHR_TRY_STATUS(device_->wait());
    if (request.stepwise && request.expected.empty()) {
      outcome.digests.assign(steps_.size(), 0);
      BOHR_TRY_STATUS(
          device_->copy_to_host(outcome.digests.data(), slots_.address(), slots_.bytes()));
    }
    return outcome;
  }

  CUdeviceptr slot(size_t step) const { return slots_.address() + step * sizeof(uint64_t); }

  // In an observed run the next step is not blamed for what we put here.
  Status put_pin(const Request& request, int32_t step, const Bytes& bytes) {
    BOHR_TRY_STATUS(put(step, bytes));
    if (!request.observe) return Nothing{};
    const auto ours = guard_->changes();
    return ours.ok() ? Status(Nothing{}) : ours.error();
  }

  // Holes in what is watched stay holes: that a step changed the bytes is said of it by name.
  Status note_changes(int32_t step, std::vector<Changed>* changed) {
    BOHR_TRY(runs, guard_->changes());
    const std::vector<Ranges> by_step = {std::move(runs)};
    const std::vector<Ranges> blocks = {without(named_[static_cast<size_t>(step)], watched_)};
    const std::vector<Ranges> seen = written_by(by_step, blocks);
    for (const ByteRange& range : seen.front()) changed->push_back({step, range});
    return Nothing{};
  }

  // For each step its place in `items`, or -1; nothing at all when there are no items.
  template <class Items, class StepOf>
  std::vector<int32_t> index_by_step(const Items& items, StepOf&& step_of) const {
    std::vector<int32_t> index(items.empty() ? 0 : steps_.size(), -1);
    for (size_t i = 0; i < items.size(); ++i)
      index[static_cast<size_t>(step_of(items[i]))] = static_cast<int32_t>(i);
    return index;
  }

  size_t bytes_of(int32_t step) const {
    size_t bytes = 0;
    for (const ByteRange& range : written(step)) bytes += range.size();
    return bytes;
  }

  Status put(int32_t step, const Bytes& bytes) {
    const uint8_t* from = bytes.data();
    for (const ByteRange& range : places(step, written_[static_cast<size_t>(step)])) {
      BOHR_TRY_STATUS(put_at(range, from));
      from += range.size();
    }
    return Nothing{};
  }

  Status put_at(const ByteRange& real, const uint8_t* from) {
    if (guard_->contains(real)) return guard_->put(real, from);
    return device_->copy_from_host(real.begin, from, real.size());
  }

  Result<Bytes> fetch_real(std::span<const ByteRange> ranges) {
    size_t total = 0;
    for (const ByteRange& range : ranges) total += range.size();
    Bytes bytes(total);
    uint8_t* to = bytes.data();
    for (const ByteRange& range : ranges) {
      BOHR_TRY_STATUS(guard_->contains(range) || is_readable(range)
                          ? guard_->get(range, to)
                          : device_->copy_to_host(to, range.begin, range.size()));
      to += range.size();
    }
    return bytes;
  }

  const Driver& driver_;
  Launch launch_;
  std::vector<Step> steps_;
  std::vector<Ranges> named_;  // by step
  Ranges watched_;
  std::vector<Ranges> written_;  // by step
  Ranges all_changed_;           // by any step, wherever it lies
  std::unique_ptr<Device> device_;
  std::unique_ptr<MovedWork> moved_;  // null: all blocks lie where they are
  std::unique_ptr<Guard> guard_;      // null until learn()
  Ranges ignored_;                    // left out of digests
  SpanList lists_;                    // of all written ranges that count
  std::vector<SpanSlice> slices_;     // of it, by step
  Buffer slots_;                      // a digest for each step
  LargeBlocks large_;
  Ranges large_pages_;  // of them, those that launches write
  bool own_launch_seen_ = false;
  Ranges readable_;  // allocations that steps name
  Saved saved_;
  bool strayed_ = false;  // the last run wrote where no step was seen to
  bool foreign_ = false;  // somebody else writes guarded memory
  bool paused_ = false;
  uint64_t own_digest_ = 0;  // of what the program has to find when it goes on
};

}  // namespace

Result<std::unique_ptr<Replayer>> cuda_replayer(const Driver& driver, Launch launch) {
  auto replayer = std::make_unique<CudaReplayer>(driver, std::move(launch));
  BOHR_TRY_STATUS(replayer->begin());
  return std::unique_ptr<Replayer>(std::move(replayer));
}

}  // namespace bohr::replay::cuda
