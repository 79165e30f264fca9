// TensorValues decodes tensors of an ONNX file, whose numbers may lie in files beside it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "driver/onnx/import/onnx_model.h"
#include "io/checkpoint/mapped_file.h"

namespace singa {

class TensorValues {
 public:
  // `model_file`: the path of the ONNX file. Its tensors' other files must be in its folder.
  explicit TensorValues(std::string model_file) : model_file_(std::move(model_file)) {}

  // Return whether the tensor's type is one that Floats or Integers reads.
  static bool HasFloats(const OnnxTensor& tensor);
  static bool HasIntegers(const OnnxTensor& tensor);
  // Return the numbers. Throw DataError, naming the tensor, if they are of another kind or too few
  // or too many; if an external file lies outside the folder, or is too short. Memory is taken
  // only after the size was compared with the file's.
  std::vector<float> Floats(const OnnxTensor& tensor);      // float, double, float16, bfloat16
  std::vector<int64_t> Integers(const OnnxTensor& tensor);  // int64, int32

 private:
  [[noreturn]] void Fail(const OnnxTensor& tensor, const std::string& message) const;
  // Throws DataError if numbers were read too often: a small file may name a large constant in many
  // nodes.
  void CountReading(const OnnxTensor& tensor);
  // Returns the bytes of raw_data or of the external file.
  std::string_view Bytes(const OnnxTensor& tensor);
  std::string_view External(const OnnxTensor& tensor);
  int64_t Offset(const OnnxTensor& tensor, const std::string& key, int64_t missing) const;
  std::string PathOf(const OnnxTensor& tensor) const;
  // Returns the numbers of a list. Throws DataError if it is not that of the tensor's type.
  std::string_view NumbersOf(const OnnxTensor& tensor, const TensorPart& part, int field) const;
  template <typename To, typename From, typename Convert>
  std::vector<To> Fixed(const OnnxTensor& tensor, int field, Convert convert);
  template <typename To, typename Convert>
  std::vector<To> Varints(const OnnxTensor& tensor, int field, Convert convert) const;

  const std::string model_file_;
  std::map<std::string, MappedFile> files_;
  std::set<const OnnxTensor*> seen_;
  double read_ = 0, stored_ = 0;  // numbers, and those of `seen_`
};

}  // namespace singa
