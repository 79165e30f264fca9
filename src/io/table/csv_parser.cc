#include <cmath>
#include <iterator>
#include <vector>

#include "base/text/counted.h"
#include "io/store/value_parser.h"
#include "io/table/class_words.h"
#include "io/table/csv_fields.h"
#include "io/table/csv_parser.h"
#include "io/table/field_advice.h"
#include "io/table/number_signs.h"
#include "io/table/table_columns.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

constexpr char kSkipAdvice[] =
    "; on_bad_record: kSkip (singa data: -max_bad N) leaves such records out";

class CsvParser final : public ValueParser {
 public:
  CsvParser(const StoreOptions& options, const std::vector<std::string>& names)
      : fields_(options.separator),
        label_fields_(options.label_fields),
        has_label_(options.has_label && options.targets == 0),
        targets_(options.targets),
        reads_unknown_(options.reads_unknown_words),
        new_job_(options.for_new_job),
        skip_advice_(options.skips_bad || new_job_ ? "" : kSkipAdvice),
        chosen_(has_label_ || targets_ > 0 ? ColumnIndex(options.label_column, names) : 0),
        chooses_(!options.label_column.empty()),
        words_(options.class_names),
        columns_(options.columns, names),
        id_(options.id_column.empty() ? -1 : ColumnIndex(options.id_column, names, kIdFlag)),
        order_(options.column_order),
        names_(names) {
    for (int64_t at = chosen_; IsChosen(at); ++at)
      if (columns_.Has(at))
        throw ValueError(StrCat(Place(has_label_ ? "the label" : "a target", at),
                                " is in columns, too; columns is for the data"));
  }

  std::optional<int32_t> LabelOf(std::string_view line) const override {
    if (!has_label_ || label_fields_ == LabelFields::kLeftOut) return {};
    const auto field = fields_.FieldAt(line, chosen_);
    return field ? words_.LabelOf(*field) : std::nullopt;
  }

  std::optional<std::string> LabelFieldOf(std::string_view line, bool last) const override {
    if (!ReadsIntegers()) return {};
    const auto field = fields_.FieldAt(line, chosen_);
    if (!field || !FieldAdvice(*field, fields_).empty() || HasLoneReturn(*field)) return {};
    return WithSingleQuotes(last ? EndsOf(line).last : *field);
  }

  bool LastSeemsLabel(std::string_view line) const override {
    if (!ReadsIntegers()) return false;
    const auto field = fields_.FieldAt(line, chosen_);
    const Ends ends = EndsOf(line);
    return field && SeemsLast(*field, ends) && !LabelFrom(ends.last);
  }

  const Sample& Parse(std::string_view line) override {
    numbers_.clear();
    target_.clear();
    unknown_.clear();
    sample_.label = kNoLabel;
    if (order_.empty())
      AddAll(line);
    else
      AddInOrder(line);
    sample_.data = numbers_;
    sample_.targets = target_;
    sample_.unknown_words = unknown_;
    if (id_ >= 0) id_text_ = WithSingleQuotes(fields_.FieldAt(line, id_).value_or(""));
    sample_.id = id_text_;
    return sample_;
  }

 private:
  // Returns whether column `at`, from 0, is the label or a target.
  bool IsChosen(int64_t at) const {
    return at >= chosen_ && at - chosen_ < (has_label_ ? 1 : targets_);
  }

  struct Ends {  // of a line
    std::string_view second, last;
    int64_t count = 0;  // of fields
  };

  Ends EndsOf(std::string_view line) const {
    Ends ends;
    for (auto next = fields_.Next(&line); next; next = fields_.Next(&line)) {
      if (++ends.count == 2) ends.second = *next;
      ends.last = *next;
    }
    return ends;
  }

  // Returns whether each line has an integer as label.
  bool ReadsIntegers() const {
    return has_label_ && label_fields_ == LabelFields::kNeeded && words_.empty();
  }

  // Returns whether the last field of a line seems to be its label, as `field`, the first one, is
  // a number that is none.
  bool SeemsLast(std::string_view field, const Ends& ends) const {
    if (chooses_ || ends.count < 2 || !IsNumber(field) || ends.last.empty()) return false;
    if (!words_.empty()) return words_.LabelOf(ends.last).has_value();
    return !LabelFrom(field) && (LabelFrom(ends.last) || !IsNumber(ends.last));
  }

