#include "driver/report/calibration.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/text/aligned_table.h"
#include "base/text/json_text.h"
#include "driver/report/report_number.h"
#include "singa/base/str_cat.h"

namespace singa {

void Calibration::Add(float probability, bool right) {
  const double place = std::clamp(std::ceil(double{probability} * kBins), 1., double{kBins});
  Bin& bin = bins_[static_cast<size_t>(place) - 1];
  ++bin.records;
  bin.right += right;
  bin.probability += probability;
}

std::optional<double> Calibration::ExpectedError() const {
  double differences = 0;
  int64_t records = 0;
  for (const Bin& bin : bins_) {
    differences += std::abs(static_cast<double>(bin.right) - bin.probability);
    records += bin.records;
  }
  return RatioOf(differences, static_cast<double>(records));
}

std::string Calibration::Json() const {
  nlohmann::ordered_json bins = nlohmann::ordered_json::array();
  for (int i = 0; i < kBins; ++i) {
    const Bin& bin = bins_[i];
    const auto records = static_cast<double>(bin.records);
    bins.push_back({{"low", static_cast<double>(i) / kBins},
                    {"high", static_cast<double>(i + 1) / kBins},
                    {"records", bin.records},
                    {"probability", NumberOrNull(RatioOf(bin.probability, records))},
                    {"accuracy", NumberOrNull(RatioOf(static_cast<double>(bin.right), records))}});
  }
  return JsonText(bins);
}

std::string Calibration::Table() const {
  std::vector<std::vector<std::string>> rows = {
      {"best probability", "records", "mean", "accuracy"}};
  for (int i = 0; i < kBins; ++i) {
    const Bin& bin = bins_[i];
    const auto records = static_cast<double>(bin.records);
    if (bin.records == 0) continue;
    rows.push_back({StrCat(Formatted(static_cast<double>(i) / kBins, "%.3f"), " to ",
                           Formatted(static_cast<double>(i + 1) / kBins, "%.3f")),
                    std::to_string(bin.records), Formatted(bin.probability / records, "%.4f"),
                    Formatted(static_cast<double>(bin.right) / records, "%.4f")});
  }
  return AlignedTable(rows, 1);
}

}  // namespace singa
