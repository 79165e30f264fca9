// ReadPooling reads the window of a pooling_conf.
#pragma once

#include "nn/feature/window.h"
#include "singa/proto/layer.pb.h"

namespace singa {

// Throws unless every window has an element that is no padding.
inline void CheckPad(const WindowFields& fields) {
  const WindowSide& side = fields.side;
  if (side.pad >= side.kernel)
    throw ConfigError(fields.pad,
                      StrCat("must be less than the kernel, ", side.kernel, ", is ", side.pad));
}

// Throws if `conf` sets a number of a window that is the whole image.
inline void CheckGlobal(const PoolingProto& conf, const std::string& path) {
  const std::pair<bool, const char*> fields[] = {
      {conf.has_kernel(), "kernel"},     {conf.has_kernel_x(), "kernel_x"},
      {conf.has_kernel_y(), "kernel_y"}, {conf.has_pad(), "pad"},
      {conf.has_pad_x(), "pad_x"},       {conf.has_pad_y(), "pad_y"},
      {conf.has_stride(), "stride"},     {conf.has_stride_x(), "stride_x"},
      {conf.has_stride_y(), "stride_y"}};
  for (const auto& [set, name] : fields)
    if (set)
      throw ConfigError(path + "." + name,
                        "must not be set beside global_pooling: the window is the whole image");
}

// Reads and checks the window of `conf`, at `path`. Throws ConfigError.
inline Window ReadPooling(const PoolingProto& conf, const std::string& path, const ImageShape& in) {
  if (conf.global_pooling()) {
    CheckGlobal(conf, path);
    return {{.kernel = in.h}, {.kernel = in.w}};
  }
  const Window window = ReadWindow(conf, path, in);
  CheckPad(RowsOf(conf, path));
  CheckPad(ColumnsOf(conf, path));
  return window;
}

}  // namespace singa