  // Adds the fields of a line as they stand.
  void AddAll(std::string_view line) {
    std::string_view rest = line;
    int64_t at = 0;
    for (auto field = fields_.Next(&rest); field; field = fields_.Next(&rest), ++at)
      Add(*field, line, at);
    if (at == LastColumn() && fields_.EndsInSeparator(line)) Add("", line, at++);
    CheckColumns(at);
  }

  // Adds the fields of the chosen columns, in their order.
  void AddInOrder(std::string_view line) {
    std::string_view rest = line;
    all_.clear();
    while (const auto field = fields_.Next(&rest)) all_.push_back(*field);
    if (std::ssize(all_) == LastColumn() && fields_.EndsInSeparator(line)) all_.emplace_back();
    CheckWidth(std::ssize(all_));
    for (const int64_t at : order_) Add(all_[at], line, at);
  }

  // Adds the field of column `at`, from 0.
  void Add(std::string_view field, std::string_view line, int64_t at) {
    const bool chosen = IsChosen(at);
    if (chosen && label_fields_ == LabelFields::kLeftOut) return;
    if (chosen && has_label_)
      sample_.label = Label(field, line, at);
    else if (chosen)
      target_.push_back(Number(field, "target", target_.size(), at));
    else if (!columns_.Has(at) || !AddDescribed(field, at))
      numbers_.push_back(Number(field, "number", numbers_.size(), at));
  }

  // Adds what the field of a described column gives. Returns false if it must be a number.
  bool AddDescribed(std::string_view field, int64_t at) {
    if (columns_.Add(at, field, &numbers_)) return true;
    if (!reads_unknown_ || !columns_.MayBeWord(at, field)) return false;
    if (!FieldAdvice(field, fields_).empty() || HasLoneReturn(field)) return false;
    unknown_.push_back({at, Place("the word", at), WithSingleQuotes(field)});
    return columns_.Add(at, "", &numbers_);
  }

  // Returns the index of the last column that each line has; -1: only the first one, or none, is
  // known.
  int64_t LastColumn() const {
    if (!names_.empty()) return std::ssize(names_) - 1;
    return std::max(has_label_ && chosen_ > 0 ? chosen_ : -1, columns_.end() - 1);
  }

  // Throws ValueError unless a line of `count` fields has the columns of the header.
  void CheckWidth(int64_t count) const {
    if (!names_.empty() && count != std::ssize(names_))
      throw ValueError(StrCat("has ", Counted(count, "field"), ", the header ",
                              Counted(std::ssize(names_), "column")));
  }

  // Throws ValueError unless a line of `count` fields has all columns.
  void CheckColumns(int64_t count) const {
    const auto has = [&] { return StrCat("has ", Counted(count, "field")); };
    CheckWidth(count);
    if (has_label_ && count <= chosen_)
      throw ValueError(chosen_ == 0 ? "has no label"
                                    : StrCat(has(), "; the label is in column ", chosen_ + 1,
                                             " (label_column)"));
    if (count < columns_.end())
      throw ValueError(
          StrCat(has(), new_job_ ? "; other lines have column " : ", and columns describes column ",
                 columns_.end()));
    if (std::ssize(target_) == targets_ || label_fields_ == LabelFields::kLeftOut) return;
    if (chosen_ == 0)
      throw ValueError(StrCat("has ", Counted(std::ssize(target_), "number"), "; the first ",
                              targets_, " are targets, as num_targets or -targets says"));
    throw ValueError(StrCat(has(), "; the ", targets_, " targets begin in column ", chosen_ + 1,
                            " (num_targets, label_column)"));
  }

  // Returns `what` with its column, and the column's name if there is a header.
  std::string Place(const std::string& what, int64_t column) const {
    const bool named = column < std::ssize(names_);
    return StrCat(what, " in column ", column + 1,
                  named ? StrCat(" (", FieldText(names_[column]), ")") : std::string());
  }

  // Returns advice about a field of column `at`, of numbers or targets, that is none.
  std::string NumberAdvice(std::string_view field, int64_t at) const {
    const std::vector<std::string> signs = SignsInNumber(field);
    const bool grouped = fields_.Separates(',') && !HasDecimalComma(field);  // by commas alone
    if (!signs.empty() && (signs.front() != "," || grouped))
      return StrCat("; write numbers such as 1234.5, without ", SignsText(signs));
    std::string advice = FieldAdvice(field, fields_);
    if (!advice.empty() || HasLoneReturn(field)) return advice;
    const bool target = IsChosen(at);
    if (new_job_)
      return target ? "" : StrCat("; correct it, or -leave_out ", at + 1, " leaves the column out");
    if (target && field.empty() && label_fields_ == LabelFields::kMayBeEmpty)
      return "; -no_labels leaves targets out";
    if (!target && IsGap(field))
      return StrCat(skip_advice_, "; columns { name: ", QuotedText(NameInConf(names_, at)),
                    " missing: NUMBER } fills gaps");
    if (IsNumber(field) || !IsWord(field)) return skip_advice_;
    return StrCat(skip_advice_, "; every column", has_label_ ? " but the label" : "",
                  " must hold numbers",
                  target ? "" : ", or be described in columns: singa data stat prints them");
  }

