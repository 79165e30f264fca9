// OnnxGraph: an ONNX model (opset 17) as it is built: nodes in the order of computation, constants,
// inputs and outputs. Every value has a name of its own.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "onnx/onnx.pb.h"
#include "singa/nn/param.h"

namespace singa {

using OnnxAttributes = std::vector<onnx::AttributeProto>;
using OnnxNames = std::vector<std::string>;
// A size of an input or output: a number, or the name of one that is free.
struct OnnxDim {
  OnnxDim(int64_t n) : size(n) {}
  OnnxDim(const char* free) : name(free) {}
  int64_t size = 0;
  std::string name;
};
using OnnxDims = std::vector<OnnxDim>;

inline constexpr int64_t kOnnxOpset = 17;

onnx::AttributeProto OnnxInt(const std::string& name, int64_t value);
onnx::AttributeProto OnnxFloat(const std::string& name, float value);
onnx::AttributeProto OnnxInts(const std::string& name, const std::vector<int64_t>& values);

// Of a batch of `shape`: the number of rows, "N", is free.
OnnxDims BatchDims(const Shape& shape);

class OnnxGraph {
 public:
  // `reserved`: names that Fresh never gives.
  explicit OnnxGraph(std::set<std::string> reserved);

  // A name that nothing has: `wish`, or one like it.
  std::string Fresh(const std::string& wish);

  // A node that computes the value or values `outputs`.
  void Add(const std::string& op, const OnnxNames& inputs, const OnnxNames& outputs,
           const OnnxAttributes& attributes = {});

  // Constants; each returns its name.
  std::string Floats(const std::string& wish, const std::vector<int64_t>& dims,
                     std::span<const float> values);
  std::string Ints(const std::string& wish, const std::vector<int64_t>& values);
  // A param under its own name, once for each shape that it is used in.
  std::string Weight(const Param& param, const std::vector<int64_t>& dims);
  // Params one behind the other, and zeros up to `dims`; once for each such list and shape.
  std::string Weights(const std::string& wish, const std::vector<const Param*>& params,
                      const std::vector<int64_t>& dims);

  // `type`: FLOAT or INT64.
  void AddInput(const std::string& name, const OnnxDims& dims,
                onnx::TensorProto::DataType type = onnx::TensorProto::FLOAT);
  void AddOutput(const std::string& name, const OnnxDims& dims);

  // Values of type int64: an input's, and what has its numbers.
  void SetInteger(const std::string& value) { integers_.insert(value); }
  bool IsInteger(const std::string& value) const { return integers_.count(value) > 0; }

  // Params that a node reads.
  std::set<const Param*> params() const;

  // What a reader finds under `key` in the model's metadata. A key that is there stays.
  void Describe(const std::string& key, const std::string& value);

  // "7 nodes, 1234 numbers in weights; data (N, 784) -> fc2 (N, 10)".
  std::string Summary() const;
  // The file's bytes, of a graph called `name`. Throws Error: they are too many for the format.
  std::string Serialize(const std::string& name);

 private:
  onnx::TensorProto* AddConstant(const std::string& name, const std::vector<int64_t>& dims);

  onnx::ModelProto model_;
  int64_t bytes_ = 0;  // of numbers
  std::set<std::string> names_, integers_;
  std::map<std::string, int> copies_;  // that Fresh has made of a wish
  // By params and shape.
  std::map<std::pair<std::vector<const Param*>, std::vector<int64_t>>, std::string> weights_;
};

}  // namespace singa
