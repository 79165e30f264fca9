#include "driver/new_job/table_label.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text/counted.h"
#include "base/text/json_text.h"
#include "base/text/lower_case.h"
#include "base/text/short_text.h"
#include "driver/new_job/named_lines.h"
#include "io/store/store.h"
#include "io/store/value_parser.h"
#include "io/table/csv_fields.h"
#include "io/table/guess_columns.h"
#include "io/table/table_columns.h"
#include "io/table/table_scan.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr char kAnother[] = "; -label_column C names another";

// The kinds and counts of the fields in the label's column.
struct LabelColumn {
  std::map<std::string, int64_t> counts;  // records of each field
  int64_t records = 0;
  bool numbers = true, integers = true;
  bool many = false;  // more than LabelWords::kMostWords different ones; the others are not counted

  // Returns whether most fields differ, as names, ids and measured numbers do.
  bool HardlyRepeat(int64_t few) const {
    return many || (std::ssize(counts) > few && 2 * std::ssize(counts) > records);
  }
};

// Returns the only column that has a name of labels; -1: there is none, or there are several.
int64_t NamedLabel(const std::vector<std::string>& names) {
  int64_t found = -1;
  for (int64_t at = 0; at < std::ssize(names); ++at) {
    const std::string name = LowerCase(names[at]);
    if (name != "label" && name != "class" && name != "target" && name != "y") continue;
    if (found >= 0) return -1;
    found = at;
  }
  return found;
}

// Returns the index of the label's column, or of the first target.
int64_t ChooseColumn(const JobRequest& request, const TableLayout& layout, int64_t count,
                     std::vector<std::string>* notes) {
  const std::string what =
      request.targets.value_or(0) > 1 ? "the first target is " : "the label is ";
  if (!request.label_column.empty()) {
    try {
      const int64_t at = ColumnIndex(request.label_column, layout.names, "-label_column");
      if (at <= layout.columns - count) return at;
    } catch (const ValueError& error) {
      throw DataError(request.data, -1, error.what());
    }
    throw DataError(
        request.data, -1,
        StrCat("has ", Counted(layout.columns, "column"), ", and ", Counted(count, "column"),
               " from -label_column ", FieldText(request.label_column), " on would be read"));
  }
  if (count >= layout.columns)
    throw DataError(request.data, -1,
                    StrCat("has ", Counted(layout.columns, "column"), "; with -targets ", count,
                           " none is left to learn from"));
  const int64_t named = NamedLabel(layout.names);
  const bool fits = named >= 0 && named + count <= layout.columns;
  const int64_t at = fits ? named : layout.columns - count;
  notes->push_back(StrCat(what, ColumnLabel(layout, at), ", ",
                          fits        ? "by its name"
                          : count > 1 ? "as the last ones"
                                      : "the last one",
                          kAnother));
  return at;
}

// Throws if -leave_out names one of `count` columns that the net learns to predict.
void RequireRead(const JobRequest& request, const TableLayout& layout, int64_t first,
                 int64_t count) {
  for (const int64_t at : layout.left_out)
    if (at >= first && at - first < count)
      throw DataError(request.data, -1,
                      StrCat("-leave_out names ", ColumnLabel(layout, at), ", which is ",
                             count > 1 ? "a target" : "the label", kAnother));
}

// Returns whether a field says that there is no label, or with `target` no target. Classes may have
// the names none, and "-" beside "+".
bool IsNoLabel(std::string_view field, bool target) {
  return IsGap(field) && (target || (field != "-" && LowerCase(std::string(field)) != "none"));
}

// Records without a label or a target.
struct MissingLabels {
  NamedLines lines;
  int64_t record = -1, column = -1;  // of the first one

  void Add(TableScan* scan, int64_t in_record, int64_t in_column) {
    if (lines.count() == 0) record = in_record, column = in_column;
    lines.Add(scan);
  }
};

// Throws DataError if there are any.
void RequireLabels(const JobRequest& request, const TableLayout& layout,
                   const MissingLabels& missing) {
  if (missing.lines.count() == 0) return;
  throw DataError(StrCat(request.data, ":", missing.lines.first()), missing.record,
                  StrCat("has no ", request.targets.value_or(0) > 0 ? "target" : "label", " in ",
                         ColumnLabel(layout, missing.column), "; remove such records, ",
                         missing.lines.count(), " in all: ", missing.lines.Text(), kAnother));
}

// Reads the label's column, the first of `count` with targets. Throws DataError for a record
// without a label or a target.
LabelColumn ReadLabels(const JobRequest& request, const TableLayout& layout, int64_t column,
                       int64_t count) {
  LabelColumn labels;
  MissingLabels missing;
  const bool targets = request.targets.value_or(0) > 0;
  TableScan scan(request.data, layout.separator, layout.header);
  std::vector<std::string_view> fields;
  for (; scan.Next(&fields); ++labels.records) {
    fields.resize(std::max<size_t>(fields.size(), column + count));
    const auto first = fields.begin() + column;
    const auto gap = std::find_if(first, first + count,
                                  [&](std::string_view one) { return IsNoLabel(one, targets); });
    if (gap != first + count) missing.Add(&scan, labels.records, gap - fields.begin());
    const std::string_view field = *first;
    const std::optional<float> number = FloatIn(field);
    if (!number && targets && !IsGap(field))
      throw DataError(StrCat(request.data, ":", scan.LineNumber()), labels.records,
                      StrCat("the target in ", ColumnLabel(layout, column), " is ",
                             FieldText(field), "; targets are numbers, such as 1234.5"));
    labels.numbers = labels.numbers && number;
    labels.integers = labels.integers && number && std::trunc(*number) == *number;
    std::string word = WithSingleQuotes(field);
    word.resize(std::min(word.size(), LabelWords::kMostBytes + 1));  // a longer one is no label
    if (labels.counts.size() <= LabelWords::kMostWords || labels.counts.contains(word))
      ++labels.counts[std::move(word)];
    else
      labels.many = true;
  }
  RequireLabels(request, layout, missing);
  if (labels.records < kLeastRecords)
    throw DataError(request.data, -1,
                    StrCat("has ", Counted(labels.records, "record"), "; a job needs at least ",
                           kLeastRecords));
  return labels;
}

