#include "driver/predict/match_columns.h"

#include <glog/logging.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "driver/predict/table_fit.h"
#include "io/table/csv_fields.h"
#include "io/table/table_columns.h"
#include "io/table/table_scan.h"
#include "io/value_error.h"
#include "nn/input/store_settings.h"
#include "singa/base/error.h"

namespace singa {
namespace {

using Names = std::vector<std::string>;

// The use of a column of the training's table.
enum class Use : uint8_t { kNumbers, kChosen, kLeftOut };  // kChosen: the label, or a target

std::vector<Use> UsesOf(const TrainedTable& trained, const StoreOptions& table) {
  std::vector<Use> uses(trained.names.size(), Use::kNumbers);
  if (trained.labelled) {
    const int64_t first = ColumnIndex(table.label_column, trained.names);
    const int64_t end = first + std::max<int64_t>(1, table.targets);
    for (int64_t at = first; at < std::min(end, std::ssize(uses)); ++at) uses[at] = Use::kChosen;
  }
  for (const TableColumn& column : table.columns)
    if (column.leave_out) uses[DescribedIndex(column.name, trained.names)] = Use::kLeftOut;
  return uses;
}

// The index of each column; -1: several have its name.
using Indices = std::unordered_map<std::string_view, int64_t>;

Indices IndicesOf(const Names& names) {
  Indices indices;
  for (int64_t at = 0; at < std::ssize(names); ++at) {
    const auto [it, added] = indices.try_emplace(names[at], at);
    if (!added) it->second = -1;
  }
  return indices;
}

// Returns the index of the only column of this name; -1: there is none, or there are several.
int64_t OnlyIndex(const Indices& indices, const std::string& name) {
  const auto it = indices.find(name);
  return it == indices.end() ? -1 : it->second;
}

// Where the columns of the training's table are in another one.
struct Places {
  std::vector<int64_t> order;   // of the columns that are read
  std::vector<int64_t> chosen;  // of the label or the targets; empty: the table lacks them
  std::vector<bool> known;      // whether training has a column of this name
  Names missing;                // columns that give numbers and were not found
};

// Returns whether the chosen columns are all there, and side by side, as they are read.
bool AreTogether(const std::vector<int64_t>& chosen, const std::vector<Use>& uses) {
  for (size_t i = 1; i < chosen.size(); ++i)
    if (chosen[i] != chosen[i - 1] + 1) return false;
  return std::ssize(chosen) == std::ranges::count(uses, Use::kChosen);
}

// Finds the columns in a table of `width` columns, which have the indices `own`.
Places FindColumns(const Names& trained, const std::vector<Use>& uses, const Indices& own,
                   size_t width) {
  Places places;
  places.known.resize(width);
  const Indices theirs = IndicesOf(trained);
  for (size_t i = 0; i < uses.size(); ++i) {
    const bool unique = OnlyIndex(theirs, trained[i]) >= 0;
    const int64_t at = unique ? OnlyIndex(own, trained[i]) : -1;
    if (at < 0 && uses[i] == Use::kNumbers) places.missing.push_back(trained[i]);
    if (at < 0) continue;
    places.known[at] = true;
    if (uses[i] != Use::kLeftOut) places.order.push_back(at);
    if (uses[i] == Use::kChosen) places.chosen.push_back(at);
  }
  if (AreTogether(places.chosen, uses)) return places;
  const std::set<int64_t> unread(places.chosen.begin(), places.chosen.end());
  std::erase_if(places.order, [&](int64_t at) { return unread.contains(at); });
  places.chosen.clear();
  return places;
}

// Returns the first names, in quotes.
std::string ListOf(const Names& names) {
  constexpr size_t kNamed = 5;
  std::string text;
  for (size_t i = 0; i < std::min(kNamed, names.size()); ++i)
    text += StrCat(i > 0 ? ", " : "", FieldText(names[i]));
  return names.size() > kNamed ? StrCat(text, " and ", names.size() - kNamed, " more") : text;
}

// Warns of the columns whose names training does not have.
void WarnOfOthers(const Places& places, const Names& names, const std::string& where) {
  Names others;
  for (size_t at = 0; at < names.size(); ++at)
    if (!places.known[at]) others.push_back(names[at]);
  if (others.empty()) return;
  LOG(WARNING) << Printable(
      StrCat(where, ": leaves out columns that the training does not have: ", ListOf(others)));
}

// Throws DataError if the table, whose columns go by position, lacks one that is left out by its
// number: the numbers of all columns behind it would be wrong.
void CheckNumbered(const Names& trained, const Indices& own, const std::string& where,
                   const std::vector<TableColumn>& columns) {
  for (const TableColumn& column : columns) {
    if (!column.leave_out || !IsNumber(column.name)) continue;
    const std::string& name = trained[DescribedIndex(column.name, trained)];
    if (own.contains(name)) continue;
    throw DataError(where, -1,
                    StrCat("lacks column ", column.name, " of the training, ", FieldText(name),
                           ". The job leaves it out by its number, so the table must have it: name "
                           "it in columns if tables may lack it"));
  }
}

bool ReadByName(const TrainedTable& trained, const Names& names, const std::string& where,
                StoreOptions* table) {
  const std::vector<Use> uses = UsesOf(trained, *table);
  const Indices own = IndicesOf(names);
  const Places places = FindColumns(trained.names, uses, own, names.size());
  const bool others = std::ranges::count(places.known, false) > 0;
  if (std::ranges::count(uses, Use::kNumbers) > std::ssize(names))
    throw DataError(where, -1, StrCat("lacks columns of the training: ", ListOf(places.missing)));
  if (!places.missing.empty() || places.order.empty()) return false;
  if (!others && std::ranges::is_sorted(places.order)) {
    CheckNumbered(trained.names, own, where, table->columns);
    return false;
  }
  std::vector<TableColumn> columns;
  for (TableColumn column : table->columns) {
    if (column.leave_out) continue;
    const int64_t at = DescribedIndex(column.name, trained.names);
    column.name = StrCat(OnlyIndex(own, trained.names[at]) + 1);
    columns.push_back(std::move(column));
  }
  table->columns = std::move(columns);
  table->column_order = places.order;
  table->label_column = places.chosen.empty() ? "" : StrCat(places.chosen[0] + 1);
  SetLabel(!places.chosen.empty(), table);
  WarnOfOthers(places, names, where);
  return true;
}

}  // namespace

TrainedTable TrainedTableOf(const SourceOptions& options) {
  const StoreProto conf = SettingsOf(options.input).conf;
  TrainedTable trained = {.labelled = conf.has_label() || conf.num_targets() > 0};
  for (const InputFacts& training : options.training) {
    const StoreOptions& store = training.source.store;
    if (training.layer != options.input.name() || !store.header) continue;
    try {
      trained.names = TableScan(store.path, store.separator, true).names();
    } catch (const Error&) {  // it was read before: it is being changed
    }
  }
  return trained;
}

bool MatchColumns(const TrainedTable& trained, const Names& names, const std::string& where,
                  StoreOptions* table) {
  if (trained.names.empty() || names.empty() || names == trained.names) return false;
  try {
    return ReadByName(trained, names, where, table);
  } catch (const ValueError&) {
    return false;  // the settings do not fit the training's table any more
  }
}

}  // namespace singa
