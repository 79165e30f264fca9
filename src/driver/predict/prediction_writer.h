// PredictionWriter: one line on stdout for each record, or for each time step of one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace singa {

struct PredictionFormat {
  bool json = false;                      // JSON lines; else CSV with a header
  bool steps = false;                     // whether lines say which time step they are of
  int64_t top = 0;                        // only the best so many; 0: all scores
  std::vector<std::string> classes = {};  // names; empty: numbers from 0
};

class PredictionWriter {
 public:
  // `outputs`: scores of a record. The header comes with the first lines.
  PredictionWriter(PredictionFormat format, int64_t outputs);

  // step: from 0, where the format has steps. label: kNoLabel where the record has none.
  void Write(const std::string& record, int64_t step, int32_t label, std::span<const float> scores);
  // Throws FileError where stdout cannot be written.
  void Flush();
  // Throws DivergedError where scores were not finite; `layer`: whose scores they are.
  void RequireFinite(const std::string& layer) const;

 private:
  std::string ClassName(int64_t index) const;
  void AddHeader();
  void AddCsv(const std::string& record, int64_t step, int32_t label,
              std::span<const float> scores);
  void AddJson(const std::string& record, int64_t step, int32_t label,
               std::span<const float> scores);

  const PredictionFormat format_;
  const int64_t outputs_;
  std::vector<float> best_;       // indices, best first
  int64_t not_finite_ = 0;        // lines with a score that is not finite
  std::string first_not_finite_;  // the record of the first
  std::string text_;
};

}  // namespace singa
