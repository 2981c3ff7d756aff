// SPDX-License-Identifier: Apache-2.0
// cublas_gemm race|clean: a captured matrix product of cuBLAS whose result a side stream reads,
// forked before the product instead of after it.
// From parameters alone: the product is the first access of the result's lifetime, and `consume`
// reads it (pointer to const). race: a finding of class data. clean: clean.
#include <cublas_v2.h>

#include "program.h"

namespace {

constexpr int kOrder = 128;  // kElements = kOrder * kOrder

void multiply(cublasHandle_t blas, const float* a, float* result) {
  const float one = 1, zero = 0;
  if (cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, kOrder, kOrder, kOrder, &one, a, kOrder, a,
                  kOrder, &zero, result, kOrder) != CUBLAS_STATUS_SUCCESS) {
    std::fprintf(stderr, "cublasSgemm failed\n");
    std::exit(1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool race = wants_race(argc, argv);
  cudaStream_t main = side_stream(), side = side_stream();
  cudaEvent_t fork = event_without_timing(), join = event_without_timing();
  float *a = device_floats(), *warm = device_floats(), *c = device_floats(), *out = device_floats();
  cublasHandle_t blas = nullptr;
  if (cublasCreate(&blas) != CUBLAS_STATUS_SUCCESS) return 1;
  cublasSetStream(blas, main);
  produce<<<kGrid, kBlock, 0, main>>>(a, 1);
  multiply(blas, a, warm);
  CHECK(cudaStreamSynchronize(main));
  CHECK(cudaStreamBeginCapture(main, cudaStreamCaptureModeThreadLocal));
  if (race) order(main, side, fork);
  multiply(blas, a, c);
  if (!race) order(main, side, fork);
  consume<<<kGrid, kBlock, 0, side>>>(c, out);
  order(side, main, join);
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamEndCapture(main, &graph));
  launch_graph(graph, main, 3);
  cublasDestroy(blas);
  for (float* memory : {a, warm, c, out}) CHECK(cudaFree(memory));
}