// Returns why the labels seem to be measured, such as prices; "": they are classes.
std::string WhyMeasured(const LabelColumn& labels) {
  constexpr int64_t kMostClasses = 50, kFew = 10;
  if (!labels.numbers) return "";
  if (!labels.integers) return "numbers with fractions";
  if (labels.HardlyRepeat(kFew)) return "numbers that hardly repeat";
  const bool many = std::ssize(labels.counts) > kMostClasses;
  return many ? StrCat("more than ", kMostClasses, " different numbers") : "";
}

void CheckClasses(const JobRequest& request, const TableLayout& layout, const LabelColumn& labels,
                  int64_t column) {
  constexpr int64_t kFew = 20;  // records in which most labels may differ
  const std::string name = ColumnLabel(layout, column);
  if (labels.many)
    throw DataError(request.data, -1,
                    StrCat("has more than ", LabelWords::kMostWords, " different labels in ", name,
                           ", such as ", FieldText(labels.counts.begin()->first), "; a job has ",
                           LabelWords::kMostWords, " classes at most", kAnother));
  if (labels.HardlyRepeat(kFew))
    throw DataError(request.data, -1,
                    StrCat("the labels in ", name, " hardly repeat, such as ",
                           FieldText(labels.counts.begin()->first), ": ",
                           Counted(std::ssize(labels.counts), "different one"), " in ",
                           Counted(labels.records, "record"), kAnother));
  if (labels.counts.size() < 2)
    throw DataError(request.data, -1,
                    StrCat("all labels in ", name, " are ", FieldText(labels.counts.begin()->first),
                           "; a net learns from two classes or more", kAnother));
  for (const auto& [word, count] : labels.counts)
    if (word.size() > LabelWords::kMostBytes || ReplaceInvalidUtf8(word) != word)
      throw DataError(request.data, -1,
                      StrCat("the label ", FieldText(word), " in ", name, " must be UTF-8 of ",
                             LabelWords::kMostBytes, " bytes at most", kAnother));
}

// Sets the classes, numbers in their order, and adds notes about them.
void SetClasses(const LabelColumn& labels, TableLabel* label, std::vector<std::string>* notes) {
  constexpr size_t kShown = 10, kShownFieldBytes = 40;
  std::vector<std::string> classes;
  for (const auto& [word, count] : labels.counts) classes.push_back(word);
  if (labels.numbers)
    std::ranges::stable_sort(classes, {}, [](const std::string& word) { return *FloatIn(word); });
  label->class_count = std::ssize(classes);
  std::string text = Counted(classes.size(), "class", "classes") + ": ";
  for (size_t i = 0; i < std::min(kShown, classes.size()); ++i)
    text += (i > 0 ? ", " : "") + ShortText(Printable(classes[i]), kShownFieldBytes);
  if (classes.size() > kShown) text += ", ...";
  if (labels.numbers && classes.size() > 2) text += "; -targets 1 predicts them as numbers";
  notes->push_back(text);
  for (const auto& [word, count] : labels.counts)
    if (std::llround(static_cast<double>(count) * kTestShare) == 0)
      notes->push_back(StrCat("class ", ShortText(Printable(word), kShownFieldBytes), " has only ",
                              Counted(count, "record"), ", too few for a test"));
  bool counted = true;  // the labels are 0, 1, 2, ...
  for (size_t i = 0; i < classes.size(); ++i) counted = counted && classes[i] == StrCat(i);
  if (!counted) label->classes = std::move(classes);
}

}  // namespace

TableLabel TableLabelOf(const JobRequest& request, const TableLayout& layout,
                        std::vector<std::string>* notes) {
  TableLabel label;
  const int64_t count = std::max<int64_t>(1, request.targets.value_or(1));
  label.column = ChooseColumn(request, layout, count, notes);
  RequireRead(request, layout, label.column, count);
  label.name = NameInConf(layout.names, label.column);
  if (label.name.empty()) label.name = StrCat(label.column + 1);  // "" would be the first column
  const LabelColumn labels = ReadLabels(request, layout, label.column, count);
  label.records = labels.records;
  const bool id = label.column < std::ssize(layout.names) && IsBareId(layout.names[label.column]) &&
                  labels.HardlyRepeat(1);
  if (id)
    throw DataError(request.data, -1,
                    StrCat(ColumnLabel(layout, label.column),
                           ", would be the label, and it seems to be an id", kAnother));
  const std::string measured = WhyMeasured(labels);
  label.targets = request.targets.value_or(measured.empty() ? 0 : 1);
  if (label.targets == 0) {
    CheckClasses(request, layout, labels, label.column);
    SetClasses(labels, &label, notes);
  } else if (!request.targets) {
    notes->push_back(StrCat("the labels are ", measured, ", so the net learns to predict a number",
                            "; -targets 0 makes them classes"));
  }
  return label;
}

}  // namespace singa
