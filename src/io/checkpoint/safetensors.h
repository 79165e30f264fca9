// Reading safetensors files (github.com/huggingface/safetensors, "Format"), with every check of
// the original library. proto/README.md has the grammar.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/checkpoint/mapped_file.h"
#include "io/checkpoint/stored_tensor.h"
#include "singa/base/error.h"

namespace singa {

// A tensor that is missing, or of another type or shape than its reader asks for. Of a file that is
// intact it says that the reader wants something else.
class MisfitError : public DataError {
 public:
  MisfitError(const std::string& file, const std::string& message) : DataError(file, -1, message) {}
};

// Views the tensors in `bytes`, which must outlive it.
class Safetensors {
 public:
  static constexpr uint64_t kMaxHeaderBytes = 100'000'000;  // the original's limit

  // Throws DataError naming `file`.
  Safetensors(std::span<const std::byte> bytes, const std::string& file);

  const std::string& file() const { return file_; }
  // In the order of their data.
  const std::vector<StoredTensor>& tensors() const { return tensors_; }
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  // nullptr where there is none.
  const StoredTensor* Find(const std::string& name) const;

  // The numbers of tensor `name`. Throws DataError where it is missing, has another type or shape,
  // or is not aligned.
  template <typename T>
  std::span<const T> Values(const std::string& name, const Shape& shape) const {
    const StoredTensor& tensor = Checked(name, kStoredTypeOf<T>, shape);
    return {static_cast<const T*>(tensor.data), static_cast<size_t>(shape.size())};
  }

 private:
  const StoredTensor& Checked(const std::string& name, StoredType type, const Shape& shape) const;

  std::string file_;
  std::vector<StoredTensor> tensors_;
  std::map<std::string, size_t> index_;  // name -> place in tensors_
  std::map<std::string, std::string> metadata_;
};

// A safetensors file in memory.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(MappedFile file)
      : file_(std::move(file)), view_(file_.bytes(), file_.path()) {}
  std::span<const std::byte> bytes() const { return file_.bytes(); }
  const Safetensors& view() const { return view_; }

 private:
  MappedFile file_;
  Safetensors view_;
};

}  // namespace singa
