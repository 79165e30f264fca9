// ImportState is what the readers of a graph's nodes share.
#pragma once

#include "driver/onnx/import/graph_values.h"
#include "driver/onnx/import/layer_graph.h"
#include "driver/onnx/import/tensor_values.h"

namespace singa {

struct ImportState {
  ImportState(const OnnxModel& onnx_model, TensorValues* tensor_values)
      : model(onnx_model), tensors(*tensor_values), values(onnx_model), layers(onnx_model) {}

  const OnnxModel& model;
  TensorValues& tensors;
  GraphValues values;
  LayerGraph layers;
  // Rows of a batch and time steps that the file says, or -1. A file with free time steps gets a
  // number, too.
  int64_t fixed_batch = -1, fixed_steps = -1;
  int64_t steps = 1;
  int64_t vocabulary = 0;  // characters of the text, as a layer that reads indices says it
};

}  // namespace singa
