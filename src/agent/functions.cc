// SPDX-License-Identifier: Apache-2.0
#include "agent/functions.h"

#include <cstring>

#include "agent/recorder.h"

namespace bohr::agent {
namespace {

constexpr uint64_t kMaxImage = 64 * 1024;

// Fills offsets and sizes from one of the two calls; false when the handle is not of its kind. The
// list of parameters ends with the first index that is refused.
template <class Handle, class Query>
void read_layout(Query query, Handle handle, FunctionInfo* info) {
  size_t offset = 0, size = 0;
  for (size_t i = 0; query(handle, i, &offset, &size) == CUDA_SUCCESS; ++i) {
    info->offsets.push_back(offset);
    info->sizes.push_back(size);
    info->image = std::max<uint64_t>(info->image, offset + size);
  }
  info->layout_known = info->image <= kMaxImage;
}

// A handle whose name can be read is of that kind; then an empty layout means no parameters.
std::string describe(Recorder& r, CUfunction function, FunctionInfo* info) {
  const char* name = nullptr;
  if (r.driver.cuFuncGetName && r.driver.cuFuncGetName(&name, function) == CUDA_SUCCESS) {
    read_layout(r.driver.cuFuncGetParamInfo, function, info);
    if (!info->sizes.empty()) return name ? name : "";
  }
  const CUkernel kernel = reinterpret_cast<CUkernel>(function);
  const char* kernel_name = nullptr;
  if (r.driver.cuKernelGetName && r.driver.cuKernelGetName(&kernel_name, kernel) == CUDA_SUCCESS) {
    read_layout(r.driver.cuKernelGetParamInfo, kernel, info);
    return kernel_name ? kernel_name : "";
  }
  return name ? name : "";
}

void copy_buffer(void** extra, PackedParams* out) {
  const uint8_t* buffer = nullptr;
  size_t size = 0;
  for (void** at = extra; *at != CU_LAUNCH_PARAM_END; at += 2) {
    if (*at == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = static_cast<const uint8_t*>(at[1]);
    if (*at == CU_LAUNCH_PARAM_BUFFER_SIZE) size = *static_cast<const size_t*>(at[1]);
  }
  if (!buffer || size > kMaxImage) {
    out->form = trace::ParamForm::unreadable;
    return;
  }
  out->form = trace::ParamForm::buffer;
  out->bytes.assign(buffer, buffer + size);
}

}  // namespace

std::shared_ptr<const FunctionInfo> function_info(Recorder& r, CUfunction function,
                                                  const char* symbol) {
  {
    std::lock_guard lock(r.mutex);
    auto found = r.functions.infos.find(function);
    if (found != r.functions.infos.end()) return found->second;
  }
  auto info = std::make_shared<FunctionInfo>();
  std::string name = describe(r, function, info.get());
  if (name.empty() && symbol) name = symbol;
  {
    std::lock_guard lock(r.mutex);
    auto [found, inserted] = r.functions.infos.try_emplace(function, info);
    if (!inserted) return found->second;
    info->number = ++r.functions.last;
    if (r.applying) r.functions.names.push_back(name);
  }
  trace::Function record;
  record.function = info->number;
  record.name = r.log->text(name);
  record.offsets = info->offsets;
  record.sizes = info->sizes;
  record.layout_known = info->layout_known;
  r.log->append(record);
  return info;
}

std::string function_name(Recorder& r, uint32_t number) {
  std::lock_guard lock(r.mutex);
  const std::vector<std::string>& names = r.functions.names;
  return number > 0 && number <= names.size() ? names[number - 1] : std::string();
}

PackedParams pack_params(const FunctionInfo& info, void** params, void** extra) {
  PackedParams out;
  if (extra) {
    copy_buffer(extra, &out);
    return out;
  }
  if (!params || (info.layout_known && info.sizes.empty())) return out;
  if (!info.layout_known) {
    out.form = trace::ParamForm::unreadable;
    return out;
  }
  out.form = trace::ParamForm::array;
  out.bytes.resize(info.image);
  for (size_t i = 0; i < info.sizes.size(); ++i) {
    std::memcpy(out.bytes.data() + info.offsets[i], params[i], info.sizes[i]);
  }
  return out;
}

void forget_functions(Recorder& r) {
  std::lock_guard lock(r.mutex);
  r.functions.infos.clear();
}

}  // namespace bohr::agent
