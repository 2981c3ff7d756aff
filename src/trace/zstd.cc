// SPDX-License-Identifier: Apache-2.0
// Streaming, so memory follows what was really decompressed and not what the file claims. Several
// frames in one file are read one after the other, as the zstd tool does.
#include "trace/zstd.h"

#include <zstd.h>

#include <algorithm>
#include <array>
#include <memory>

namespace bohr::trace {
namespace {

// Largest window that a frame may ask for: that of the zstd tool's own default.
constexpr int kMostWindowLog = 27;

constexpr int kLevel = 9;

struct FreeContext {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

Error refused(const std::string& source, size_t at, const std::string& why) {
  return {"input-zstd", source, "byte " + std::to_string(at) + " of the compressed file", why,
          "check the file with: zstd -t FILE"};
}

}  // namespace

bool is_zstd(std::span<const uint8_t> bytes) {
  constexpr std::array<uint8_t, 4> kFrameMagic = {0x28, 0xb5, 0x2f, 0xfd};
  return bytes.size() >= kFrameMagic.size() &&
         std::equal(kFrameMagic.begin(), kFrameMagic.end(), bytes.begin());
}

Result<std::vector<uint8_t>> decompress(std::span<const uint8_t> bytes, size_t most,
                                        const std::string& source) {
  const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  if (!context) return refused(source, 0, "out of memory");
  ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, kMostWindowLog);
  std::vector<uint8_t> result;
  std::vector<uint8_t> chunk(ZSTD_DStreamOutSize());
  ZSTD_inBuffer in = {bytes.data(), bytes.size(), 0};
  size_t missing = 1;  // 0 at the end of a frame
  ZSTD_outBuffer out = {};
  do {
    out = {chunk.data(), chunk.size(), 0};
    missing = ZSTD_decompressStream(context.get(), &out, &in);
    if (ZSTD_isError(missing)) return refused(source, in.pos, ZSTD_getErrorName(missing));
    if (out.pos > most - result.size()) {
      return refused(source, in.pos, "more than " + std::to_string(most) + " bytes decompressed");
    }
    result.insert(result.end(), chunk.begin(), chunk.begin() + static_cast<ptrdiff_t>(out.pos));
  } while (in.pos < in.size || out.pos == out.size);
  if (missing != 0) return refused(source, in.pos, "the compressed data is cut off");
  return result;
}

Result<std::vector<uint8_t>> compress(std::span<const uint8_t> bytes) {
  const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  std::vector<uint8_t> result(ZSTD_compressBound(bytes.size()));
  size_t size = 0;
  if (context) {
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
    size = ZSTD_compress2(context.get(), result.data(), result.size(), bytes.data(), bytes.size());
  }
  if (!context || ZSTD_isError(size) != 0)
    return Error{"compress", "cannot compress", std::to_string(bytes.size()) + " bytes",
                 context ? ZSTD_getErrorName(size) : "out of memory", ""};
  result.resize(size);
  return result;
}

}  // namespace bohr::trace
