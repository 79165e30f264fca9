// The report of a net that decides about several labels of each record.
#include "base/text/aligned_table.h"
#include "base/text/json_text.h"
#include "base/text/short_text.h"
#include "driver/report/class_rates.h"
#include "driver/report/report.h"
#include "driver/report/report_number.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// As kSigmoidCrossEntropyLoss decides.
bool IsPresent(float target) { return target > 0.5f; }

class LabelReport final : public Report {
 public:
  explicit LabelReport(const ReportOptions& options)
      : Report(options), rates_(options.outputs, options.names) {}

  std::string Json() const override {
    const nlohmann::ordered_json numbers = {
        {"accuracy", NumberOrNull(RatioOf(right_, Decisions()))},
        {"subset_accuracy", NumberOrNull(RatioOf(all_right_, records()))},
        {"loss", NumberOrNull(RatioOf(loss_, records()))}};
    const std::string members = JsonText(numbers);
    return StrCat("{", JsonHead("labels"), ",", members.substr(1, members.size() - 2), ",",
                  rates_.JsonMeans(), ",\"worst\":", JsonOfWorst(),
                  ",\"labels\":", rates_.JsonClasses(), "}\n");
  }

  std::string Text() const override {
    std::vector<std::vector<std::string>> rows = TextHead();
    rows.push_back({"accuracy", NumberOrDash(RatioOf(right_, Decisions()), "%.4f")});
    rows.push_back({"subset accuracy", NumberOrDash(RatioOf(all_right_, records()), "%.4f")});
    rows.push_back({"loss", NumberOrDash(RatioOf(loss_, records()), "%.6g")});
    std::vector<std::vector<std::string>> worst = {
        {"worst records", "labels", "predicted", "loss"}};
    for (const WorstRecord& record : worst_.Sorted())
      worst.push_back({Printable(record.name), Names(record.targets), Names(record.scores),
                       Formatted(record.loss, "%.4f")});
    return StrCat(AlignedTable(rows, 2), "\n", rates_.Table("label"), "\n", AlignedTable(worst, 3));
  }

 private:
  double Decisions() const { return records() * static_cast<double>(options().outputs); }

  void Judge(const std::string& record, int64_t step, const Truth& truth,
             std::span<const float> scores) override {
    const std::span<const float> targets =
        truth.targets.subspan(options().judged.first_target, scores.size());
    double loss = 0;
    size_t right = 0;
    for (size_t i = 0; i < scores.size(); ++i) {
      const float target = targets[i], p = scores[i];
      if (!(target >= 0 && target <= 1))
        throw DataError(
            NamedRecord(record), -1,
            StrCat("a target is ", target, ", layer \"", options().layer, "\" allows 0 to 1"));
      rates_.Add(static_cast<int64_t>(i), IsPresent(target), IsPresent(p));
      right += IsPresent(target) == IsPresent(p);
      loss += target * NegativeLog(p) + (1 - target) * NegativeLog(1 - double{p});
    }
    loss /= static_cast<double>(scores.size());
    loss_ += loss;
    right_ += static_cast<double>(right);
    all_right_ += right == scores.size();
    if (worst_.Takes(loss))
      worst_.Add({.loss = loss,
                  .name = record,
                  .step = step,
                  .targets = {targets.begin(), targets.end()},
                  .scores = {scores.begin(), scores.end()}});
  }

  // Returns the names of the labels that are present.
  std::string Names(const std::vector<float>& numbers) const {
    std::string names;
    for (size_t i = 0; i < numbers.size(); ++i)
      if (IsPresent(numbers[i]))
        names += (names.empty() ? "" : ",") + Printable(rates_.Name(static_cast<int64_t>(i)));
    return names.empty() ? "-" : ShortText(names, 40);
  }

  static nlohmann::ordered_json Present(const std::vector<float>& numbers) {
    nlohmann::ordered_json indices = nlohmann::ordered_json::array();
    for (size_t i = 0; i < numbers.size(); ++i)
      if (IsPresent(numbers[i])) indices.push_back(i);
    return indices;
  }

  std::string JsonOfWorst() const {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const WorstRecord& record : worst_.Sorted())
      list.push_back({{"record", record.name},
                      {"labels", Present(record.targets)},
                      {"predicted", Present(record.scores)},
                      {"loss", record.loss}});
    return JsonText(list);
  }

  ClassRates rates_;
  double right_ = 0, all_right_ = 0;  // decisions, records
  double loss_ = 0;                   // of records
};

}  // namespace

std::unique_ptr<Report> NewLabelReport(const ReportOptions& options) {
  return std::make_unique<LabelReport>(options);
}

}  // namespace singa
