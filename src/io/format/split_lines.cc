#include "io/format/split_lines.h"

#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>

#include "base/file/input_file.h"
#include "base/text/counted.h"
#include "io/file/new_file.h"
#include "io/format/image_list.h"
#include "io/store/store.h"
#include "io/table/csv_fields.h"
#include "io/table/line_index.h"
#include "io/value_error.h"
#include "singa/base/error.h"
#include "singa/base/philox.h"

namespace singa {
namespace {

constexpr size_t kMostClasses = 100'000;

// The records of a class that are not yet divided, and how many of them are for the test.
struct Share {
  int64_t left = 0, test = 0;
};

// Reads the header and the records of a text, one after the other.
class TextRecords {
 public:
  TextRecords(const InputFile& file, const SplitOptions& options)
      : file_(file),
        options_(options),
        fields_(options.separator),
        scan_(file, options.table ? options.separator : "") {
    if (options.header && Next()) header_ = text_;
    if (!options.by_class || !options.table) return;
    try {
      label_ = ColumnIndex(options.label_column, ColumnNames(header_, options.separator));
    } catch (const ValueError& error) {
      Throw(error.what());
    }
  }

  const std::string& header() const { return header_; }  // "": there is none
  const std::string& text() const { return text_; }      // of the last record

  // Reads a record. Returns false if there are no more.
  bool Next() {
    std::optional<ValuePlace> place = scan_.Next();
    if (!place) return false;
    begin_ = place->offset;
    if (options_.table) place = scan_.WithQuoted(*place);
    if (!place) Throw("a quote before a field does not close behind it");
    text_.resize(static_cast<size_t>(place->size));
    file_.ReadAt(place->offset, text_.data(), place->size);
    return true;
  }

  // Returns the class of the last record; "" without by_class.
  std::string Class() const {
    if (!options_.by_class) return "";
    const std::optional<std::string> label =
        options_.table ? std::optional<std::string>(fields_.FieldAt(text_, label_))
                       : LabelFieldOf(text_);
    if (!label || label->empty()) Throw("has no label");
    if (label->size() > LabelWords::kMostBytes)
      Throw(StrCat("has a label of more than ", LabelWords::kMostBytes,
                   " bytes; is this the label's column?"));
    return *label;
  }

  // Throws DataError if the last record, the first of a table, seems to be a header.
  void RequireNoHeader() const {
    const bool may_be_header = options_.table && !options_.header && options_.refuses_words;
    const std::string advice = may_be_header ? FirstLineAdvice(text_) : std::string();
    if (!advice.empty()) Throw("is no record" + advice);
  }

  [[noreturn]] void Throw(const std::string& message) const {
    throw DataError(StrCat(file_.name(), ":", LineAt(file_, begin_)), -1, message);
  }

 private:
  const InputFile& file_;
  const SplitOptions& options_;
  const CsvFields fields_;
  LineScan scan_;
  std::string header_, text_;
  int64_t begin_ = 0;  // offset of the last record
  int64_t label_ = 0;  // index of the label's column
};

// Counts the records of each class.
std::map<std::string, Share> SharesOf(const InputFile& file, const SplitOptions& options) {
  std::map<std::string, Share> shares;
  TextRecords records(file, options);
  while (records.Next()) {
    if (shares.empty()) records.RequireNoHeader();
    ++shares[records.Class()].left;
    if (shares.size() > kMostClasses)
      records.Throw(StrCat("more than ", kMostClasses, " classes; is this the label's column?"));
  }
  SplitCounts counts;
  for (auto& [name, share] : shares) {
    share.test = std::llround(static_cast<double>(share.left) * options.test);
    counts.test += share.test;
    counts.train += share.left - share.test;
  }
  if (counts.train == 0 || counts.test == 0)
    throw DataError(
        file.name(), -1,
        StrCat("has ", Counted(counts.train + counts.test, "record"), "; a share of ", options.test,
               " leaves no record for the ", counts.test == 0 ? "test" : "training"));
  return shares;
}

void RequireNewFile(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::exists(fs::symlink_status(path, error)))
    throw FileError(kExitCantCreate, path, "exists already; remove it, or name another file");
}

}  // namespace

SplitCounts SplitLines(const std::string& path, const SplitOptions& options,
                       const std::string& train, const std::string& test, FileSystem* files) {
  for (const std::string& out : {train, test}) RequireNewFile(out);
  const InputFile file = InputFile::Open(path);
  std::map<std::string, Share> shares = SharesOf(file, options);
  TextRecords records(file, options);
  NewFile train_file(files, train), test_file(files, test);
  if (!records.header().empty())
    for (NewFile* out : {&train_file, &test_file}) out->Write(records.header() + "\n");
  const Philox random = {.seed = options.seed, .purpose = HashName("data split")};
  SplitCounts counts;
  for (uint64_t index = 0; records.Next(); ++index) {
    const auto share = shares.find(records.Class());
    if (share == shares.end() || share->second.left == 0)
      records.Throw("the text has changed while it was read");
    // Knuth's selection sampling: it draws exactly `test` of `left` records.
    auto& [left, for_test] = share->second;
    const bool drawn =
        random.Below(index, static_cast<uint64_t>(left)) < static_cast<uint64_t>(for_test);
    --left;
    if (drawn) --for_test;
    ++(drawn ? counts.test : counts.train);
    (drawn ? test_file : train_file).Write(records.text() + "\n");
  }
  train_file.Commit();
  test_file.Commit();
  return counts;
}

}  // namespace singa
