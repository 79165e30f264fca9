// OnnxLayer turns one layer into nodes of an ONNX graph. Each type of layer has a function in a
// file of this folder; layers themselves do not know ONNX.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "driver/onnx/onnx_graph.h"
#include "driver/onnx/time_steps.h"
#include "singa/base/registry.h"
#include "singa/base/str_cat.h"
#include "singa/nn/net.h"

namespace singa {

// Returns the sizes of a row of a feature of this shape.
std::vector<int64_t> SizesBehindRows(const Shape& shape);

// The interface for a layer type's function. Shapes are logical: (N, c, h, w).
class OnnxLayer {
 public:
  // `in` are the values that the layer reads.
  OnnxLayer(const NetNode& node, OnnxNames in, TimeSteps* steps, OnnxGraph* graph);

  const NetNode& node() const { return node_; }
  const LayerProto& conf() const { return node_.conf; }
  OnnxGraph& graph() const { return *graph_; }
  const OnnxNames& in() const { return in_; }
  const Shape& in_shape() const { return node_.in[0]->data.shape(); }
  const Shape& out_shape() const { return node_.out[0]->data.shape(); }
  // Returns the sizes of a row of the feature.
  std::vector<int64_t> row_sizes() const { return SizesBehindRows(out_shape()); }
  const Param& param(int index) const { return *node_.declared().params[index]; }
  TimeSteps& time_steps() const { return *steps_; }

  // Returns a name for a value inside the layer.
  std::string Inner(const std::string& what) const { return StrCat(node_.full_name, "#", what); }

  // Adds an intermediate node and returns its value.
  std::string Step(const std::string& op, const OnnxNames& inputs,
                   const OnnxAttributes& attributes = {});
  // Adds the last node, whose value is the layer's feature.
  void Give(const std::string& op, const OnnxNames& inputs, const OnnxAttributes& attributes = {});
  // Adds the last node of a layer on images. Its value is reshaped to the feature's shape.
  void GiveImage(const std::string& op, const OnnxNames& inputs,
                 const OnnxAttributes& attributes = {});
  // Makes `value` the feature.
  void Alias(const std::string& value) { out_.assign(node_.out.size(), value); }
  // Makes `values`, (..., units) of all steps, the features, reshaped to rows.
  void GiveRows(const OnnxNames& values);
  // Adds one node that gives all features.
  void GiveAll(const std::string& op, const OnnxNames& inputs, const OnnxAttributes& attributes);

  // Returns source 0 as rows, (N, units).
  std::string Rows();
  // Returns source 0 as (N, c, h, w).
  std::string Image();
  // Returns `value` with other sizes after N.
  std::string Reshape(const std::string& value, std::vector<int64_t> sizes);
  std::string Number(const std::string& what, float value);
  // Returns source 0, which has one index per row, as (rows) of type int64.
  std::string Indices();

  // Adds state that goes from one run of the model to the next. It is an output after all others.
  void GiveState(const std::string& value, const OnnxDims& dims) {
    states_.emplace_back(value, dims);
  }
  const std::vector<std::pair<std::string, OnnxDims>>& states() const { return states_; }

  // Values of the outputs, after the function has run.
  const OnnxNames& out() const { return out_; }
  // Return the name of the value of output `k`, and of the model's output, which has all of the
  // layer's steps.
  static std::string ValueName(const NetNode& node, size_t k);
  static std::string OutputName(const NetNode& node, size_t k);

 private:
  const NetNode& node_;
  TimeSteps* steps_;
  OnnxGraph* graph_;
  OnnxNames in_, out_;
  std::vector<std::pair<std::string, OnnxDims>> states_;
};

struct LayerExport {
  // Exports the layer. Throws ConfigError relative to the layer, DataError, FileError.
  void (*write)(OnnxLayer* layer);
  int sources = 1 << 20;        // number of sources that it reads; later sources give labels
  bool reads_integers = false;  // accepts a source of type int64
};

// Exports by the enum's name.
using LayerExports = Registry<LayerExport>;
LayerExports& OnnxExports();

// SINGA_REGISTER_ONNX(kReLU, WriteRelu); further arguments set the other fields of LayerExport.
#define SINGA_REGISTER_ONNX(type, ...)                                                        \
  [[maybe_unused]] const bool onnx_registered_##type = ::singa::OnnxExports().Add(#type, [] { \
    return std::make_unique<::singa::LayerExport>(::singa::LayerExport{__VA_ARGS__});         \
  })

}  // namespace singa
