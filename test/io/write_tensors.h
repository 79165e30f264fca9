// WriteTensors writes a file of values, such as a checkpoint's params.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/file/file_system.h"
#include "io/checkpoint/safetensors_writer.h"

namespace singa {

inline void WriteTensors(const std::string& path, const std::vector<StoredTensor>& tensors) {
  const std::unique_ptr<WritableFile> file = PosixFileSystem().Create(path);
  WriteSafetensors(tensors, file.get());
  file->Close();
}

}  // namespace singa
