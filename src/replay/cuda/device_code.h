// SPDX-License-Identifier: Apache-2.0
// device.cu, compiled: a fat binary that the build turns into an array; the text "0" where it was
// built without nvcc.
#pragma once

namespace bohr::replay::cuda {

extern const unsigned char device_code[];

}  // namespace bohr::replay::cuda
