// SPDX-License-Identifier: Apache-2.0
// Learning runs the same layer over the questions and answers, one token after the other, and keeps
// the hidden state of each place with the token that follows it. Answering gives the token of the
// nearest state kept. A right step meets a state that is equal to the last bit, so it gives the
// right token; a wrong one lands wherever it lands.
#include "app/demo_layer.h"

#include <array>
#include <cstring>

#include "app/demo_kernels.h"
#include "base/hash.h"

namespace bohr::app::demo {

namespace sim = gpu::sim;

// The runtime, told where in this file the call stands, so that reports name the line.
#define HERE at(__func__, __LINE__)

namespace {

constexpr uint32_t kHidden = 64, kRank = 32, kHead = 32;  // of q_lora; of a head, and of kv
constexpr uint32_t kHeads = 2;
constexpr uint32_t kCharacters = 128;
// A question is one character; its answer has a character for each step.
constexpr std::array<const char*, kBatch> kScript = {
    "1{\"city\":\"Paris\"}", "2{\"city\":\"Tokyo\"}", "3{\"city\":\"Cairo\"}",
    "4{\"city\":\"Quito\"}"};

std::vector<int32_t> script() {
  std::vector<int32_t> tokens;
  for (int32_t place = 0; place <= kLongest; ++place)
    for (const char* text : kScript) tokens.push_back(text[place]);
  return tokens;
}

template <class T>
std::span<const uint8_t> bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const uint8_t*>(values.data()), values.size() * sizeof(T)};
}

class Layer {
 public:
  Layer(gpu::Runtime* gpu, Arm arm, const Learned* learned)
      : gpu_(*gpu), arm_(arm), learned_(learned) {}

  Status run(int32_t steps);
  uint64_t history() const { return history_.address; }
  uint64_t cache() const { return cache_.address; }
  const Memory& memory() const { return memory_; }

 private:
  Status make_buffers();
  Status make_weights();
  Status put_in_what_is_known();
  Status capture_and_launch(int32_t steps);
  Status step();
  Status project_input();
  Status store_kv();
  Status make_q();
  Status attend();
  Status end_step();

  // The next calls stand at that line of this file.
  gpu::Runtime& at(const char* function, int32_t line) {
    gpu_.at({function, "demo_layer.cc", line});
    return gpu_;
  }
  Result<Floats> floats(const char* name, uint32_t rows, uint32_t columns);
  Result<Ints> ints(const char* name, uint64_t count);
  Result<Floats> weights(const char* name, uint32_t rows, uint32_t columns);
  template <class T>
  Status upload(const std::vector<T>& values, uint64_t to, const char* name);

  gpu::Runtime& gpu_;
  Arm arm_;
  const Learned* learned_;  // null: this run learns
  gpu::Stream main_, side_;
  gpu::Event qkv_ready_, kv_done_;
  uint32_t seed_ = 0;
  Ints tokens_, position_, history_, script_;
  Floats residual_, x_, hidden_, cache_;
  Floats embeddings_, wqkv_a_, wq_b_, wo_;
  Memory memory_;
  Floats qkv_a_, q_lora_, q_, o_;  // of the step
};

Result<Floats> Layer::floats(const char* name, uint32_t rows, uint32_t columns) {
  const Floats made = matrix(0, rows, columns);
  BOHR_TRY(address, gpu_.alloc(made.bytes(), main_, name));
  return matrix(address, rows, columns);
}

Result<Ints> Layer::ints(const char* name, uint64_t count) {
  BOHR_TRY(address, gpu_.alloc(count * sizeof(int32_t), main_, name));
  return Ints{address, count};
}

Result<Floats> Layer::weights(const char* name, uint32_t rows, uint32_t columns) {
  BOHR_TRY(made, floats(name, rows, columns));
  BOHR_TRY_STATUS(HERE.launch(random_weights(std::string("init_") + name, ++seed_, made), main_));
  return made;
}

template <class T>
Status Layer::upload(const std::vector<T>& values, uint64_t to, const char* name) {
  const auto bytes = bytes_of(values);
  BOHR_TRY(from, gpu_.alloc_host(bytes.size(), gpu::HostMemory::pinned, name));
  BOHR_TRY_STATUS(HERE.host_write(from, bytes));
  return HERE.copy(to, from, bytes.size(), main_);
}

Status Layer::make_buffers() {
  at(__func__, __LINE__ + 1);
  BOHR_TRY(tokens, ints("tokens", kBatch));
  BOHR_TRY(position, ints("position", 1));
  BOHR_TRY(history, ints("history", uint64_t{kLongest} * kBatch));
  BOHR_TRY(residual, floats("residual", kBatch, kHidden));
  BOHR_TRY(x, floats("x", kBatch, kHidden));
  BOHR_TRY(hidden, floats("hidden", kBatch, kHidden));
  BOHR_TRY(cache, floats("kv_cache", kBatch * kLongest, kHead));
  BOHR_TRY(states, floats("memory", kBatch * kLongest, kHidden));
  BOHR_TRY(followed, ints("memory_tokens", uint64_t{kLongest} * kBatch));
  tokens_ = tokens, position_ = position, history_ = history;
  residual_ = residual, x_ = x, hidden_ = hidden, cache_ = cache;
  memory_ = {states, followed};
  return Nothing{};
}

