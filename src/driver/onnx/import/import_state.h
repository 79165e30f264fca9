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
  int64_t fixed_batch = -1;  // the number of rows that the file says, or -1
};

}  // namespace singa
