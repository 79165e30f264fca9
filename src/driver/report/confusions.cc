#include "driver/report/confusions.h"

#include <algorithm>
#include <vector>

#include "base/text/aligned_table.h"
#include "base/text/short_text.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr int64_t kMostClassesOfMatrix = 1000;  // in JSON
constexpr int64_t kMostClassesOfTable = 20;
constexpr size_t kMostConfusions = 20;  // in a text

std::string NameInTable(const ClassRates& names, int32_t index) {
  return ShortText(Printable(names.Name(index)), 24);
}

}  // namespace

int64_t Confusions::At(int32_t label, int32_t predicted) const {
  const auto it = records_.find({label, predicted});
  return it == records_.end() ? 0 : it->second;
}

std::string Confusions::Json(int64_t classes) const {
  std::string text;
  if (classes > kMostClassesOfMatrix) {
    for (const auto& [pair, count] : records_)
      text += StrCat(text.empty() ? "" : ",", "[", pair.first, ",", pair.second, ",", count, "]");
    return "\"confusion\":null,\"confusion_cells\":[" + text + "]";
  }
  for (int32_t label = 0; label < classes; ++label) {
    text += label > 0 ? ",[" : "[";
    for (int32_t predicted = 0; predicted < classes; ++predicted)
      text += StrCat(predicted > 0 ? "," : "", At(label, predicted));
    text += "]";
  }
  return "\"confusion\":[" + text + "]";
}

std::string Confusions::Table(const ClassRates& names) const {
  return names.size() > kMostClassesOfTable ? Largest(names) : Matrix(names);
}

std::string Confusions::Matrix(const ClassRates& names) const {
  const auto classes = static_cast<int32_t>(names.size());
  std::vector<std::vector<std::string>> rows = {{"class \\ predicted"}};
  for (int32_t i = 0; i < classes; ++i) rows[0].push_back(NameInTable(names, i));
  for (int32_t label = 0; label < classes; ++label) {
    rows.push_back({NameInTable(names, label)});
    for (int32_t i = 0; i < classes; ++i) rows.back().push_back(std::to_string(At(label, i)));
  }
  return AlignedTable(rows, 1);
}

std::string Confusions::Largest(const ClassRates& names) const {
  using Cell = std::pair<std::pair<int32_t, int32_t>, int64_t>;
  std::vector<Cell> wrong;
  for (const auto& [pair, count] : records_)
    if (pair.first != pair.second) wrong.emplace_back(pair, count);
  std::stable_sort(wrong.begin(), wrong.end(),
                   [](const Cell& a, const Cell& b) { return a.second > b.second; });
  if (wrong.size() > kMostConfusions) wrong.resize(kMostConfusions);
  std::vector<std::vector<std::string>> rows = {
      {"largest confusions: class", "predicted", "records"}};
  for (const auto& [pair, count] : wrong)
    rows.push_back(
        {NameInTable(names, pair.first), NameInTable(names, pair.second), std::to_string(count)});
  return AlignedTable(rows, 2);
}

}  // namespace singa
