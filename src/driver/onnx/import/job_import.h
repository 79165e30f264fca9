// ImportJob turns an ONNX model into a job.conf and the values of its params.
#pragma once

#include <string>
#include <vector>

#include "driver/onnx/import/imported_net.h"
#include "driver/onnx/import/onnx_model.h"
#include "driver/onnx/import/tensor_values.h"
#include "driver/onnx/import/text_of_job.h"
#include "singa/proto/job.pb.h"

namespace singa {

struct ImportOptions {
  Sizes shape = {};                        // of a row of the input; empty: the model's
  std::string loss = {};                   // as AddLoss takes it
  std::vector<float> mean = {}, std = {};  // one number, or one for each channel
  // The input layer's. store "": noise; backend "": judged by content; label_path "": found by
  // name.
  std::string store = {}, backend = {}, label_path = {};
};

struct ImportedValues {
  std::string name;
  Sizes shape;
  std::vector<float> numbers;
};

struct ImportedJob {
  JobProto job;  // without name, workspace and checkpoint_path
  std::vector<ImportedValues> params;
  ImportedText text = {};     // files of a job that reads a text
  bool guessed_loss = false;  // whether neither the options nor the model say the loss
};

// Imports `model`, which was read from `file`. Throws DataError for nodes without a layer and for
// damaged tensors, Error(kExitUsage) for options that do not fit the model.
ImportedJob ImportJob(const OnnxModel& model, const std::string& file, const ImportOptions& options,
                      TensorValues* tensors);

}  // namespace singa
