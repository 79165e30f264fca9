// PredictRequest is what a user asks `singa predict` for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "driver/arguments/arguments.h"
#include "driver/predict/prediction_writer.h"
#include "driver/predict/record_source.h"
#include "driver/predict/text_generator.h"
#include "singa/driver/model.h"

namespace singa {

struct PredictRequest {
  ModelOptions model;
  SessionOptions session;
  SourceOptions source;
  PredictionFormat format;
  std::vector<std::string> inputs;
  bool serve = false;                       // answer requests over HTTP in place of inputs
  bool report = false;                      // print a report in place of predictions
  int64_t worst = 10;                       // number of the worst records in it
  std::optional<GenerateOptions> generate;  // not set: predict `inputs`
};

// `seed`: the job's. Throws UsageError.
PredictRequest ReadPredictRequest(const Arguments& args, uint64_t seed);

}  // namespace singa
