// OnnxGraph builds an ONNX model (opset 17): nodes in the order of computation, constants, inputs
// and outputs. Every value has a unique name.
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
// A size of an input or output: a number, or the name of a free size.
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

// Returns the sizes of a batch of `shape`, with a free number of rows, "N".
OnnxDims BatchDims(const Shape& shape);

class OnnxGraph {
 public:
  // Fresh never gives the names in `reserved`.
  explicit OnnxGraph(std::set<std::string> reserved);

  // Returns an unused name: `wish`, or a similar one.
  std::string Fresh(const std::string& wish);

  // Adds a node that computes the value or values `outputs`.
  void Add(const std::string& op, const OnnxNames& inputs, const OnnxNames& outputs,
           const OnnxAttributes& attributes = {});

  // Add constants. Each returns the constant's name.
  std::string Floats(const std::string& wish, const std::vector<int64_t>& dims,
                     std::span<const float> values);
  std::string Ints(const std::string& wish, const std::vector<int64_t>& values);
  // Adds a param under its own name, once for each shape in which it is used. Returns its name.
  std::string Weight(const Param& param, const std::vector<int64_t>& dims);
  // Adds params one after the other, and zeros up to `dims`, once for each list and shape. Returns
  // the name.
  std::string Weights(const std::string& wish, const std::vector<const Param*>& params,
                      const std::vector<int64_t>& dims);

  // Adds an input. `type` is FLOAT or INT64.
  void AddInput(const std::string& name, const OnnxDims& dims,
                onnx::TensorProto::DataType type = onnx::TensorProto::FLOAT);
  void AddOutput(const std::string& name, const OnnxDims& dims);

  // Marks a value as int64: an input's, or one with an input's numbers.
  void SetInteger(const std::string& value) { integers_.insert(value); }
  bool IsInteger(const std::string& value) const { return integers_.count(value) > 0; }

  // Returns the params that nodes read.
  std::set<const Param*> params() const;

  // Adds `value` under `key` to the model's metadata, unless the key exists.
  void Describe(const std::string& key, const std::string& value);

  // Returns "7 nodes, 1234 numbers in weights; data (N, 784) -> fc2 (N, 10)".
  std::string Summary() const;
  // Returns the bytes of a file with a graph called `name`. Throws Error if they are too many for
  // the format.
  std::string Serialize(const std::string& name);

 private:
  onnx::TensorProto* AddConstant(const std::string& name, const std::vector<int64_t>& dims);

  onnx::ModelProto model_;
  int64_t bytes_ = 0;  // bytes of all constants
  std::set<std::string> names_, integers_;
  std::map<std::string, int> copies_;  // by wish: number of names that Fresh has made
  // Names of weights by params and shape.
  std::map<std::pair<std::vector<const Param*>, std::vector<int64_t>>, std::string> weights_;
};

}  // namespace singa