  // Returns advice if the label of `line` seems to be elsewhere, or is a word; else "".
  std::string LabelAdvice(std::string_view field, std::string_view line) const {
    if (field.empty()) return skip_advice_;
    const Ends ends = EndsOf(line);
    const bool needed = label_fields_ == LabelFields::kNeeded, numbers = words_.empty();
    if (SeemsLast(field, ends))
      return StrCat("; the label is the first ", numbers ? "number" : "field",
                    " of a line, and here it seems to be the last: then set label_column: \"",
                    ends.count, "\"",
                    needed && numbers && !LabelFrom(ends.last) ? " and class_names" : "");
    if (!numbers || IsNumber(field) || (!IsNumber(ends.second) && !chooses_)) return "";
    return StrCat("; write classes as numbers from 0", needed ? ", or set class_names" : "");
  }

  int32_t Label(std::string_view field, std::string_view line, int64_t column) const {
    if (const auto label = words_.LabelOf(field)) return *label;
    if (field.empty() && label_fields_ == LabelFields::kMayBeEmpty) return kNoLabel;
    const bool numbers = words_.empty();
    std::string advice = FieldAdvice(field, fields_) + LabelAdvice(field, line);
    if (advice.empty() && numbers) advice = IntegerAdvice(field);
    if (label_fields_ == LabelFields::kMayBeEmpty) advice += "; -no_labels leaves labels out";
    const bool usual = names_.empty() && !chooses_;  // the label is the first number of a line
    const std::string place = usual ? "the label" : Place("the label", column);
    throw ValueError((numbers ? NoLabelText(place, field) : words_.NoWordText(place, field)) +
                     advice);
  }

  // Converts number `index`, from 0, of the line's numbers or targets; `what` says which.
  float Number(std::string_view field, const char* what, size_t index, int64_t column) const {
    if (columns_.Has(column)) {
      const std::string text = columns_.NoWordText(column, Place("the word", column), field);
      if (!text.empty()) throw ValueError(text + skip_advice_);
    }
    const std::optional<float> number = FloatIn(field);
    if (number && std::isfinite(*number)) return *number;
    const std::string place = Place(StrCat(what, " ", index + 1), column);
    const bool has_digits = field.find_first_of("0123456789") != field.npos;  // "inf" has none
    if (number && std::isinf(*number) && has_digits)
      throw ValueError(StrCat(place, " is too large: ", FieldText(field)));
    throw ValueError(StrCat(place, " is ", FieldText(field), NumberAdvice(field, column)));
  }

  const CsvFields fields_;
  const LabelFields label_fields_;
  const bool has_label_;
  const int64_t targets_;
  const bool reads_unknown_;  // whether words that are not listed are gaps
  const bool new_job_;        // whether errors advise its flags
  const char* const skip_advice_;
  const int64_t chosen_;                  // index of the label's column, or of the first target's
  const bool chooses_;                    // whether label_column chose that column
  const ClassWords words_;                // empty: labels are integers
  const TableColumns columns_;            // those that are not simply numbers
  const int64_t id_;                      // index of the column with ids; -1: none
  const std::vector<int64_t> order_;      // columns to read, in order; empty: all
  const std::vector<std::string> names_;  // names of the columns; empty: there is no header
  std::vector<std::string_view> all_;     // fields of a line, where columns have an order
  std::vector<float> numbers_, target_;
  std::vector<UnknownWord> unknown_;
  std::string id_text_;
  Sample sample_;
};

}  // namespace

std::unique_ptr<ValueParser> NewCsvParser(const StoreOptions& options,
                                          const std::vector<std::string>& names) {
  return std::make_unique<CsvParser>(options, names);
}

std::unique_ptr<ValueParser> NewCsvParser(const std::string& separator, bool has_label,
                                          int64_t targets) {
  return NewCsvParser({.separator = separator, .has_label = has_label, .targets = targets});
}

}  // namespace singa
