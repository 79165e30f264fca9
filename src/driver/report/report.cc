#include "driver/report/report.h"

#include "base/text/counted.h"
#include "base/text/json_text.h"
#include "driver/report/report_number.h"
#include "singa/base/error.h"

namespace singa {
namespace {

std::string NoTruthText(const JudgedOutput& judged) {
  if (judged.kind == JudgedOutput::kClasses)
    return "no record has a label, which -report compares with. A label is the first number of a "
           "line (or in label_column), the number behind a name in an imagelist, the class folder "
           "of a picture, in the file -labels for idx, or in each record of kvfile, lmdb, shard "
           "and cifar10. A picture alone has none";
  return StrCat("no record has targets, which -report compares with. The ",
                Counted(judged.targets, "target is", "targets are"),
                " in front of the numbers of a line (or in label_column), behind a name in an "
                "imagelist, or in each record of a kvfile");
}

}  // namespace

void Report::Put(const std::string& record, int64_t step, const Truth& truth,
                 std::span<const float> scores) {
  ++of_input_;
  if (!all_finite()) return;  // the program ends with an error, and shows no report
  const bool classes = options_.judged.kind == JudgedOutput::kClasses;
  if (classes && options_.ignored && truth.label == *options_.ignored) return;
  if (classes ? !HasLabel(truth) : !HasTargets(record, truth)) {
    ++without_truth_;
    ++of_input_without_truth_;
    return;
  }
  ++records_;
  Judge(record, step, truth, scores);
}

bool Report::HasLabel(const Truth& truth) const {
  return truth.label >= 0 && truth.label < options_.outputs;
}

bool Report::HasTargets(const std::string& record, const Truth& truth) const {
  if (truth.targets.empty()) return false;
  const auto count = static_cast<int64_t>(truth.targets.size());
  if (count != options_.judged.targets)
    throw DataError(
        NamedRecord(record), -1,
        StrCat("has ", Counted(count, "target"), ", the net has ", options_.judged.targets));
  return true;
}

void Report::EndInput(const std::string& input) {
  const bool none = of_input_ > 0 && of_input_without_truth_ == of_input_;
  of_input_ = of_input_without_truth_ = 0;
  if (none)
    throw DataError(input == "-" ? "standard input" : input, -1, NoTruthText(options_.judged));
}

std::string Report::JsonHead(const std::string& kind) const {
  const std::string head = JsonText(nlohmann::ordered_json{{"kind", kind},
                                                           {"layer", options_.layer},
                                                           {"records", records_},
                                                           {"without_label", without_truth_}});
  return head.substr(1, head.size() - 2);
}

std::vector<std::vector<std::string>> Report::TextHead() const {
  std::vector<std::vector<std::string>> rows = {{"records", std::to_string(records_)}};
  if (without_truth_ > 0) rows.push_back({"without a label", std::to_string(without_truth_)});
  return rows;
}

std::unique_ptr<Report> NewReport(const ReportOptions& options) {
  switch (options.judged.kind) {
    case JudgedOutput::kLabels:
      return NewLabelReport(options);
    case JudgedOutput::kNumbers:
      return NewNumberReport(options);
    default:
      return NewClassReport(options);
  }
}

}  // namespace singa
