// PredictionSink takes what a net says of each record, or of each time step of a record.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "io/store/store.h"

namespace singa {

// The label, the targets and the id of a record.
struct Truth {
  int32_t label = kNoLabel;
  std::span<const float> targets = {};  // empty: the record has none
  std::string_view id = {};             // empty: the record has none
};

// Returns how errors name a record of predictions: its name alone would look like FILE:LINE.
std::string NamedRecord(const std::string& name);

class PredictionSink {
 public:
  virtual ~PredictionSink() = default;

  // Takes the scores of a record, or of its time step. step counts from 0; -1: there is only one.
  void Write(const std::string& record, int64_t step, const Truth& truth,
             std::span<const float> scores);
  // Throws FileError if stdout cannot be written.
  virtual void Flush() = 0;
  // Throws DivergedError if scores were not finite. `layer` names the layer with the scores.
  void RequireFinite(const std::string& layer) const;

 protected:
  virtual void Put(const std::string& record, int64_t step, const Truth& truth,
                   std::span<const float> scores) = 0;
  // Returns whether all scores so far are finite.
  bool all_finite() const { return not_finite_ == 0; }

 private:
  int64_t not_finite_ = 0;        // calls of Write with a score that is not finite
  std::string first_not_finite_;  // record of the first such call
};

// Writes `text` to stdout. Throws FileError.
void WriteToStdout(const std::string& text);

}  // namespace singa
