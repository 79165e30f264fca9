// OnnxModel is what an import reads of an ONNX file (github.com/onnx/onnx, onnx.proto). Its tensors
// point into the file's bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace singa {

// Numbers of one of TensorProto's lists. A list may come in several parts.
struct TensorPart {
  int field = 0;  // of TensorProto
  std::string_view numbers;
};

struct OnnxTensor {
  std::string name;
  std::vector<int64_t> dims;  // each >= 0; their product is bounded
  int type = 0;               // onnx::TensorProto::DataType
  std::optional<std::string_view> raw = {};
  std::vector<TensorPart> parts = {};
  bool is_external = false;  // its numbers are in another file
  std::map<std::string, std::string> external = {};

  int64_t size() const;
};

struct OnnxAttribute {
  std::string name;
  std::optional<float> number = {};
  std::optional<int64_t> integer = {};
  std::optional<std::string> text = {};
  std::optional<OnnxTensor> tensor = {};
  std::vector<int64_t> integers = {};
  std::vector<std::string> texts = {};
  bool is_graph = false;  // or several graphs
};

struct OnnxNode {
  std::string name, op, domain;
  std::vector<std::string> inputs = {}, outputs = {};
  std::vector<OnnxAttribute> attributes = {};

  // Returns "node \"conv1\" (Conv)"; the first output stands for a name that is not set.
  std::string Text() const;
  // Returns nullptr if the node does not have the attribute.
  const OnnxAttribute* Find(const std::string& wanted) const;
};

// An input or output of the graph. A size that is free is -1.
struct OnnxValueInfo {
  std::string name;
  int type = 0;
  bool has_shape = false;
  std::vector<int64_t> dims = {};
};

struct OnnxModel {
  int64_t opset = 0;                 // of the operators of ONNX itself
  std::vector<OnnxNode> nodes = {};  // each after the nodes that it reads
  std::vector<OnnxTensor> constants = {};
  std::vector<OnnxValueInfo> inputs = {}, outputs = {};
  std::map<std::string, std::string> metadata = {};
};

// Reads the bytes of an ONNX file, which must outlive the model, and sorts its nodes. Throws
// DataError naming `file`. Counts, sizes and names are bounded before memory is taken.
OnnxModel ReadOnnxModel(std::span<const std::byte> bytes, const std::string& file);

}  // namespace singa
