// OpenTiff opens a TIFF file in memory by libtiff, which prints nothing. decode_tiff.cc alone uses
// it.
#pragma once

#include <tiffio.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string>

#include "io/format/value_parser.h"
#include "singa/base/str_cat.h"

namespace singa::tiff {

// Limit of a strip, a tile, and each of libtiff's own blocks of memory.
inline constexpr int64_t kMaxBlockBytes = int64_t{1} << 28;

// A file in memory, as libtiff reads it, and its first error.
struct MemoryFile {
  std::span<const uint8_t> bytes;
  uint64_t at = 0;
  std::array<char, 256> error{};
};

inline MemoryFile& FileOf(thandle_t handle) { return *static_cast<MemoryFile*>(handle); }

inline tmsize_t ReadBytes(thandle_t handle, void* out, tmsize_t size) {
  MemoryFile& file = FileOf(handle);
  const uint64_t rest = file.at < file.bytes.size() ? file.bytes.size() - file.at : 0;
  const uint64_t n = std::min<uint64_t>(rest, size < 0 ? 0 : static_cast<uint64_t>(size));
  if (n > 0) std::memcpy(out, file.bytes.data() + file.at, n);
  file.at += n;
  return static_cast<tmsize_t>(n);
}

inline tmsize_t WriteNothing(thandle_t, void*, tmsize_t) { return 0; }

inline toff_t MoveTo(thandle_t handle, toff_t offset, int whence) {
  MemoryFile& file = FileOf(handle);
  const uint64_t from = whence == SEEK_CUR ? file.at : whence == SEEK_END ? file.bytes.size() : 0;
  file.at = from + offset;
  return file.at;
}

inline int CloseNothing(thandle_t) { return 0; }
inline toff_t SizeOf(thandle_t handle) { return FileOf(handle).bytes.size(); }

// Keeps the first error. Returns 1, so that libtiff prints nothing.
inline int KeepError(TIFF*, void* file, const char*, const char* format, va_list values) {
  std::array<char, 256>& text = static_cast<MemoryFile*>(file)->error;
  if (text[0] == 0) std::vsnprintf(text.data(), text.size(), format, values);
  return 1;
}
inline int DropWarning(TIFF*, void*, const char*, const char*, va_list) { return 1; }

struct CloseTiff {
  void operator()(TIFF* tiff) const { TIFFClose(tiff); }
};
struct FreeOptions {
  void operator()(TIFFOpenOptions* options) const { TIFFOpenOptionsFree(options); }
};
using TiffHandle = std::unique_ptr<TIFF, CloseTiff>;

// `place`: where the damage is, such as "strip 3 of 8: ".
[[noreturn]] inline void Fail(const MemoryFile& file, const std::string& place = "") {
  throw ValueError(
      StrCat("damaged TIFF: ", place, file.error[0] ? file.error.data() : "cannot be read"));
}

inline TiffHandle OpenTiff(MemoryFile* file) {
  const std::unique_ptr<TIFFOpenOptions, FreeOptions> options(TIFFOpenOptionsAlloc());
  if (!options) throw std::bad_alloc();
  TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), kMaxBlockBytes);
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), KeepError, file);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), DropWarning, file);
  // m: libtiff does not map the file.
  TiffHandle tiff(TIFFClientOpenExt("picture", "rm", file, ReadBytes, WriteNothing, MoveTo,
                                    CloseNothing, SizeOf, nullptr, nullptr, options.get()));
  if (!tiff) Fail(*file);
  return tiff;
}

}  // namespace singa::tiff
