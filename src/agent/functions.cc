// SPDX-License-Identifier: Apache-2.0
#include "agent/functions.h"

#include <cstring>

#include "agent/cubin.h"
#include "agent/kept_code.h"
#include "agent/recorder.h"

namespace bohr::agent {
namespace {

constexpr uint64_t kMaxImage = 64 * 1024;

constexpr size_t kMostCubinKernels = 1 << 16;

// Fills offsets and sizes from one of the two calls. The list of parameters ends with the first
// index that is refused; where that is the first of all, for the reason that there is none.
template <class Handle, class Query>
void read_layout(Query query, Handle handle, FunctionInfo* info) {
  size_t offset = 0, size = 0, i = 0;
  CUresult result = CUDA_SUCCESS;
  for (; (result = query(handle, i, &offset, &size)) == CUDA_SUCCESS; ++i) {
    info->offsets.push_back(offset);
    info->sizes.push_back(size);
    info->image = std::max<uint64_t>(info->image, offset + size);
  }
  const bool told = i > 0 || result == CUDA_ERROR_INVALID_VALUE;
  info->layout_known = told && info->image <= kMaxImage;
  if (info->layout_known) info->layout = trace::LayoutSource::driver;
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

std::string image_of(Recorder& r, const std::string& name) {
  std::lock_guard lock(r.mutex);
  const auto found = r.functions.cubins.find(name);
  return found == r.functions.cubins.end() ? std::string() : found->second.image;
}

// False: no cubin that was loaded has such a kernel, or several have, and disagree.
bool take_cubin_layout(Recorder& r, const std::string& name, FunctionInfo* info) {
  std::lock_guard lock(r.mutex);
  const auto found = r.functions.cubins.find(name);
  if (found == r.functions.cubins.end() || !found->second.agreed) return false;
  FunctionInfo told;
  told.offsets = found->second.offsets, told.sizes = found->second.sizes;
  for (size_t i = 0; i < told.sizes.size(); ++i)
    told.image = std::max(told.image, told.offsets[i] + told.sizes[i]);
  told.layout_known = told.image <= kMaxImage;
  told.layout = trace::LayoutSource::cubin;
  *info = told;
  return true;
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
  if (!info->layout_known && take_cubin_layout(r, name, info.get()) &&
      !r.cubins_told.exchange(true))
    diagnose(r, "note", "where parameters of kernels lie is known from their cubins alone");
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
  trace::Code code;
  code.function = info->number;
  code.layout = info->layout;
  code.image = r.log->text(image_of(r, name));
  r.log->append(code);
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

void code_loaded(Recorder& r, const void* image) {
  const std::optional<CodeImage> code = code_image(image);
  if (!code) return;
  const std::string image_name = keep_code(r, *code);
  if (!code->cubin) return;
  std::vector<CubinKernel> kernels = kernels_of_cubin({code->begin, code->bytes});
  std::lock_guard lock(r.mutex);
  auto& known = r.functions.cubins;
  for (CubinKernel& kernel : kernels) {
    if (known.size() >= kMostCubinKernels) return;
    CubinLayout layout{std::move(kernel.offsets), std::move(kernel.sizes), image_name};
    const auto [at, is_new] = known.try_emplace(std::move(kernel.name), layout);
    if (!is_new && at->second != layout) at->second.agreed = false, at->second.image.clear();
  }
}

void forget_functions(Recorder& r) {
  std::lock_guard lock(r.mutex);
  r.functions.infos.clear();
}

}  // namespace bohr::agent
