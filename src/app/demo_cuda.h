// SPDX-License-Identifier: Apache-2.0
// The demo's story on a GPU: the same layer as a CUDA program of its own (bohr_demo_layer, beside
// the tool where the build had nvcc), counted by itself and then run under the recorder.
#pragma once

#include "app/demo.h"
#include "app/run.h"

namespace bohr::app::demo {

// Refused where the program is not there (`demo-program`) or finds no GPU (`demo-no-gpu`).
Result<Measured> measure_on_gpu(const Options& options, const Say& say);

// What the program writes of itself.
Result<ArmCount> read_count(Arm arm, const std::string& text, std::string* device,
                            std::string* right_answer);

}  // namespace bohr::app::demo
