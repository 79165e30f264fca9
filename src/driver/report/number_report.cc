// The report of a net that predicts numbers.
#include <cmath>

#include "base/text/aligned_table.h"
#include "base/text/json_text.h"
#include "base/text/short_text.h"
#include "driver/report/report.h"
#include "driver/report/report_number.h"
#include "nn/loss/r2.h"
#include "singa/base/error.h"

namespace singa {
namespace {

class NumberReport final : public Report {
 public:
  explicit NumberReport(const ReportOptions& options)
      : Report(options), sums_(options.outputs), absolute_(options.outputs) {}

  std::string Json() const override {
    const Errors all = OfAll();
    const std::string members =
        JsonText(nlohmann::ordered_json{{"loss", NumberOrNull(RatioOf(squares(), records()))},
                                        {"mae", NumberOrNull(all.mae)},
                                        {"rmse", NumberOrNull(all.rmse)},
                                        {"r2", NumberOrNull(all.r2)}});
    nlohmann::ordered_json targets = nlohmann::ordered_json::array();
    for (size_t i = 0; i < sums_.size(); ++i) {
      const Errors of = OfTarget(i);
      targets.push_back({{"name", Name(i)},
                         {"mae", NumberOrNull(of.mae)},
                         {"rmse", NumberOrNull(of.rmse)},
                         {"r2", NumberOrNull(of.r2)}});
    }
    nlohmann::ordered_json worst = nlohmann::ordered_json::array();
    for (const WorstRecord& record : worst_.Sorted())
      worst.push_back({{"record", record.name},
                       {"targets", record.targets},
                       {"predicted", record.scores},
                       {"loss", record.loss}});
    return StrCat("{", JsonHead("numbers"), ",", members.substr(1, members.size() - 2),
                  ",\"worst\":", JsonText(worst), ",\"targets\":", JsonText(targets), "}\n");
  }

  std::string Text() const override {
    constexpr const char* kFormat = "%.6g";
    std::vector<std::vector<std::string>> head = TextHead();
    head.push_back({"loss", NumberOrDash(RatioOf(squares(), records()), kFormat)});
    std::vector<std::vector<std::string>> rows = {
        {"target", "mean absolute error", "root mean squared error", "R2"}};
    const auto add = [&](const std::string& name, const Errors& of) {
      rows.push_back({name, NumberOrDash(of.mae, kFormat), NumberOrDash(of.rmse, kFormat),
                      NumberOrDash(of.r2, kFormat)});
    };
    for (size_t i = 0; i < sums_.size(); ++i) add(ShortText(Printable(Name(i)), 40), OfTarget(i));
    if (sums_.size() > 1) add("all", OfAll());
    std::vector<std::vector<std::string>> worst = {
        {"worst records", "targets", "predicted", "loss"}};
    for (const WorstRecord& record : worst_.Sorted())
      worst.push_back({Printable(record.name), Numbers(record.targets), Numbers(record.scores),
                       Formatted(record.loss, kFormat)});
    return StrCat(AlignedTable(head, 2), "\n", AlignedTable(rows, 1), "\n", AlignedTable(worst, 3));
  }

 private:
  struct Errors {
    std::optional<double> mae, rmse, r2;
  };

  void Judge(const std::string& record, int64_t step, const Truth& truth,
             std::span<const float> scores) override {
    const std::span<const float> targets =
        truth.targets.subspan(options().judged.first_target, scores.size());
    double loss = 0;
    for (size_t i = 0; i < scores.size(); ++i) {
      const double target = targets[i], error = scores[i] - target;
      R2Sums& sums = sums_[i];
      sums.errors += error * error;
      sums.squares += target * target;
      sums.targets += target;
      ++sums.rows;
      absolute_[i] += std::abs(error);
      loss += error * error;
    }
    if (!std::isfinite(loss))
      throw DataError(NamedRecord(record), -1, "its targets must be finite numbers");
    if (worst_.Takes(loss))
      worst_.Add({.loss = loss,
                  .name = record,
                  .step = step,
                  .targets = {targets.begin(), targets.end()},
                  .scores = {scores.begin(), scores.end()}});
  }

  double squares() const {
    double sum = 0;
    for (const R2Sums& sums : sums_) sum += sums.errors;
    return sum;
  }

  static std::optional<double> Root(std::optional<double> square) {
    if (!square) return {};
    return std::sqrt(*square);
  }

  Errors OfTarget(size_t i) const {
    const R2Sums& sums = sums_[i];
    const double of_column[] = {sums.errors, sums.squares, sums.targets, sums.rows};
    return {RatioOf(absolute_[i], records()), Root(RatioOf(sums.errors, records())),
            R2Of(of_column)};
  }

  // R2 is the mean over targets, as that of a kEuclideanLoss.
  Errors OfAll() const {
    double absolute = 0, r2 = 0;
    for (size_t i = 0; i < sums_.size(); ++i) {
      absolute += absolute_[i];
      r2 += *OfTarget(i).r2;
    }
    const auto targets = static_cast<double>(sums_.size());
    return {RatioOf(absolute, records() * targets), Root(RatioOf(squares(), records() * targets)),
            r2 / targets};
  }

  std::string Name(size_t i) const {
    return options().names.empty() ? std::to_string(i) : options().names[i];
  }

  static std::string Numbers(const std::vector<float>& numbers) {
    constexpr size_t kMost = 4;
    std::string text;
    for (size_t i = 0; i < numbers.size() && i < kMost; ++i)
      text += StrCat(i > 0 ? "," : "", Formatted(numbers[i], "%.6g"));
    return numbers.size() > kMost ? text + ",..." : text;
  }

  std::vector<R2Sums> sums_;      // of each target
  std::vector<double> absolute_;  // sums of |error|
};

}  // namespace

std::unique_ptr<Report> NewNumberReport(const ReportOptions& options) {
  return std::make_unique<NumberReport>(options);
}

}  // namespace singa
