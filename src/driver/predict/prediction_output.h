// PredictionOutput is what `singa predict` writes to stdout: a line for each record, or a report.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "driver/predict/hit_count.h"
#include "driver/predict/predict_request.h"
#include "driver/report/report.h"
#include "nn/graph/judged_output.h"
#include "singa/driver/model.h"

namespace singa {

class PredictionOutput {
 public:
  // `judged`: what a report compares with. `width`: number of scores of a line.
  PredictionOutput(const PredictRequest& request, const Model& model, const JudgedOutput& judged,
                   int64_t width);

  PredictionSink* sink() { return report_ ? report_.get() : lines_.get(); }
  // Call it when all of `input` is predicted. Throws DataError if a report needs labels, and
  // `input` has none.
  void EndInput(const std::string& input);
  // Prints the report, or else `hits` on stderr, which counts `what`. Throws DivergedError if
  // scores were not finite; then there is no report.
  void Finish(const HitCount& hits, const std::string& what);

 private:
  const std::string layer_;
  const bool json_;
  std::unique_ptr<PredictionSink> lines_;
  std::unique_ptr<Report> report_;  // one of both is null
};

}  // namespace singa