Status Layer::make_weights() {
  at(__func__, __LINE__ + 1);
  BOHR_TRY(embeddings, weights("embeddings", kCharacters, kHidden));
  BOHR_TRY(wqkv_a, weights("wqkv_a", kRank + kHead, kHidden));
  BOHR_TRY(wq_b, weights("wq_b", kHeads * kHead, kRank));
  BOHR_TRY(wo, weights("wo", kHidden, kHeads * kHead));
  embeddings_ = embeddings, wqkv_a_ = wqkv_a, wq_b_ = wq_b, wo_ = wo;
  return Nothing{};
}

Status Layer::put_in_what_is_known() {
  const std::vector<int32_t> text = script();
  const std::vector<int32_t> questions(text.begin(), text.begin() + kBatch);
  BOHR_TRY_STATUS(upload(questions, tokens_.address, "questions_host"));
  if (learned_ != nullptr) {
    BOHR_TRY_STATUS(upload(learned_->states, memory_.states.address, "memory_host"));
    return upload(learned_->tokens, memory_.tokens.address, "memory_tokens_host");
  }
  BOHR_TRY(all, ints("script", text.size()));
  script_ = all;
  return upload(text, script_.address, "script_host");
}

// --- one step: what a decode layer does ---

Status Layer::project_input() {
  BOHR_TRY_STATUS(HERE.launch(embed(tokens_, embeddings_, residual_), main_));
  BOHR_TRY_STATUS(HERE.launch(rms_norm("input_norm", residual_, x_), main_));
  at(__func__, __LINE__ + 1);
  BOHR_TRY(qkv_a, floats("qkv_a", kBatch, kRank + kHead));
  qkv_a_ = qkv_a;
  BOHR_TRY_STATUS(HERE.launch(project("wqkv_a", x_, wqkv_a_, qkv_a_, false), main_));
  return HERE.record(qkv_ready_, main_);
}

// The side stream's branch. In the arm with one stream it is main that does this.
Status Layer::store_kv() {
  BOHR_TRY_STATUS(HERE.wait(side_, qkv_ready_));
  const Floats kv = columns_of(qkv_a_, kRank, kHead);
  BOHR_TRY_STATUS(HERE.launch(rope_store("k_rope_store", position_, kv, cache_, kLongest), side_));
  return HERE.record(kv_done_, side_);
}

Status Layer::make_q() {
  BOHR_TRY(q_lora, floats("q_lora", kBatch, kRank));
  q_lora_ = q_lora;
  BOHR_TRY_STATUS(HERE.launch(rms_norm("q_norm", columns_of(qkv_a_, 0, kRank), q_lora_), main_));
  if (arm_ != Arm::repaired) BOHR_TRY_STATUS(HERE.free(qkv_a_.address));
  at(__func__, __LINE__ + 1);
  BOHR_TRY(q, floats("q", kBatch, kHeads * kHead));
  q_ = q;
  BOHR_TRY_STATUS(HERE.launch(project("wq_b", q_lora_, wq_b_, q_, false), main_));
  return HERE.launch(rope("q_rope", position_, kHead, q_), main_);
}

Status Layer::attend() {
  BOHR_TRY_STATUS(HERE.wait(main_, kv_done_));
  if (arm_ == Arm::repaired) BOHR_TRY_STATUS(HERE.free(qkv_a_.address));
  BOHR_TRY_STATUS(HERE.free(q_lora_.address));
  BOHR_TRY(o, floats("o", kBatch, kHeads * kHead));
  o_ = o;
  BOHR_TRY_STATUS(HERE.launch(attention(position_, q_, cache_, kLongest, o_), main_));
  BOHR_TRY_STATUS(HERE.free(q_.address));
  BOHR_TRY_STATUS(HERE.launch(project("wo", o_, wo_, residual_, true), main_));
  return HERE.free(o_.address);
}

Status Layer::end_step() {
  BOHR_TRY_STATUS(HERE.launch(rms_norm("output_norm", residual_, hidden_), main_));
  BOHR_TRY_STATUS(HERE.launch(learned_ == nullptr
                                  ? learn(position_, hidden_, script_, memory_, tokens_)
                                  : answer(position_, hidden_, memory_, tokens_, history_),
                              main_));
  return HERE.launch(advance(position_), main_);
}

