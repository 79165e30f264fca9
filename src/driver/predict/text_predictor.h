// TextPredictor: writes what a net on characters (kCharRNN) says behind each character of a text,
// given all before it as far as its layers carry their state: a line a character. The label is the
// next character.
//
// The text goes through the net in windows of T characters, one by one where a state goes with
// them, else several at a time. What is left at the end is filled up to a window, whose surplus is
// dropped; where a step depends on later ones (Model::causal) it is left out. A layer that does not
// have those T steps gets a line for each whole window instead.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "driver/predict/hit_count.h"
#include "driver/predict/prediction_writer.h"
#include "io/reader/text_stream.h"
#include "singa/driver/model.h"

namespace singa {

class TextPredictor {
 public:
  // session.max_batch: windows at a time of a file; >= 1. `labels`: whether next characters are
  // labels. `model` and `vocabulary` outlive it.
  TextPredictor(const Model& model, const Vocabulary& vocabulary, const SessionOptions& session,
                bool labels, const PredictionFormat& format);

  // `path`: a text, or "-" for standard input. What stands before a bad character is written.
  void Run(const std::string& path);
  const HitCount& hits() const { return hits_; }
  // Throws DivergedError where scores were not finite.
  void RequireFinite() const { writer_.RequireFinite(model_.layer()); }

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
  PredictionWriter writer_;
  std::string name_;          // of the text
  int64_t first_ = 0;         // byte that piece_ begins at
  std::vector<float> piece_;  // indices that wait to be computed: of whole windows, or the last
  std::vector<float> scores_;
  HitCount hits_;
};

}  // namespace singa
