// Safetensors reads safetensors files (github.com/huggingface/safetensors, "Format"), with all
// checks of the original library. proto/README.md has the grammar.
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

// A tensor is missing, or has another type or shape than its reader asks for. If the file is
// intact, the reader does not fit it.
class MisfitError : public DataError {
 public:
  MisfitError(const std::string& file, const std::string& message) : DataError(file, -1, message) {}
};

// Views the tensors in `bytes`, which must outlive it.
class Safetensors {
 public:
  static constexpr uint64_t kMaxHeaderBytes = 100'000'000;  // the original's limit

  // Parses the header. Throws DataError naming `file`.
  Safetensors(std::span<const std::byte> bytes, const std::string& file);

  const std::string& file() const { return file_; }
  // Tensors in the order of their data.
  const std::vector<StoredTensor>& tensors() const { return tensors_; }
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  // Returns nullptr if there is no tensor `name`.
  const StoredTensor* Find(const std::string& name) const;

  // Returns the numbers of tensor `name`. Throws DataError if it is missing, has another type or
  // shape, or is not aligned.
  template <typename T>
  std::span<const T> Values(const std::string& name, const Shape& shape) const {
    const StoredTensor& tensor = Checked(name, kStoredTypeOf<T>, shape);
    return {static_cast<const T*>(tensor.data), static_cast<size_t>(shape.size())};
  }

 private:
  const StoredTensor& Checked(const std::string& name, StoredType type, const Shape& shape) const;

  std::string file_;
  std::vector<StoredTensor> tensors_;
  std::map<std::string, size_t> index_;  // name -> index in tensors_
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
