// Predictor computes records batch by batch and gives a sink the net's scores of each record or,
// for a layer with several time steps, of each step.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "driver/predict/hit_count.h"
#include "driver/predict/record_source.h"
#include "driver/report/prediction_sink.h"
#include "singa/driver/model.h"

namespace singa {

class Predictor {
 public:
  // Also counts how often the label is among the `top` best scores, if top >= 2. `model` and `sink`
  // must outlive it. REQUIRES: session.max_batch >= 1.
  Predictor(const Model& model, const SessionOptions& session, int64_t top, PredictionSink* sink);

  // Predicts all records of `source`. Writes the records before a bad one.
  void Run(RecordSource* source);
  const HitCount& hits() const { return hits_; }

 private:
  struct Record {
    std::string name;
    int32_t label;
    std::vector<float> targets;
    std::string id;
  };

  bool Gather(RecordSource* source);
  void CheckLabel(const RecordSource& source, int32_t label) const;
  void Compute();
  void RunSession();
  void WriteRow(size_t row);

  const Model& model_;
  Session session_;
  const size_t batch_;
  const int64_t steps_, width_;  // time steps of a row; numbers of a step
  PredictionSink* const sink_;
  std::vector<float> rows_, scores_;
  std::vector<Record> records_;  // of rows_
  HitCount hits_;
};

}  // namespace singa
