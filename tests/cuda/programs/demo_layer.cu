// SPDX-License-Identifier: Apache-2.0
// demo_layer eager|one-stream|race|clean STEPS [FILE]: the layer of `bohr demo` on a GPU. A decode
// layer that has learned four answers by heart, with an allocator of its own in which a freed block
// is handed out again at once. race: the block of q and kv is dropped while the side stream still
// reads it, and its bytes become q's. clean: it is dropped after the join. Counts steps until STEPS
// began right, and how many of them left other bytes than the eager layer with a wait behind each
// kernel; the counts go to FILE, or to standard output. Ends with 3 where there is no GPU. From
// parameters alone: k_rope_store reads the block (pointer to const) and wq_b, unordered with it,
// names it: a candidate that orders decide. race: they differ. clean: nothing to decide.
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "program.h"

namespace {

constexpr int kBatch = 4, kSteps = 16, kHidden = 64, kRank = 32, kHead = 32, kHeads = 2;
constexpr int kStates = kBatch * kSteps, kCharacters = 128;
constexpr const char* kScript[kBatch] = {"1{\"city\":\"Paris\"}", "2{\"city\":\"Tokyo\"}",
                                         "3{\"city\":\"Cairo\"}", "4{\"city\":\"Quito\"}"};

// --- kernels: a block is a sequence, a thread a column ---

__global__ void embed(const int* tokens, const float* table, float* out) {
  out[blockIdx.x * kHidden + threadIdx.x] = table[tokens[blockIdx.x] * kHidden + threadIdx.x];
}

// Row blockIdx.x of `in`, whose rows lie `stride` apart, by its root mean square.
__global__ void rms_norm(const float* in, int stride, float* out) {
  const float* row = in + blockIdx.x * stride;
  float sum = 0;
  for (unsigned i = 0; i < blockDim.x; ++i) sum += row[i] * row[i];
  const float value = row[threadIdx.x] * rsqrtf(sum / static_cast<float>(blockDim.x) + 1e-6f);
  out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

__device__ float product(const float* row, const float* weights, int columns) {
  float sum = 0;
  for (int i = 0; i < columns; ++i) sum += row[i] * weights[threadIdx.x * columns + i];
  return sum;
}

__global__ void wqkv_a(const float* x, const float* weights, float* out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = product(x + blockIdx.x * kHidden, weights, kHidden);
}
__global__ void wq_b(const float* q_lora, const float* weights, float* q) {
  q[blockIdx.x * blockDim.x + threadIdx.x] = product(q_lora + blockIdx.x * kRank, weights, kRank);
}
__global__ void wo(const float* o, const float* weights, float* residual) {
  residual[blockIdx.x * blockDim.x + threadIdx.x] +=
      product(o + blockIdx.x * kHeads * kHead, weights, kHeads * kHead);
}

// Value i of a row, turned with its neighbour by the angle of the position.
__device__ float turned(const float* row, int i, int position) {
  const int even = i & ~1;
  const float slower = static_cast<float>(even % kHead) / kHead;
  const float angle = static_cast<float>(position) * powf(100.0f, -slower);
  const float a = row[even], b = row[even + 1];
  return i == even ? a * cosf(angle) - b * sinf(angle) : a * sinf(angle) + b * cosf(angle);
}

__global__ void k_rope_store(const int* position, const float* qkv_a, float* cache) {
  const float* kv = qkv_a + blockIdx.x * (kRank + kHead) + kRank;
  const float value = turned(kv, static_cast<int>(threadIdx.x), *position);
  cache[(blockIdx.x * kSteps + *position) * kHead + threadIdx.x] = value;
}

__global__ void q_rope(const int* position, float* q) {
  float* row = q + blockIdx.x * kHeads * kHead;
  const float value = turned(row, static_cast<int>(threadIdx.x), *position);
  __syncthreads();
  row[threadIdx.x] = value;
}

__global__ void attention(const int* position, const float* q, const float* cache, float* out) {
  const float* head = q + blockIdx.x * kHeads * kHead + threadIdx.x / kHead * kHead;
  const float* rows = cache + blockIdx.x * kSteps * kHead;
  float most = -INFINITY, sum = 0, value = 0, weights[kSteps];
  for (int i = 0; i <= *position; ++i) {
    float dot = 0;
    for (int k = 0; k < kHead; ++k) dot += head[k] * rows[i * kHead + k];
    weights[i] = dot * rsqrtf(static_cast<float>(kHead));
    most = fmaxf(most, weights[i]);
  }
  for (int i = 0; i <= *position; ++i) {
    const float weight = expf(weights[i] - most);
    sum += weight;
    value += weight * rows[i * kHead + threadIdx.x % kHead];
  }
  out[blockIdx.x * kHeads * kHead + threadIdx.x] = value / sum;
}

// Keeps the hidden state of this place; the next token is the script's.
__global__ void learn(const int* position, const float* hidden, const int* script, float* states,
                      int* tokens) {
  const int place = *position * kBatch + static_cast<int>(blockIdx.x);
  states[place * kHidden + threadIdx.x] = hidden[blockIdx.x * kHidden + threadIdx.x];
  if (threadIdx.x == 0) tokens[blockIdx.x] = script[place + kBatch];
}

// The next token is what followed the learned state that is nearest.
__global__ void answer(const int* position, const float* hidden, const float* states,
                       const int* script, int* tokens, int* history) {
  if (threadIdx.x != 0) return;
  int nearest = 0;
  float least = INFINITY;
  for (int state = 0; state < kStates; ++state) {
    float far = 0;
    for (int i = 0; i < kHidden; ++i) {
      const float apart = hidden[blockIdx.x * kHidden + i] - states[state * kHidden + i];
      far += apart * apart;
    }
    if (far < least) least = far, nearest = state;
  }
  tokens[blockIdx.x] = script[nearest + kBatch];
  history[*position * kBatch + static_cast<int>(blockIdx.x)] = script[nearest + kBatch];
}

__global__ void advance(int* position) { *position += 1; }

// --- memory ---

// What is freed is handed out again at once to whoever asks for as much, as a caching allocator
// does for one stream.
class Pool {
 public:
  float* get(int floats) {
    std::vector<float*>& list = free_[floats];
    if (list.empty()) {
      float* made = nullptr;
      CHECK(cudaMalloc(&made, static_cast<size_t>(floats) * sizeof(float)));
      return made;
    }
    float* block = list.back();
    list.pop_back();
    return block;
  }
  void give_back(float* block, int floats) { free_[floats].push_back(block); }

 private:
  std::map<int, std::vector<float*>> free_;
};

template <class T>
T* on_device(const std::vector<T>& values) {
  T* made = nullptr;
  CHECK(cudaMalloc(&made, values.size() * sizeof(T)));
  CHECK(cudaMemcpy(made, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  CHECK(cudaDeviceSynchronize());  // from pageable memory it returns before the bytes have arrived
  return made;
}

template <class T>
std::vector<T> on_host(const T* values, size_t count) {
  std::vector<T> made(count);
  CHECK(cudaMemcpy(made.data(), values, count * sizeof(T), cudaMemcpyDeviceToHost));
  return made;
}

std::vector<float> weights(int rows, int columns) {
  static unsigned state = 1;
  std::vector<float> made(static_cast<size_t>(rows) * static_cast<size_t>(columns));
  for (float& value : made) {
    state = state * 1664525u + 1013904223u;
    value = (static_cast<float>(state >> 8) / 8388608.0f - 1) *
            std::sqrt(3.0f / static_cast<float>(columns));
  }
  return made;
}

std::vector<int> script() {
  std::vector<int> tokens;
  for (int place = 0; place <= kSteps; ++place)
    for (const char* text : kScript) tokens.push_back(text[place]);
  return tokens;
}

// --- the layer ---

enum class Way { learning, waiting, eager, one_stream, race, clean };

class Layer {
 public:
  void reset() {
    CHECK(cudaMemcpyAsync(tokens_, questions_, kBatch * sizeof(int), cudaMemcpyDeviceToDevice,
                          main_));
    CHECK(cudaMemsetAsync(position_, 0, sizeof(int), main_));
  }

  void step(Way way) {
    way_ = way;
    const cudaStream_t side =
        way == Way::eager || way == Way::race || way == Way::clean ? side_ : main_;
    constexpr int kQkv = kBatch * (kRank + kHead), kLora = kBatch * kRank,
                  kQ = kBatch * kHeads * kHead;
    static_assert(kQkv == kQ, "q has to fit where q and kv lay");
    run([&] { embed<<<kBatch, kHidden, 0, main_>>>(tokens_, embeddings_, residual_); });
    run([&] { rms_norm<<<kBatch, kHidden, 0, main_>>>(residual_, kHidden, x_); });
    float* qkv_a = pool_.get(kQkv);
    run([&] { wqkv_a<<<kBatch, kRank + kHead, 0, main_>>>(x_, wqkv_a_, qkv_a); });
    if (side != main_) order(main_, side, qkv_ready_);
    run([&] { k_rope_store<<<kBatch, kHead, 0, side>>>(position_, qkv_a, cache_); });
    float* q_lora = pool_.get(kLora);
    run([&] { rms_norm<<<kBatch, kRank, 0, main_>>>(qkv_a, kRank + kHead, q_lora); });
    if (way != Way::clean) pool_.give_back(qkv_a, kQkv);
    float* q = pool_.get(kQ);
    run([&] { wq_b<<<kBatch, kHeads * kHead, 0, main_>>>(q_lora, wq_b_, q); });
    run([&] { q_rope<<<kBatch, kHeads * kHead, 0, main_>>>(position_, q); });
    if (side != main_) order(side, main_, kv_done_);
    if (way == Way::clean) pool_.give_back(qkv_a, kQkv);
    run([&] { attention<<<kBatch, kHeads * kHead, 0, main_>>>(position_, q, cache_, o_); });
    run([&] { wo<<<kBatch, kHidden, 0, main_>>>(o_, wo_, residual_); });
    pool_.give_back(q, kQ);
    pool_.give_back(q_lora, kLora);
    run([&] { rms_norm<<<kBatch, kHidden, 0, main_>>>(residual_, kHidden, hidden_); });
    if (way == Way::learning)
      run([&] {
        learn<<<kBatch, kHidden, 0, main_>>>(position_, hidden_, script_, states_, tokens_);
      });
    else
      run([&] {
        answer<<<kBatch, 1, 0, main_>>>(position_, hidden_, states_, script_, tokens_, history_);
      });
    run([&] { advance<<<1, 1, 0, main_>>>(position_); });
  }

  // For ways with a graph; the pool has every block by then.
  void capture(Way way) {
    cudaGraph_t graph = nullptr;
    CHECK(cudaStreamBeginCapture(main_, cudaStreamCaptureModeThreadLocal));
    step(way);
    CHECK(cudaStreamEndCapture(main_, &graph));
    CHECK(cudaGraphInstantiate(&exec_, graph, 0));
    CHECK(cudaGraphDestroy(graph));
  }

  void run_steps(Way way) {
    reset();
    for (int i = 0; i < kSteps; ++i) {
      if (exec_ != nullptr)
        CHECK(cudaGraphLaunch(exec_, main_));
      else
        step(way);
    }
    CHECK(cudaDeviceSynchronize());
  }

  // By step: its tokens and the rows that it stored.
  std::vector<std::string> left() const {
    const auto history = on_host(history_, kStates);
    const auto cache = on_host(cache_, static_cast<size_t>(kStates) * kHead);
    std::vector<std::string> steps(kSteps);
    for (int step = 0; step < kSteps; ++step)
      for (int row = 0; row < kBatch; ++row) {
        steps[step] += static_cast<char>(history[step * kBatch + row]);
        steps[step].append(
            reinterpret_cast<const char*>(cache.data() + (row * kSteps + step) * kHead),
            kHead * sizeof(float));
      }
    return steps;
  }
  std::string text(int row) const {
    std::string answer;
    const auto history = on_host(history_, kStates);
    for (int step = 0; step < kSteps; ++step)
      answer += static_cast<char>(history[step * kBatch + row]);
    return answer;
  }
  cudaStream_t main() const { return main_; }

 private:
  // One kernel after the other where the result has to be right.
  template <class Launch>
  void run(const Launch& launch) {
    launch();
    CHECK(cudaGetLastError());
    if (way_ == Way::waiting || way_ == Way::learning) CHECK(cudaDeviceSynchronize());
  }

  cudaStream_t main_ = side_stream(), side_ = side_stream();
  cudaEvent_t qkv_ready_ = event_without_timing(), kv_done_ = event_without_timing();
  cudaGraphExec_t exec_ = nullptr;
  Way way_ = Way::eager;
  Pool pool_;
  int* script_ = on_device(script());
  int* questions_ = on_device(std::vector<int>{'1', '2', '3', '4'});
  int* tokens_ = on_device(std::vector<int>(kBatch));
  int* position_ = on_device(std::vector<int>(1));
  int* history_ = on_device(std::vector<int>(kStates));
  float* residual_ = on_device(std::vector<float>(kBatch * kHidden));
  float* x_ = on_device(std::vector<float>(kBatch * kHidden));
  float* hidden_ = on_device(std::vector<float>(kBatch * kHidden));
  float* o_ = on_device(std::vector<float>(kBatch * kHeads * kHead));
  float* cache_ = on_device(std::vector<float>(kStates * kHead));
  float* states_ = on_device(std::vector<float>(kStates * kHidden));
  float* embeddings_ = on_device(weights(kCharacters, kHidden));
  float* wqkv_a_ = on_device(weights(kRank + kHead, kHidden));
  float* wq_b_ = on_device(weights(kHeads * kHead, kRank));
  float* wo_ = on_device(weights(kHidden, kHeads* kHead));
};

struct Count {
  long steps = 0, wrong = 0, runs = 0, wrong_runs = 0;
  float us = 0;
  int wrong_row = -1;
  std::string wrong_answer;
};

// Runs answer anew until `steps` have been counted, each up to its first wrong step.
Count count(Layer* layer, Way way, long steps, const std::vector<std::string>& right) {
  Count made;
  cudaEvent_t begin = nullptr, end = nullptr;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  float all = 0;
  while (made.steps < steps) {
    CHECK(cudaEventRecord(begin, layer->main()));
    layer->run_steps(way);
    CHECK(cudaEventRecord(end, layer->main()));
    CHECK(cudaEventSynchronize(end));
    float took = 0;
    CHECK(cudaEventElapsedTime(&took, begin, end));
    all += took, ++made.runs;
    const auto left = layer->left();
    int good = 0;
    while (good < kSteps && left[good] == right[good]) ++good;
    const bool wrong = good < kSteps && made.steps + good < steps;
    made.steps = std::min(steps, made.steps + good + wrong);
    made.wrong += wrong;
    for (int place = 0; place < kStates; ++place) {
      if (left[place / kBatch][place % kBatch * (1 + kHead * 4)] ==
          right[place / kBatch][place % kBatch * (1 + kHead * 4)])
        continue;
      ++made.wrong_runs;
      if (made.wrong_row < 0) made.wrong_row = place % kBatch;
      if (made.wrong_answer.empty()) made.wrong_answer = layer->text(made.wrong_row);
      break;
    }
  }
  made.us = 1000 * all / static_cast<float>(made.runs) / kSteps;
  return made;
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, Way> ways = {{"eager", Way::eager},
                                           {"one-stream", Way::one_stream},
                                           {"race", Way::race},
                                           {"clean", Way::clean}};
  if (argc < 3 || argc > 4 || ways.count(argv[1]) == 0 || std::atol(argv[2]) < 1) {
    std::fprintf(stderr, "usage: %s eager|one-stream|race|clean STEPS [FILE]\n", argv[0]);
    return 2;
  }
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::fprintf(stderr, "%s: no GPU that CUDA can use\n", argv[0]);
    return 3;
  }
  const Way way = ways.at(argv[1]);
  Layer layer;
  layer.run_steps(Way::learning);
  layer.run_steps(Way::waiting);
  const auto right = layer.left();
  std::string right_answers[kBatch];
  for (int row = 0; row < kBatch; ++row) right_answers[row] = layer.text(row);
  layer.run_steps(way);  // a warm-up, in which the pool gets its blocks
  if (way != Way::eager) layer.capture(way);
  const Count made = count(&layer, way, std::atol(argv[2]), right);
  cudaDeviceProp device{};
  CHECK(cudaGetDeviceProperties(&device, 0));
  std::FILE* out = argc == 4 ? std::fopen(argv[3], "w") : stdout;
  if (out == nullptr) return 2;
  std::fprintf(out, "steps %ld\nwrong %ld\nruns %ld\nwrong_runs %ld\nstep_us %.3f\ndevice %s\n",
               made.steps, made.wrong, made.runs, made.wrong_runs, static_cast<double>(made.us),
               device.name);
  if (made.wrong_row >= 0)
    std::fprintf(out, "question %c\nright %s\nwrong_answer %s\n", kScript[made.wrong_row][0],
                 right_answers[made.wrong_row].c_str(), made.wrong_answer.c_str());
  return std::fclose(out) == 0 ? 0 : 2;
}
