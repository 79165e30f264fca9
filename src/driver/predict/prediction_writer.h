// PredictionWriter writes one line to stdout for each record, or for each time step of a record.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "driver/report/prediction_sink.h"

namespace singa {

struct PredictionFormat {
  bool json = false;                      // JSON lines; else CSV with a header
  bool ids = false;                       // whether lines have the ids of records
  bool steps = false;                     // whether lines have the number of the time step
  int64_t top = 0;                        // number of best scores to write; 0: all scores
  std::vector<std::string> classes = {};  // names; empty: numbers from 0
  std::vector<std::string> targets = {};  // names of outputs that are no classes; empty: they are
};

class PredictionWriter final : public PredictionSink {
 public:
  // `outputs` is the number of scores. The header is written with the first lines.
  PredictionWriter(PredictionFormat format, int64_t outputs);

  void Flush() override;
  // Returns the lines that were not written to stdout.
  std::string Take() { return std::exchange(text_, {}); }

 private:
  void Put(const std::string& record, int64_t step, const Truth& truth,
           std::span<const float> scores) override;
  std::string ClassName(int64_t index) const;
  std::string OutputName(int64_t index) const;
  void AddHeader();
  void AddCsv(const std::string& record, int64_t step, const Truth& truth,
              std::span<const float> scores);
  void AddJson(const std::string& record, int64_t step, const Truth& truth,
               std::span<const float> scores);

  const PredictionFormat format_;
  const int64_t outputs_;
  std::vector<float> best_;  // indices, best first
  std::string text_;
};

}  // namespace singa
