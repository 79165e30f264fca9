#include "driver/new_job/table_job.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file/file_system.h"
#include "base/text/counted.h"
#include "base/text/parse_number.h"
#include "driver/new_job/job_lines.h"
#include "driver/new_job/table_label.h"
#include "driver/new_job/table_layout.h"
#include "driver/new_job/table_net.h"
#include "io/format/split_lines.h"
#include "io/store/store.h"
#include "io/store/store_statistics.h"
#include "io/table/csv_fields.h"
#include "io/table/guess_columns.h"
#include "io/table/table_columns.h"
#include "io/table/table_scan.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr char kTrainTable[] = "train.csv", kTestTable[] = "test.csv";

StoreOptions OptionsFor(const std::string& path, const TableLayout& layout,
                        const TableLabel& label) {
  return {.path = path,
          .format = ValueFormat::kCsv,
          .separator = layout.separator,
          .has_label = label.targets == 0,
          .targets = label.targets,
          .header = layout.header,
          .label_column = label.name,
          .class_names = label.classes,
          .for_new_job = true};
}

// Returns a text about a column that is not simply numbers.
std::string ColumnNote(const GuessedColumn& one) {
  const std::string text = StrCat("column ", FieldText(one.column.name), ": ");
  if (one.column.leave_out) return StrCat(text, "left out, because ", one.reason);
  if (one.column.missing) return StrCat(text, *one.column.missing, ", ", one.reason);
  return text + one.reason;
}

// Describes the columns that -leave_out names as left out.
void LeaveOut(const TableLayout& layout, std::vector<GuessedColumn>* columns) {
  const auto index = [&](const GuessedColumn& one) {
    return DescribedIndex(one.column.name, layout.names);
  };
  for (const int64_t at : layout.left_out) {
    GuessedColumn named = {{.name = NameInConf(layout.names, at), .leave_out = true},
                           "-leave_out names it"};
    const auto place = std::ranges::lower_bound(*columns, at, {}, index);
    if (place != columns->end() && index(*place) == at)
      *place = std::move(named);
    else
      columns->insert(place, std::move(named));
  }
}

// Throws unless a column is left beside the label or the targets.
void RequireColumns(const std::string& path, const std::vector<GuessedColumn>& columns,
                    int64_t count) {
  std::string left_out;
  for (const GuessedColumn& one : columns) {
    if (!one.column.leave_out) continue;
    --count;
    left_out += "; " + ColumnNote(one);
  }
  if (count <= 0) throw DataError(path, -1, "no column is left to learn from" + left_out);
}

// Throws DataError for the first line that is wider or narrower than the others.
void RefuseOtherWidths(const std::string& path, const TableLayout& layout) {
  TableScan scan(path, layout.separator, layout.header);
  std::vector<std::string_view> fields;
  for (int64_t record = 0; scan.Next(&fields); ++record)
    if (std::ssize(fields) != layout.columns)
      throw DataError(StrCat(path, ":", scan.LineNumber()), record,
                      StrCat("has ", Counted(std::ssize(fields), "column"), "; most lines have ",
                             layout.columns));
}

// Returns whether a column is described by its number. A conf then has to number the label's, too.
bool HasNumbered(const std::vector<GuessedColumn>& columns) {
  return std::ranges::any_of(columns, [](const GuessedColumn& one) {
    return ParseNumber<int64_t>(one.column.name).has_value();
  });
}

// Sets the numbers that gaps stand for to the means of the training table, where it has gaps.
void SetTrainingMeans(const StoreOptions& train, std::vector<GuessedColumn>* columns) {
  for (const auto& [known, reason] : GuessColumns(train))
    for (GuessedColumn& one : *columns)
      if (one.column.name == known.name && one.column.missing && known.missing)
        one.column.missing = known.missing;
}

