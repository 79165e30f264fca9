// ParamsFile holds the parameters that a JobProto.checkpoint_path names, in any kind of file.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "singa/tensor/shape.h"

namespace singa {

class ParamsFile {
 public:
  struct Entry {
    Shape shape;
    std::span<const float> values;  // valid while the ParamsFile exists; empty with kHeaders
    int64_t version = 0;            // number of updates; 0 if the file does not say
    bool by_v03 = false;            // SINGA 0.3 wrote it
  };
  enum class Kind { kCheckpoint, kSafetensors, kBlobProtos };

  Kind kind() const { return kind_; }
  // Returns the path of the file or folder that was read (see FindParams).
  const std::string& path() const { return path_; }
  // The parameters by name, without a leading "0#".
  const std::map<std::string, Entry>& params() const { return params_; }
  // Names of tensors that have no floating-point numbers.
  const std::vector<std::string>& left_out() const { return left_out_; }

 private:
  friend class ParamsFileReader;
  Kind kind_ = Kind::kCheckpoint;
  std::string path_;
  std::map<std::string, Entry> params_;
  std::vector<std::string> left_out_;
  std::vector<std::shared_ptr<const void>> memory_;  // memory of the values
};

// Loads the parameters at `path`: a workspace, a checkpoint's folder or a file, as FindParams. A
// checkpoint with averages of the values (JobProto.ema_decay) gives these averages, while its
// model.safetensors has the values with which training continues. With kHeaders the values are not
// read, so their damage is not found. Throws DataError or FileError (kExitNoInput: nothing exists).
enum class Reading { kWhole, kHeaders };
ParamsFile LoadParams(const std::string& path, Reading reading = Reading::kWhole);

}  // namespace singa