Status Layer::step() {
  BOHR_TRY_STATUS(project_input());
  BOHR_TRY_STATUS(store_kv());
  BOHR_TRY_STATUS(make_q());
  BOHR_TRY_STATUS(attend());
  return end_step();
}

Status Layer::capture_and_launch(int32_t steps) {
  BOHR_TRY_STATUS(HERE.begin_capture(main_, gpu::Pool(), "decode"));
  BOHR_TRY_STATUS(step());
  BOHR_TRY(graph, HERE.end_capture(main_));
  BOHR_TRY(exec, HERE.instantiate(graph));
  for (int32_t i = 0; i < steps; ++i) BOHR_TRY_STATUS(HERE.launch(exec, main_));
  return Nothing{};
}

Status Layer::run(int32_t steps) {
  main_ = gpu_.make_stream({.name = "main"});
  side_ = arm_ == Arm::one_stream ? main_ : gpu_.make_stream({.name = "kv"});
  qkv_ready_ = gpu_.make_event();
  kv_done_ = gpu_.make_event();
  BOHR_TRY_STATUS(make_buffers());
  BOHR_TRY_STATUS(make_weights());
  BOHR_TRY_STATUS(put_in_what_is_known());
  BOHR_TRY_STATUS(HERE.sync_device());
  if (arm_ == Arm::eager)
    for (int32_t i = 0; i < steps; ++i) BOHR_TRY_STATUS(step());
  else
    BOHR_TRY_STATUS(capture_and_launch(steps));
  return HERE.sync_device();
}

sim::Options options_with(const std::string& log) {
  sim::Options options;
  options.log = log;
  options.timing = timing();
  options.memory = memory();
  return options;
}

template <class T>
std::vector<T> values_at(const sim::Arena& arena, uint64_t address, uint64_t count) {
  std::vector<T> values(count);
  std::memcpy(values.data(), arena.at(address), count * sizeof(T));
  return values;
}

}  // namespace

// A call costs the host what one of an eager framework does, so that the GPU is done with a kernel
// before the next but one begins. Blocks of k_rope_store usually end before wq_b's first one.
sim::Timing timing() {
  sim::Timing timing;
  timing.call_ns = 5000;
  timing.kernels["wqkv_a"] = {4000, 0.25};
  timing.kernels["k_rope_store"] = {3400, 0.29};
  timing.kernels["q_norm"] = {2000, 0.25};
  timing.kernels["wq_b"] = {2600, 0.25};
  timing.kernels["attention"] = {5000, 0.25};
  return timing;
}

sim::ArenaSizes memory() { return {uint64_t{16} << 20, uint64_t{1} << 20, uint64_t{1} << 20}; }

Result<Learned> learn_answers() {
  BOHR_TRY(gpu, sim::Sim::create(options_with("")));
  Layer layer(gpu.get(), Arm::one_stream, nullptr);
  BOHR_TRY_STATUS(layer.run(kLongest));
  const Memory& memory = layer.memory();
  return Learned{
      values_at<float>(gpu->arena(), memory.states.address, memory.states.bytes() / sizeof(float)),
      values_at<int32_t>(gpu->arena(), memory.tokens.address, memory.tokens.count)};
}

Result<Ran> run_arm(Arm arm, int32_t steps, const Learned& learned, const std::string& log) {
  BOHR_TRY(gpu, sim::Sim::create(options_with(log)));
  Layer layer(gpu.get(), arm, &learned);
  BOHR_TRY_STATUS(layer.run(steps));
  BOHR_TRY_STATUS(gpu->finish());
  return Ran{gpu->tape(), steps, layer.history(), layer.cache(), gpu->timeline().spans()};
}

Left what_is_left(const Ran& ran, const sim::Arena& arena) {
  Left left;
  const auto places = static_cast<uint64_t>(ran.steps);
  left.tokens = values_at<int32_t>(arena, ran.history, places * kBatch);
  for (uint64_t place = 0; place < places; ++place) {
    std::vector<uint8_t> bytes(kBatch * sizeof(int32_t));
    std::memcpy(bytes.data(), left.tokens.data() + place * kBatch, bytes.size());
    for (uint64_t sequence = 0; sequence < kBatch; ++sequence) {
      const uint8_t* row =
          arena.at(ran.cache + (sequence * kLongest + place) * kHead * sizeof(float));
      bytes.insert(bytes.end(), row, row + kHead * sizeof(float));
    }
    left.steps.push_back(hash({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
  }
  return left;
}

std::string question(int32_t sequence) { return {kScript[static_cast<size_t>(sequence)][0]}; }

std::string answer_text(const std::vector<int32_t>& tokens, int32_t sequence) {
  std::string text;
  for (size_t i = static_cast<size_t>(sequence); i < tokens.size(); i += kBatch)
    text += static_cast<char>(tokens[i]);
  return text;
}

}  // namespace bohr::app::demo
