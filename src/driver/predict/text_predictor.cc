#include "driver/predict/text_predictor.h"

#include <glog/logging.h>

#include <algorithm>

#include "io/store/store.h"
#include "singa/base/error.h"
#include "train/trainer/forwarder.h"

namespace singa {

TextPredictor::TextPredictor(const Model& model, const Vocabulary& vocabulary,
                             const SessionOptions& session, bool labels, int64_t top,
                             PredictionSink* sink)
    : model_(model),
      vocabulary_(vocabulary),
      session_(model, session),
      batch_(static_cast<size_t>(session.max_batch)),
      steps_(static_cast<size_t>(model.input_steps())),
      each_step_(model.output_steps() == model.input_steps()),
      labels_(labels && each_step_),
      width_(model.output_size() / (each_step_ ? model.output_steps() : 1)),
      sink_(sink),
      hits_(top) {}

// Computes a piece when the character after it is read, which is the label of its last character.
// For standard input a piece is one window, as a person may be waiting.
void TextPredictor::Run(const std::string& path) {
  TextStream text(path, vocabulary_);
  const size_t most = (path == "-" ? 1 : batch_) * steps_;
  name_ = path;
  first_ = 0;
  session_.Reset();
  int index = Next(&text);
  if (index < 0)
    LOG(WARNING) << Printable(path == "-" ? "standard input" : path) << ": holds no record";
  for (; index >= 0; index = Next(&text)) {
    if (piece_.size() == most) Compute(index);
    piece_.push_back(static_cast<float>(index));
  }
  Compute(kNoLabel);
}

// Reads a character. Before it throws for one that the vocabulary lacks, it writes all predictions
// before it.
int TextPredictor::Next(TextStream* text) {
  try {
    return text->Next();
  } catch (const Error&) {
    Compute(kNoLabel);
    throw;
  }
}

// Computes the piece. `next` is the index of the character after it; kNoLabel: there is none.
void TextPredictor::Compute(int next) {
  if (!each_step_ || !model_.causal()) LeaveOutRest();
  RunSession((piece_.size() + steps_ - 1) / steps_);
  Write(next);
  first_ += static_cast<int64_t>(piece_.size());
  piece_.clear();
}

// Removes characters that do not fill a window, as each step needs a whole window.
void TextPredictor::LeaveOutRest() {
  const size_t rest = piece_.size() % steps_;
  if (rest == 0) return;
  LOG(WARNING) << name_ << ": "
               << (rest == 1 ? "its last character is"
                             : StrCat("its last ", rest, " characters are"))
               << " left out: layer " << model_.layer() << " needs windows of " << steps_;
  piece_.resize(piece_.size() - rest);
}

void TextPredictor::Write(int next) {
  if (each_step_)
    WriteEachStep(next);
  else
    WriteEachWindow();
  sink_->Flush();
}

// Computes the windows. If a layer does not allow a character, computes and writes those before it
// again, and throws. The state is still that before the window, as a net with state computes one
// window at a time.
void TextPredictor::RunSession(size_t windows) {
  std::vector<float> rows = piece_;
  rows.resize(windows * steps_, 0);
  scores_.resize(windows * model_.output_size());
  try {
    session_.Run(rows, scores_);
  } catch (const RowError& error) {
    const int64_t window = error.row() * model_.input_steps();
    const int64_t good = window + std::max<int64_t>(0, error.step());
    const DataError named(name_, -1, StrCat("byte ", first_ + good, ": ", error.message()));
    piece_.resize(each_step_ ? good : window);
    Compute(kNoLabel);
    throw named;
  }
}

void TextPredictor::WriteEachStep(int next) {
  const auto width = static_cast<size_t>(width_);
  for (size_t i = 0; i < piece_.size(); ++i) {
    const std::span<const float> scores(scores_.data() + i * width, width);
    const bool last = i + 1 == piece_.size();
    const int label = !labels_ ? kNoLabel : last ? next : static_cast<int>(piece_[i + 1]);
    sink_->Write(StrCat(name_, ":", first_ + static_cast<int64_t>(i)), -1, {label}, scores);
    if (model_.classifies() && label >= 0 && label < width_) hits_.Add(scores, label);
  }
}

void TextPredictor::WriteEachWindow() {
  const auto width = static_cast<size_t>(width_);
  for (size_t w = 0; w < piece_.size() / steps_; ++w)
    sink_->Write(StrCat(name_, ":", first_ + static_cast<int64_t>(w * steps_)), -1, {},
                 {scores_.data() + w * width, width});
}

}  // namespace singa
