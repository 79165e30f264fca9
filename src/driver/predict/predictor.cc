#include "driver/predict/predictor.h"

#include "singa/base/error.h"
#include "train/trainer/forwarder.h"

namespace singa {

Predictor::Predictor(const Model& model, const SessionOptions& session, int64_t top,
                     PredictionSink* sink)
    : model_(model),
      session_(model, session),
      batch_(static_cast<size_t>(session.max_batch)),
      steps_(model.output_steps()),
      width_(model.output_size() / steps_),
      sink_(sink),
      hits_(top) {
  rows_.reserve(batch_ * model.input_size());
  scores_.reserve(batch_ * model.output_size());
}

void Predictor::Run(RecordSource* source) {
  while (Gather(source))
    if (records_.size() == batch_) Compute();
  Compute();
}

// Reads a record. Returns false if there is none. Computes the records before a bad one.
bool Predictor::Gather(RecordSource* source) {
  try {
    const Sample* sample = source->Next();
    if (!sample) return false;
    CheckLabel(*source, sample->label);
    if (sample->data.empty())
      rows_.insert(rows_.end(), sample->pixel.begin(), sample->pixel.end());
    else
      rows_.insert(rows_.end(), sample->data.begin(), sample->data.end());
    records_.push_back({source->Name(),
                        sample->label,
                        {sample->targets.begin(), sample->targets.end()},
                        std::string(sample->id)});
    return true;
  } catch (const Error&) {
    Compute();
    throw;
  }
}

void Predictor::CheckLabel(const RecordSource& source, int32_t label) const {
  if (!model_.classifies() || label == kNoLabel || label == model_.ignored_label()) return;
  if (label < 0) throw DataError(source.Where(), -1, StrCat("the label must be >= 0, is ", label));
  if (label >= width_)
    throw DataError(
        source.Where(), -1,
        StrCat("the label must be below ", width_, ", the number of classes, is ", label));
}

void Predictor::Compute() {
  scores_.resize(records_.size() * model_.output_size());
  RunSession();
  for (size_t row = 0; row < records_.size(); ++row) WriteRow(row);
  sink_->Flush();
  rows_.clear();
  records_.clear();
}

// Computes the scores. If a row has an index that its layer does not allow, writes the rows before
// it and throws.
void Predictor::RunSession() {
  try {
    session_.Run(rows_, scores_);
  } catch (const RowError& error) {
    const auto good = static_cast<size_t>(error.row());
    const DataError named(
        NamedRecord(records_[good].name), -1,
        error.step() < 0 ? error.message() : StrCat("step ", error.step(), ": ", error.message()));
    records_.erase(records_.begin() + error.row(), records_.end());
    rows_.resize(good * model_.input_size());
    Compute();
    throw named;
  }
}

void Predictor::WriteRow(size_t row) {
  const auto width = static_cast<size_t>(width_);
  const auto& [name, label, targets, id] = records_[row];
  for (int64_t t = 0; t < steps_; ++t) {
    const std::span<const float> scores(scores_.data() + (row * steps_ + t) * width, width);
    sink_->Write(name, steps_ > 1 ? t : -1, {label, targets, id}, scores);
    if (model_.classifies() && label >= 0 && label != model_.ignored_label())
      hits_.Add(scores, label);
  }
}

}  // namespace singa