// Returns the lines of a store_conf that both tables share.
std::string SharedLines(const TableLayout& layout, const TableLabel& label,
                        const std::vector<GuessedColumn>& columns, const StoreStatistics& s) {
  const std::string indent(6, ' ');
  std::string text = indent;
  if (layout.header) text += "header: true ";
  if (layout.separator != ",")
    text += StrCat(
        "separator: ", layout.separator == "\t" ? "\"\\t\"" : QuotedText(layout.separator), " ");
  text += StrCat("label_column: ", QuotedText(label.name));
  if (label.targets > 0) text += StrCat(" num_targets: ", label.targets);
  text += "\n";
  for (const GuessedColumn& one : columns)
    text += StrCat(indent, ColumnText(one.column), "  # ", one.reason, "\n");
  if (!label.classes.empty()) text += StrCat(indent, ClassNamesText(label.classes), "\n");
  return text + NormalisingLines(s, indent);
}

std::string DataLayer(const std::string& path, const std::string& phase, int64_t batch,
                      int64_t numbers, const std::string& shared) {
  return StrCat("  layer {\n    name: \"data\" type: kCSVInput include: ", phase,
                "\n    store_conf {\n      path: ", QuotedText(path), " batchsize: ", batch,
                " shape: ", numbers, phase == "kTrain" ? " shuffle: true" : "", "\n", shared,
                "    }\n  }\n");
}

std::string ConfText(const JobRequest& request, const TableLabel& label, const StoreStatistics& s,
                     const std::string& shared) {
  constexpr int64_t kLeastBatch = 4, kMostBatch = 256, kSteps = 2000, kMostEpochs = 200;
  const auto [batch, epochs] = ScheduleFor(s.records, kLeastBatch, kMostBatch, kSteps, kMostEpochs);
  const std::string about = StrCat("Learns ", label.targets == 0 ? "classes" : "numbers", " from ",
                                   request.data, ", of which ", Counted(s.records, "record"),
                                   " train the net and ", label.records - s.records, " test it.");
  return JobHead(request.dir, about, epochs, "0.003") +
         DataLayer(StrCat(request.dir, "/", kTrainTable), "kTrain", batch, s.least_size, shared) +
         DataLayer(StrCat(request.dir, "/", kTestTable), "kTest", batch, s.least_size, shared) +
         (label.targets == 0 ? ClassLayers(label.class_count) : TargetLayers(s.targets)) +
         JobTail(request.dir);
}

}  // namespace

NewJobText TableJob(const JobRequest& request) {
  NewJobText made = {.train = kTrainTable, .test = kTestTable};
  const TableLayout layout = TableLayoutOf(request, &made.notes);
  TableLabel label = TableLabelOf(request, layout, &made.notes);
  StoreOptions whole = OptionsFor(request.data, layout, label);
  std::vector<GuessedColumn> columns = GuessColumns(whole);
  LeaveOut(layout, &columns);
  RequireColumns(request.data, columns, layout.columns - std::max<int64_t>(1, label.targets));
  if (HasNumbered(columns)) label.name = whole.label_column = StrCat(label.column + 1);
  whole.columns = WithoutReasons(columns);
  const StoreStatistics all =
      Measure(OpenStore("textfile", whole).get());  // or a bad record throws
  if (all.least_size != all.most_size) RefuseOtherWidths(request.data, layout);
  const std::string train = StrCat(request.fresh, "/", kTrainTable);
  PosixFileSystem files;
  const SplitCounts counts = SplitLines(request.data,
                                        {.separator = layout.separator,
                                         .header = layout.header,
                                         .refuses_words = false,
                                         .by_class = label.targets == 0,
                                         .label_column = label.name,
                                         .test = kTestShare,
                                         .seed = request.seed},
                                        train, StrCat(request.fresh, "/", kTestTable), &files);
  StoreOptions rest = OptionsFor(train, layout, label);
  SetTrainingMeans(rest, &columns);
  rest.columns = WithoutReasons(columns);
  rest.warns = false;
  const StoreStatistics s = Measure(OpenStore("textfile", rest).get());
  made.usage = label.targets == 0 ? "-topk 1 new.csv" : "new.csv";
  made.train_records = counts.train;
  made.test_records = counts.test;
  for (const GuessedColumn& one : columns) made.notes.push_back(ColumnNote(one));
  made.notes.push_back(StrCat("each record has ", Counted(s.least_size, "number")));
  made.conf = ConfText(request, label, s, SharedLines(layout, label, columns, s));
  return made;
}

}  // namespace singa
