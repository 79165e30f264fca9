// ImportState is the state of an import, which the readers of all nodes share.
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
  // The file's numbers of rows and time steps; -1: free.
  int64_t fixed_batch = -1, fixed_steps = -1;
  int64_t steps = 1;       // time steps of the job, also if the file leaves them free
  int64_t vocabulary = 0;  // number of characters, by the layers that read indices
  int64_t integers = 0;    // in all computed lists
};

}  // namespace singa
