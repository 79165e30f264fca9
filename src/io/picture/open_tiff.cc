#include "io/picture/open_tiff.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <new>

#include "io/value_error.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

TiffFile& FileOf(thandle_t handle) { return *static_cast<TiffFile*>(handle); }

tmsize_t ReadBytes(thandle_t handle, void* out, tmsize_t size) {
  TiffFile& file = FileOf(handle);
  const uint64_t rest = file.at < file.bytes.size() ? file.bytes.size() - file.at : 0;
  const uint64_t n = std::min<uint64_t>(rest, size < 0 ? 0 : static_cast<uint64_t>(size));
  if (n > 0) std::memcpy(out, file.bytes.data() + file.at, n);
  file.at += n;
  return static_cast<tmsize_t>(n);
}

tmsize_t WriteNothing(thandle_t, void*, tmsize_t) { return 0; }

toff_t MoveTo(thandle_t handle, toff_t offset, int whence) {
  TiffFile& file = FileOf(handle);
  const uint64_t from = whence == SEEK_CUR ? file.at : whence == SEEK_END ? file.bytes.size() : 0;
  file.at = from + offset;
  return file.at;
}

int CloseNothing(thandle_t) { return 0; }
toff_t SizeOf(thandle_t handle) { return FileOf(handle).bytes.size(); }

// Keeps the first error. Returns 1, so that libtiff prints nothing.
int KeepError(TIFF*, void* file, const char*, const char* format, va_list values) {
  std::array<char, 256>& text = static_cast<TiffFile*>(file)->error;
  if (text[0] == 0) std::vsnprintf(text.data(), text.size(), format, values);
  return 1;
}
int DropWarning(TIFF*, void*, const char*, const char*, va_list) { return 1; }

struct FreeOptions {
  void operator()(TIFFOpenOptions* options) const { TIFFOpenOptionsFree(options); }
};

}  // namespace

TiffHandle OpenTiff(TiffFile* file) {
  const std::unique_ptr<TIFFOpenOptions, FreeOptions> options(TIFFOpenOptionsAlloc());
  if (!options) throw std::bad_alloc();
  TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), kMaxTiffBlock);
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), KeepError, file);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), DropWarning, file);
  // m: libtiff does not map the file.
  TiffHandle tiff(TIFFClientOpenExt("picture", "rm", file, ReadBytes, WriteNothing, MoveTo,
                                    CloseNothing, SizeOf, nullptr, nullptr, options.get()));
  if (!tiff) FailTiff(*file);
  return tiff;
}

void FailTiff(const TiffFile& file, const std::string& place) {
  throw ValueError(
      StrCat("damaged TIFF: ", place, file.error[0] ? file.error.data() : "cannot be read"));
}

}  // namespace singa
