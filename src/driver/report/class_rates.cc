#include "driver/report/class_rates.h"

#include "base/text/aligned_table.h"
#include "base/text/json_text.h"
#include "base/text/short_text.h"
#include "driver/report/report_number.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr const char* kRateFormat = "%.4f";

}  // namespace

std::optional<double> ClassRates::Counts::precision() const {
  return RatioOf(static_cast<double>(hits), static_cast<double>(predicted));
}
std::optional<double> ClassRates::Counts::recall() const {
  return RatioOf(static_cast<double>(hits), static_cast<double>(support));
}
std::optional<double> ClassRates::Counts::f1() const {
  return RatioOf(2 * static_cast<double>(hits), static_cast<double>(predicted + support));
}

ClassRates::ClassRates(int64_t classes, const std::vector<std::string>& names)
    : names_(names), counts_(classes) {}

void ClassRates::Add(int64_t index, bool has, bool predicted) {
  Counts& counts = counts_[index];
  counts.support += has;
  counts.predicted += predicted;
  counts.hits += has && predicted;
}

std::string ClassRates::Name(int64_t index) const {
  return names_.empty() ? std::to_string(index) : names_[index];
}

ClassRates::Mean ClassRates::MeanOf(std::optional<double> (Counts::*rate)() const) const {
  Mean mean;
  double sum = 0;
  for (const Counts& counts : counts_)
    if (const std::optional<double> of_class = (counts.*rate)()) {
      sum += *of_class;
      ++mean.classes;
    }
  mean.mean = RatioOf(sum, static_cast<double>(mean.classes));
  return mean;
}

ClassRates::Counts ClassRates::Total() const {
  Counts total;
  for (const Counts& counts : counts_) {
    total.support += counts.support;
    total.predicted += counts.predicted;
    total.hits += counts.hits;
  }
  return total;
}

std::string ClassRates::JsonMeans() const {
  const Mean precision = MeanOf(&Counts::precision), recall = MeanOf(&Counts::recall),
             f1 = MeanOf(&Counts::f1);
  const Counts total = Total();
  const nlohmann::ordered_json macro = {{"precision", NumberOrNull(precision.mean)},
                                        {"recall", NumberOrNull(recall.mean)},
                                        {"f1", NumberOrNull(f1.mean)},
                                        {"precision_classes", precision.classes},
                                        {"recall_classes", recall.classes},
                                        {"f1_classes", f1.classes}};
  const nlohmann::ordered_json micro = {{"precision", NumberOrNull(total.precision())},
                                        {"recall", NumberOrNull(total.recall())},
                                        {"f1", NumberOrNull(total.f1())}};
  return "\"macro\":" + JsonText(macro) + ",\"micro\":" + JsonText(micro);
}

std::string ClassRates::JsonClasses() const {
  std::string text = "[";
  for (int64_t i = 0; i < size(); ++i) {
    const Counts& counts = counts_[i];
    const nlohmann::ordered_json line = {{"name", Name(i)},
                                         {"precision", NumberOrNull(counts.precision())},
                                         {"recall", NumberOrNull(counts.recall())},
                                         {"f1", NumberOrNull(counts.f1())},
                                         {"support", counts.support},
                                         {"predicted", counts.predicted}};
    text += (i > 0 ? "," : "") + JsonText(line);
  }
  return text + "]";
}

std::string ClassRates::Table(const std::string& what) const {
  constexpr size_t kMostOfName = 40;  // bytes
  std::vector<std::vector<std::string>> rows = {
      {what, "precision", "recall", "f1", "support", "predicted"}};
  const auto add = [&](const std::string& name, const Counts& counts) {
    rows.push_back({name, NumberOrDash(counts.precision(), kRateFormat),
                    NumberOrDash(counts.recall(), kRateFormat),
                    NumberOrDash(counts.f1(), kRateFormat), std::to_string(counts.support),
                    std::to_string(counts.predicted)});
  };
  for (int64_t i = 0; i < size(); ++i)
    if (counts_[i].support > 0 || counts_[i].predicted > 0)
      add(ShortText(Printable(Name(i)), kMostOfName), counts_[i]);
  const Mean precision = MeanOf(&Counts::precision), recall = MeanOf(&Counts::recall),
             f1 = MeanOf(&Counts::f1);
  rows.push_back({"macro mean", NumberOrDash(precision.mean, kRateFormat),
                  NumberOrDash(recall.mean, kRateFormat), NumberOrDash(f1.mean, kRateFormat), "",
                  ""});
  add("micro mean", Total());
  std::string text = AlignedTable(rows, 1);
  if (precision.classes < size() || recall.classes < size() || f1.classes < size())
    text +=
        StrCat("macro means leave out a class without a number: they are over ", precision.classes,
               ", ", recall.classes, " and ", f1.classes, " of ", size(), "\n");
  return text;
}

}  // namespace singa
