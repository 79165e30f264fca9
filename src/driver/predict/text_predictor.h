// TextPredictor gives a sink the scores of a net on characters (kCharRNN) after each character of a
// text, one line for each. They depend on all characters before, if layers carry their state. The
// label is the next character.
//
// The net computes the text in windows of T characters, one at a time if a state is carried, else
// several at a time. The rest at the end is padded to a window, and the padding's scores are
// dropped. If a step depends on later ones (see Model::causal), the rest is left out. A layer
// without these T steps gets one line for each whole window.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "driver/predict/hit_count.h"
#include "driver/report/prediction_sink.h"
#include "io/reader/text_stream.h"
#include "singa/driver/model.h"

namespace singa {

class TextPredictor {
 public:
  // session.max_batch >= 1 is the number of windows of a file computed at a time. `labels` says
  // whether next characters are labels. Also counts how often the label is among the `top` best
  // scores, if top >= 2. `model`, `vocabulary` and `sink` must outlive it.
  TextPredictor(const Model& model, const Vocabulary& vocabulary, const SessionOptions& session,
                bool labels, int64_t top, PredictionSink* sink);

  // Predicts the text `path`, or "-" for standard input. Writes the lines before a bad character.
  void Run(const std::string& path);
  const HitCount& hits() const { return hits_; }

 private:
  int Next(TextStream* text);
  void Compute(int next);
  void LeaveOutRest();
  void RunSession(size_t windows);
  void Write(int next);
  void WriteEachStep(int next);
  void WriteEachWindow();

  const Model& model_;
  const Vocabulary& vocabulary_;
  Session session_;
  const size_t batch_, steps_;  // windows at a time; T
  const bool each_step_, labels_;
  const int64_t width_;  // numbers of a line
  PredictionSink* const sink_;
  std::string name_;          // name of the text
  int64_t first_ = 0;         // byte at which piece_ begins
  std::vector<float> piece_;  // indices to compute: whole windows, or the rest at the end
  std::vector<float> scores_;
  HitCount hits_;
};

}  // namespace singa
