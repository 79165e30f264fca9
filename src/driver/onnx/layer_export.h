// How one layer becomes nodes of an ONNX graph. Each type of layer has a function in one of the
// files beside this one; layers themselves know nothing of it.
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

// What such a function works with. Shapes are logical: (N, c, h, w).
class OnnxLayer {
 public:
  // `in`: the values that it reads.
  OnnxLayer(const NetNode& node, OnnxNames in, TimeSteps* steps, OnnxGraph* graph);

  const NetNode& node() const { return node_; }
  const LayerProto& conf() const { return node_.conf; }
  OnnxGraph& graph() const { return *graph_; }
  const OnnxNames& in() const { return in_; }
  const Shape& in_shape() const { return node_.in[0]->data.shape(); }
  const Shape& out_shape() const { return node_.out[0]->data.shape(); }
  const Param& param(int index) const { return *node_.declare->params()[index]; }
  TimeSteps& time_steps() const { return *steps_; }

  // A name for something within the layer.
  std::string Inner(const std::string& what) const { return StrCat(node_.full_name, "#", what); }

  // A step on the way: returns its value.
  std::string Step(const std::string& op, const OnnxNames& inputs,
                   const OnnxAttributes& attributes = {});
  // The last one, whose value is the layer's feature.
  void Give(const std::string& op, const OnnxNames& inputs, const OnnxAttributes& attributes = {});
  // The last one of a layer on images: its value is brought to the feature's shape.
  void GiveImage(const std::string& op, const OnnxNames& inputs,
                 const OnnxAttributes& attributes = {});
  // The feature is this value.
  void Alias(const std::string& value) { out_.assign(node_.out.size(), value); }
  // The features are these, (..., units) of all steps, brought to rows.
  void GiveRows(const OnnxNames& values);
  // Several features, all from one node.
  void GiveAll(const std::string& op, const OnnxNames& inputs, const OnnxAttributes& attributes);

  // Source 0 as rows, (N, units).
  std::string Rows();
  // Source 0 as (N, c, h, w).
  std::string Image();
  // `value` with other sizes behind N.
  std::string Reshape(const std::string& value, std::vector<int64_t> sizes);
  std::string Number(const std::string& what, float value);
  // Source 0, which has one index a row, as (rows) of type int64.
  std::string Indices();

  // What goes from one run of the model to the next: an output of the model behind all others.
  void GiveState(const std::string& value, const OnnxDims& dims) {
    states_.emplace_back(value, dims);
  }
  const std::vector<std::pair<std::string, OnnxDims>>& states() const { return states_; }

  // The values of its outputs, once the function has run.
  const OnnxNames& out() const { return out_; }
  // What the value of output `k` is called; and the model's output, which has all of the layer's
  // steps.
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
  // Throws ConfigError relative to the layer; DataError, FileError.
  void (*write)(OnnxLayer* layer);
  int sources = 1 << 20;        // that it reads; one behind them gives labels
  bool reads_integers = false;  // takes a source of type int64 as it is
};

// By the enum's name.
using LayerExports = Registry<LayerExport>;
LayerExports& OnnxExports();

// SINGA_REGISTER_ONNX(kReLU, WriteRelu); behind it, where not all: the rest of LayerExport.
#define SINGA_REGISTER_ONNX(type, ...)                                                        \
  [[maybe_unused]] const bool onnx_registered_##type = ::singa::OnnxExports().Add(#type, [] { \
    return std::make_unique<::singa::LayerExport>(::singa::LayerExport{__VA_ARGS__});         \
  })

}  // namespace singa
