// The report of a net that gives each record one class.
#include <algorithm>

#include "base/text/aligned_table.h"
#include "base/text/json_text.h"
#include "base/text/short_text.h"
#include "driver/report/calibration.h"
#include "driver/report/class_rates.h"
#include "driver/report/confusions.h"
#include "driver/report/report.h"
#include "driver/report/report_number.h"
#include "math/reduction/top_k.h"
#include "singa/base/error.h"

namespace singa {
namespace {

class ClassReport final : public Report {
 public:
  explicit ClassReport(const ReportOptions& options)
      : Report(options),
        rates_(options.outputs, options.names),
        best_(std::max<int64_t>(1, options.top)) {}

  std::string Json() const override {
    nlohmann::ordered_json numbers = {{"accuracy", NumberOrNull(RatioOf(hits_, records()))}};
    if (options().top > 0) {
      numbers["top_k"] = options().top;
      numbers["top_k_accuracy"] = NumberOrNull(RatioOf(hits_in_top_, records()));
    }
    numbers["loss"] = NumberOrNull(RatioOf(loss_, records()));
    numbers["calibration_error"] = NumberOrNull(calibration_.ExpectedError());
    const std::string members = JsonText(numbers);
    return StrCat("{", JsonHead("classes"), ",", members.substr(1, members.size() - 2), ",",
                  rates_.JsonMeans(), ",\"calibration_bins\":", calibration_.Json(),
                  ",\"worst\":", JsonOfWorst(), ",\"classes\":", rates_.JsonClasses(), ",",
                  confusions_.Json(options().outputs), "}\n");
  }

  std::string Text() const override {
    std::vector<std::vector<std::string>> rows = TextHead();
    rows.push_back({"accuracy", NumberOrDash(RatioOf(hits_, records()), "%.4f")});
    if (options().top > 0)
      rows.push_back({StrCat("top-", options().top, " accuracy"),
                      NumberOrDash(RatioOf(hits_in_top_, records()), "%.4f")});
    rows.push_back({"loss", NumberOrDash(RatioOf(loss_, records()), "%.6g")});
    rows.push_back({"calibration error", NumberOrDash(calibration_.ExpectedError(), "%.4f")});
    return StrCat(AlignedTable(rows, 2), "\n", rates_.Table("class"), "\n",
                  confusions_.Table(rates_), "\n", calibration_.Table(), "\n", TableOfWorst());
  }

 private:
  void Judge(const std::string& record, int64_t step, const Truth& truth,
             std::span<const float> scores) override {
    Context ctx;
    TopK(ctx, scores.data(), best_.data(), 1, options().outputs, std::ssize(best_));
    const int32_t label = truth.label;
    const auto predicted = static_cast<int32_t>(best_[0]);
    const bool right = label == predicted;
    rates_.Add(label, true, right);
    if (!right) rates_.Add(predicted, false, true);
    confusions_.Add(label, predicted);
    calibration_.Add(scores[predicted], right);
    hits_ += right;
    hits_in_top_ += std::count(best_.begin(), best_.end(), static_cast<float>(label)) > 0;
    const double loss = NegativeLog(scores[label]);
    loss_ += loss;
    if (worst_.Takes(loss))
      worst_.Add({.loss = loss,
                  .name = record,
                  .step = step,
                  .label = label,
                  .predicted = predicted,
                  .probability = scores[predicted]});
  }

  std::string JsonOfWorst() const {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const WorstRecord& record : worst_.Sorted()) {
      nlohmann::ordered_json line = {{"record", record.name}};
      if (record.step >= 0) line["step"] = record.step;
      line["label"] = record.label;
      line["predicted"] = record.predicted;
      if (!options().names.empty()) {
        line["label_name"] = rates_.Name(record.label);
        line["predicted_name"] = rates_.Name(record.predicted);
      }
      line["probability"] = record.probability;
      line["loss"] = record.loss;
      list.push_back(std::move(line));
    }
    return JsonText(list);
  }

  std::string TableOfWorst() const {
    std::vector<std::vector<std::string>> rows = {
        {"worst records", "class", "predicted", "probability", "loss"}};
    for (const WorstRecord& record : worst_.Sorted())
      rows.push_back(
          {Printable(record.step < 0 ? record.name : StrCat(record.name, " step ", record.step)),
           ShortText(Printable(rates_.Name(record.label)), 40),
           ShortText(Printable(rates_.Name(record.predicted)), 40),
           Formatted(record.probability, "%.4f"), Formatted(record.loss, "%.4f")});
    return AlignedTable(rows, 3);
  }

  ClassRates rates_;
  Confusions confusions_;
  Calibration calibration_;
  std::vector<float> best_;  // the best classes of a record, as TopK gives them
  double hits_ = 0, hits_in_top_ = 0, loss_ = 0;
};

}  // namespace

std::unique_ptr<Report> NewClassReport(const ReportOptions& options) {
  return std::make_unique<ClassReport>(options);
}

}  // namespace singa
