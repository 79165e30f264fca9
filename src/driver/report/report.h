// Report sums up how well a net's outputs fit the labels or targets of records. It keeps sums, and
// only the worst records.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver/report/prediction_sink.h"
#include "driver/report/worst_records.h"
#include "nn/graph/judged_output.h"

namespace singa {

struct ReportOptions {
  JudgedOutput judged = {};
  std::string layer = {};               // whose output is judged
  int64_t outputs = 0;                  // numbers of it
  int64_t top = 0;                      // also counts labels among the `top` best; 0: it does not
  int64_t worst = 10;                   // number of the worst records
  std::vector<std::string> names = {};  // of classes or targets; empty: numbers from 0
  std::optional<int32_t> ignored = {};  // label of records that do not count
};

class Report : public PredictionSink {
 public:
  void Flush() final {}
  // Throws DataError if `input`, which has been predicted, has records, and none has the label or
  // the targets that the report needs.
  void EndInput(const std::string& input);
  // Returns the report as a JSON object, or as a text for people.
  virtual std::string Json() const = 0;
  virtual std::string Text() const = 0;

 protected:
  explicit Report(const ReportOptions& options) : worst_(options.worst), options_(options) {}

  // Takes a record that has the label, or the targets, that the output is compared with. The scores
  // are finite.
  virtual void Judge(const std::string& record, int64_t step, const Truth& truth,
                     std::span<const float> scores) = 0;
  const ReportOptions& options() const { return options_; }
  double records() const { return static_cast<double>(records_); }  // those that were judged
  // Returns the first members of the JSON object, without its braces. `kind` says what is judged.
  std::string JsonHead(const std::string& kind) const;
  // Returns rows of a table: the number of records, and how many lack a label.
  std::vector<std::vector<std::string>> TextHead() const;

  WorstRecords worst_;

 private:
  void Put(const std::string& record, int64_t step, const Truth& truth,
           std::span<const float> scores) final;
  bool HasLabel(const Truth& truth) const;
  bool HasTargets(const std::string& record, const Truth& truth) const;

  const ReportOptions options_;
  int64_t records_ = 0, without_truth_ = 0;
  int64_t of_input_ = 0, of_input_without_truth_ = 0;  // of the current input
};

std::unique_ptr<Report> NewClassReport(const ReportOptions& options);
std::unique_ptr<Report> NewLabelReport(const ReportOptions& options);
std::unique_ptr<Report> NewNumberReport(const ReportOptions& options);
// Makes the report of the judged kind.
std::unique_ptr<Report> NewReport(const ReportOptions& options);

}  // namespace singa
