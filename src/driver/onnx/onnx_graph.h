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

inline constexpr int64_t kOnnxOpset = 17;

onnx::AttributeProto OnnxInt(const std::string& name, int64_t value);
onnx::AttributeProto OnnxFloat(const std::string& name, float value);
onnx::AttributeProto OnnxInts(const std::string& name, const std::vector<int64_t>& values);

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

  // Of type float; the first size, the batch, is the variable N.
  void AddInput(const std::string& name, const Shape& shape);
  void AddOutput(const std::string& name, const Shape& shape);

  bool IsInput(const std::string& name) const { return inputs_.count(name) > 0; }
  // Params that a node reads.
  const std::map<std::pair<const Param*, std::vector<int64_t>>, std::string>& weights() const {
    return weights_;
  }

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
  std::set<std::string> names_, inputs_;
  std::map<std::pair<const Param*, std::vector<int64_t>>, std::string> weights_;
};

}  // namespace singa
