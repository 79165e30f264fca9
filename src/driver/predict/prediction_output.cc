#include "driver/predict/prediction_output.h"

#include "driver/predict/prediction_writer.h"

namespace singa {

PredictionOutput::PredictionOutput(const PredictRequest& request, const Model& model,
                                   const JudgedOutput& judged, int64_t width)
    : layer_(model.layer()), json_(request.format.json) {
  if (!request.report) {
    lines_ = std::make_unique<PredictionWriter>(request.format, width);
    return;
  }
  const bool classes = judged.kind == JudgedOutput::kClasses;
  report_ = NewReport({.judged = judged,
                       .layer = layer_,
                       .outputs = width,
                       .top = request.format.top,
                       .worst = request.worst,
                       .names = classes ? request.format.classes : request.format.targets,
                       .ignored = model.ignored_label()});
}

void PredictionOutput::EndInput(const std::string& input) {
  if (report_) report_->EndInput(input);
}

void PredictionOutput::Finish(const HitCount& hits, const std::string& what) {
  if (!report_) hits.Show(what);
  sink()->RequireFinite(layer_);
  if (report_) WriteToStdout(json_ ? report_->Json() : report_->Text());
}

}  // namespace singa
