// Predictor computes records batch by batch and writes the net's scores: a line for each record or,
// for a layer with several time steps, for each step.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "driver/predict/hit_count.h"
#include "driver/predict/prediction_writer.h"
#include "driver/predict/record_source.h"
#include "singa/driver/model.h"

namespace singa {

class Predictor {
 public:
  // `model` must outlive it. REQUIRES: session.max_batch >= 1.
  Predictor(const Model& model, const SessionOptions& session, const PredictionFormat& format);

  // Predicts all records of `source`. Writes the records before a bad one.
  void Run(RecordSource* source);
  const HitCount& hits() const { return hits_; }
  // Throws DivergedError if scores were not finite.
  void RequireFinite() const { writer_.RequireFinite(model_.layer()); }

 private:
  bool Gather(RecordSource* source);
  void CheckLabel(const RecordSource& source, int32_t label) const;
  void Compute();
  void RunSession();
  void WriteRow(size_t row);

  const Model& model_;
  Session session_;
  const size_t batch_;
  const int64_t steps_, width_;  // time steps of a row; numbers of a step
  PredictionWriter writer_;
  std::vector<float> rows_, scores_;
  std::vector<std::string> names_;
  std::vector<int32_t> labels_;
  HitCount hits_;
};

}  // namespace singa
