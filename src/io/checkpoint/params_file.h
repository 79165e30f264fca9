// ParamsFile: the parameters of a JobProto.checkpoint_path, whatever kind of file that names.
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
    std::span<const float> values;  // as long as the ParamsFile lives; none under kHeaders
    int64_t version = 0;            // updates it had seen; 0 where the file does not say
    bool by_v03 = false;            // SINGA 0.3 wrote it
  };
  enum class Kind { kCheckpoint, kSafetensors, kBlobProtos };

  Kind kind() const { return kind_; }
  // Where they were found: `path`, or the folder read instead of v0.3's step<N>-worker<W>.
  const std::string& path() const { return path_; }
  // By name without a leading "0#".
  const std::map<std::string, Entry>& params() const { return params_; }
  // Names of tensors that hold no floating-point numbers.
  const std::vector<std::string>& left_out() const { return left_out_; }

 private:
  friend class ParamsFileReader;
  Kind kind_ = Kind::kCheckpoint;
  std::string path_;
  std::map<std::string, Entry> params_;
  std::vector<std::string> left_out_;
  std::vector<std::shared_ptr<const void>> memory_;  // what the values lie in
};

// `path` is whatever FindParams takes: a workspace, a checkpoint's folder or a file. kHeaders: the
// values are not read; so their damage is not found. Throws FileError (kExitNoInput: there is
// none), DataError.
enum class Reading { kWhole, kHeaders };
ParamsFile LoadParams(const std::string& path, Reading reading = Reading::kWhole);

}  // namespace singa
