// SPDX-License-Identifier: Apache-2.0
// A launch packs the matrices as they are, and declares what its blocks touch: rows that lie apart
// one by one, a matrix without gaps as a whole. What depends on the position is declared as an
// update of all that it may be, for a captured node cannot know the position.
#include "app/demo_kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/check.h"
#include "gpu/access.h"
#include "gpu/sim/mix.h"

namespace bohr::app::demo {

namespace {

using gpu::Block;
using gpu::KernelLaunch;
using gpu::Mode;
using Row = std::vector<float>;

Row load(Block& block, uint64_t address, uint64_t count) {
  const auto view = block.read<float>(address, count);
  Row row(view.size());
  for (uint64_t i = 0; i < view.size(); ++i) row[i] = view.get(i);
  return row;
}

Row load(Block& block, const Floats& matrix, uint64_t row) {
  return load(block, matrix.row(row), matrix.columns);
}

void store(Block& block, const Floats& matrix, uint64_t row, const Row& values) {
  const auto view = block.write<float>(matrix.row(row), matrix.columns);
  for (uint64_t i = 0; i < view.size(); ++i) view.put(i, values[i]);
}

// A row of a matrix that is declared as an update of the whole.
void replace(Block& block, const Floats& matrix, uint64_t row, const Row& values) {
  const auto view = block.update<float>(matrix.row(row), matrix.columns);
  for (uint64_t i = 0; i < view.size(); ++i) view.put(i, values[i]);
}

int32_t load_int(Block& block, const Ints& ints, uint64_t i) {
  return block.read<int32_t>(ints.at(i)).get(0);
}

uint64_t position_of(Block& block, const Ints& position) {
  return static_cast<uint64_t>(std::max(0, load_int(block, position, 0)));
}

float dot(const float* a, const float* b, uint64_t count) {
  float sum = 0;
  for (uint64_t i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

// Neighbouring values are turned as a pair, the later ones more slowly.
void turn(float* values, uint64_t count, uint64_t position) {
  for (uint64_t i = 0; i + 1 < count; i += 2) {
    const float slower = static_cast<float>(i) / static_cast<float>(count);
    const float angle = static_cast<float>(position) * std::pow(100.0f, -slower);
    const float a = values[i], b = values[i + 1];
    values[i] = a * std::cos(angle) - b * std::sin(angle);
    values[i + 1] = a * std::sin(angle) + b * std::cos(angle);
  }
}

void declare(KernelLaunch* launch, const Floats& matrix, Mode mode) {
  if (matrix.stride == matrix.columns) {
    launch->accesses.push_back({matrix.address, matrix.bytes(), mode});
    return;
  }
  for (uint64_t row = 0; row < matrix.rows; ++row)
    launch->accesses.push_back({matrix.row(row), matrix.columns * sizeof(float), mode});
}
void declare(KernelLaunch* launch, const Ints& ints, Mode mode) {
  launch->accesses.push_back({ints.address, ints.bytes(), mode});
}

KernelLaunch launch_of(const std::string& name, void (*body)(Block&), uint32_t blocks,
                       gpu::Params params) {
  KernelLaunch launch;
  launch.kernel = {name, body};
  launch.blocks = blocks;
  launch.params = std::move(params);
  return launch;
}

void random_body(Block& block) {
  const auto out = block.param<Floats>(1);
  const double size = std::sqrt(3.0 / out.columns);
  Row row(out.columns);
  for (uint64_t i = 0; i < row.size(); ++i) {
    const uint64_t bits = gpu::sim::mix(block.param<uint32_t>(0), {block.index(), i});
    row[i] = static_cast<float>((2 * gpu::sim::fraction(bits) - 1) * size);
  }
  store(block, out, block.index(), row);
}

void embed_body(Block& block) {
  const auto table = block.param<Floats>(1);
  const int32_t token = load_int(block, block.param<Ints>(0), block.index());
  const auto row = static_cast<uint64_t>(std::clamp<int64_t>(token, 0, table.rows - 1));
  store(block, block.param<Floats>(2), block.index(), load(block, table, row));
}

void norm_body(Block& block) {
  Row row = load(block, block.param<Floats>(0), block.index());
  const float mean = dot(row.data(), row.data(), row.size()) / static_cast<float>(row.size());
  const float factor = 1 / std::sqrt(mean + 1e-6f);
  for (float& value : row) value *= factor;
  store(block, block.param<Floats>(1), block.index(), row);
}

Row product(Block& block, const Floats& in, const Floats& weights) {
  const Row row = load(block, in, block.index());
  Row result(weights.rows);
  for (uint64_t i = 0; i < result.size(); ++i)
    result[i] = dot(load(block, weights, i).data(), row.data(), row.size());
  return result;
}

void project_body(Block& block) {
  const Row row = product(block, block.param<Floats>(0), block.param<Floats>(1));
  store(block, block.param<Floats>(2), block.index(), row);
}

void project_add_body(Block& block) {
  const Row row = product(block, block.param<Floats>(0), block.param<Floats>(1));
  const auto out = block.param<Floats>(2);
  const auto view = block.update<float>(out.row(block.index()), out.columns);
  for (uint64_t i = 0; i < view.size(); ++i) view.put(i, view.get(i) + row[i]);
}

void rope_body(Block& block) {
  const auto q = block.param<Floats>(2);
  const uint64_t position = position_of(block, block.param<Ints>(0));
  const uint32_t head = block.param<uint32_t>(1);
  const auto view = block.update<float>(q.row(block.index()), q.columns);
  Row row(view.size());
  for (uint64_t i = 0; i < row.size(); ++i) row[i] = view.get(i);
  for (uint64_t i = 0; i + head <= row.size(); i += head) turn(row.data() + i, head, position);
  for (uint64_t i = 0; i < row.size(); ++i) view.put(i, row[i]);
}

void store_body(Block& block) {
  const uint64_t position = position_of(block, block.param<Ints>(0));
  const uint64_t capacity = block.param<uint32_t>(3);
  Row row = load(block, block.param<Floats>(1), block.index());
  turn(row.data(), row.size(), position);
  if (position < capacity)
    replace(block, block.param<Floats>(2), block.index() * capacity + position, row);
}

// The weighted mean of `rows` for one head.
void attend(const Row& rows, const float* q, uint64_t width, float* out) {
  const uint64_t count = rows.size() / width;
  std::vector<float> weights(count);
  for (uint64_t i = 0; i < count; ++i)
    weights[i] = dot(q, rows.data() + i * width, width) / std::sqrt(static_cast<float>(width));
  const float most = *std::max_element(weights.begin(), weights.end());
  float sum = 0;
  for (float& weight : weights) sum += weight = std::exp(weight - most);
  for (uint64_t i = 0; i < count; ++i)
    for (uint64_t k = 0; k < width; ++k) out[k] += weights[i] / sum * rows[i * width + k];
}

void attention_body(Block& block) {
  const auto cache = block.param<Floats>(2);
  const uint64_t capacity = block.param<uint32_t>(3), width = cache.columns;
  const uint64_t seen = std::min(position_of(block, block.param<Ints>(0)) + 1, capacity);
  const Row q = load(block, block.param<Floats>(1), block.index());
  const Row rows = load(block, cache.row(block.index() * capacity), seen * width);
  Row out(q.size());
  for (uint64_t i = 0; i + width <= q.size(); i += width)
    attend(rows, q.data() + i, width, out.data() + i);
  store(block, block.param<Floats>(4), block.index(), out);
}

void learn_body(Block& block) {
  const uint64_t position = position_of(block, block.param<Ints>(0));
  const auto memory = block.param<Memory>(3);
  const uint64_t place = position * block.count() + block.index();
  const int32_t next =
      load_int(block, block.param<Ints>(2), (position + 1) * block.count() + block.index());
  replace(block, memory.states, place, load(block, block.param<Floats>(1), block.index()));
  block.update<int32_t>(memory.tokens.at(place)).put(0, next);
  block.write<int32_t>(block.param<Ints>(4).at(block.index())).put(0, next);
}

float distance(const Row& a, const Row& b) {
  float sum = 0;
  for (uint64_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

void answer_body(Block& block) {
  const uint64_t position = position_of(block, block.param<Ints>(0));
  const Row hidden = load(block, block.param<Floats>(1), block.index());
  const auto memory = block.param<Memory>(2);
  uint64_t nearest = 0;
  float least = std::numeric_limits<float>::infinity();
  for (uint64_t i = 0; i < memory.states.rows; ++i) {
    const float far = distance(hidden, load(block, memory.states, i));
    if (far < least) least = far, nearest = i;
  }
  const int32_t token = load_int(block, memory.tokens, nearest);
  block.write<int32_t>(block.param<Ints>(3).at(block.index())).put(0, token);
  const auto history = block.param<Ints>(4);
  const uint64_t place = position * block.count() + block.index();
  if (place < history.count) block.update<int32_t>(history.at(place)).put(0, token);
}

void advance_body(Block& block) {
  const auto position = block.update<int32_t>(block.param<Ints>(0).address);
  position.put(0, position.get(0) + 1);
}

}  // namespace

Floats matrix(uint64_t address, uint32_t rows, uint32_t columns) {
  return {address, columns, rows, columns};
}

Floats columns_of(const Floats& all, uint32_t first, uint32_t count) {
  BOHR_CHECK(first + count <= all.columns);
  return {all.address + first * sizeof(float), all.stride, all.rows, count};
}

KernelLaunch random_weights(const std::string& name, uint32_t seed, const Floats& out) {
  KernelLaunch launch = launch_of(name, random_body, out.rows, gpu::pack(seed, out));
  declare(&launch, out, Mode::write);
  return launch;
}

KernelLaunch embed(const Ints& tokens, const Floats& table, const Floats& out) {
  KernelLaunch launch = launch_of("embed", embed_body, out.rows, gpu::pack(tokens, table, out));
  declare(&launch, tokens, Mode::read);
  declare(&launch, table, Mode::read);
  declare(&launch, out, Mode::write);
  return launch;
}

KernelLaunch rms_norm(const std::string& name, const Floats& in, const Floats& out) {
  BOHR_CHECK(in.rows == out.rows && in.columns == out.columns);
  KernelLaunch launch = launch_of(name, norm_body, out.rows, gpu::pack(in, out));
  declare(&launch, in, Mode::read);
  declare(&launch, out, Mode::write);
  return launch;
}

KernelLaunch project(const std::string& name, const Floats& in, const Floats& weights,
                     const Floats& out, bool add) {
  BOHR_CHECK(in.columns == weights.columns && out.columns == weights.rows && in.rows == out.rows);
  KernelLaunch launch =
      launch_of(name, add ? project_add_body : project_body, out.rows, gpu::pack(in, weights, out));
  declare(&launch, in, Mode::read);
  declare(&launch, weights, Mode::read);
  declare(&launch, out, add ? Mode::update : Mode::write);
  return launch;
}

KernelLaunch rope(const std::string& name, const Ints& position, uint32_t head, const Floats& q) {
  KernelLaunch launch = launch_of(name, rope_body, q.rows, gpu::pack(position, head, q));
  declare(&launch, position, Mode::read);
  declare(&launch, q, Mode::update);
  return launch;
}

KernelLaunch rope_store(const std::string& name, const Ints& position, const Floats& kv,
                        const Floats& cache, uint32_t capacity) {
  BOHR_CHECK(kv.columns == cache.columns && kv.rows * capacity == cache.rows);
  KernelLaunch launch =
      launch_of(name, store_body, kv.rows, gpu::pack(position, kv, cache, capacity));
  declare(&launch, position, Mode::read);
  declare(&launch, kv, Mode::read);
  declare(&launch, cache, Mode::update);
  return launch;
}

KernelLaunch attention(const Ints& position, const Floats& q, const Floats& cache,
                       uint32_t capacity, const Floats& out) {
  BOHR_CHECK(q.columns % cache.columns == 0 && out.columns == q.columns);
  KernelLaunch launch =
      launch_of("attention", attention_body, q.rows, gpu::pack(position, q, cache, capacity, out));
  declare(&launch, position, Mode::read);
  declare(&launch, q, Mode::read);
  declare(&launch, cache, Mode::read);
  declare(&launch, out, Mode::write);
  return launch;
}

KernelLaunch learn(const Ints& position, const Floats& hidden, const Ints& script,
                   const Memory& memory, const Ints& tokens) {
  KernelLaunch launch = launch_of("learn", learn_body, hidden.rows,
                                  gpu::pack(position, hidden, script, memory, tokens));
  declare(&launch, position, Mode::read);
  declare(&launch, hidden, Mode::read);
  declare(&launch, script, Mode::read);
  declare(&launch, memory.states, Mode::update);
  declare(&launch, memory.tokens, Mode::update);
  declare(&launch, tokens, Mode::write);
  return launch;
}

KernelLaunch answer(const Ints& position, const Floats& hidden, const Memory& memory,
                    const Ints& tokens, const Ints& history) {
  KernelLaunch launch = launch_of("answer", answer_body, hidden.rows,
                                  gpu::pack(position, hidden, memory, tokens, history));
  declare(&launch, position, Mode::read);
  declare(&launch, hidden, Mode::read);
  declare(&launch, memory.states, Mode::read);
  declare(&launch, memory.tokens, Mode::read);
  declare(&launch, tokens, Mode::write);
  declare(&launch, history, Mode::update);
  return launch;
}

KernelLaunch advance(const Ints& position) {
  KernelLaunch launch = launch_of("advance", advance_body, 1, gpu::pack(position));
  declare(&launch, position, Mode::update);
  return launch;
}

}  // namespace bohr::app::demo
