// SPDX-License-Identifier: Apache-2.0
// Kernel functions: name, parameter layout, and the packed image of one call's parameters. The
// driver tells the layout, or where it does not, the cubin that the function came from.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "trace/writer/records.h"

namespace bohr::agent {

struct Recorder;

struct FunctionInfo {
  uint32_t number = 0;
  std::vector<uint64_t> offsets;
  std::vector<uint64_t> sizes;
  uint64_t image = 0;  // bytes of the packed parameters
  bool layout_known = false;
  trace::LayoutSource layout = trace::LayoutSource::none;
};

// What the cubins that were loaded say of the kernels of one name.
struct CubinLayout {
  std::vector<uint64_t> offsets;
  std::vector<uint64_t> sizes;
  std::string image;   // what was kept of the first of them
  bool agreed = true;  // all of them say this
  bool operator==(const CubinLayout&) const = default;
};

struct Functions {
  std::unordered_map<CUfunction, std::shared_ptr<const FunctionInfo>> infos;
  std::vector<std::string> names;  // by number, from 1; kept only where graphs are repaired
  std::unordered_map<std::string, CubinLayout> cubins;  // by mangled name
  uint32_t last = 0;
};

struct PackedParams {
  trace::ParamForm form = trace::ParamForm::none;
  trace::Bytes bytes;
};

// Reads the layout the first time, which is only possible once the function is loaded: call it when
// a launch has returned, not when it begins. `function` may be a CUkernel in disguise. `symbol` is
// used as name where the driver gives none.
std::shared_ptr<const FunctionInfo> function_info(Recorder& r, CUfunction function,
                                                  const char* symbol);

// Of a number that was given out; empty where names are not kept.
std::string function_name(Recorder& r, uint32_t number);

PackedParams pack_params(const FunctionInfo& info, void** params, void** extra);

// The program loaded code from there.
void code_loaded(Recorder& r, const void* image);

// Code was unloaded: handles may come back as other functions.
void forget_functions(Recorder& r);

}  // namespace bohr::agent
