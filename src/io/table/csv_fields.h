// CsvFields cuts a line of CSV into fields, as RFC 4180 defines them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace singa {

// Says of a text that it has other ends of lines than a reader finds.
inline constexpr char kLoneReturns[] = "lines seem to end with \\r alone; end them with \\n";

inline constexpr int64_t kMostColumns = 1'000'000;  // of a header, and of StoreProto.label_column

class CsvFields {
 public:
  // Each character of `separator` separates fields.
  explicit CsvFields(const std::string& separator);

  // Cuts the first field off `line`. Returns it without the blanks and quotes around it; nullopt:
  // the line has no more. A separator at the end of the line begins no field. Separators between
  // quotes belong to the field, and two quotes there stay two. A quote that does not close in the
  // line belongs to the field, which then is the rest of the line.
  std::optional<std::string_view> Next(std::string_view* line) const;

  // Returns field `index`, from 0; nullopt: the line has no such field.
  std::optional<std::string_view> FieldAt(std::string_view line, int64_t index) const;

  // Returns whether a separator ends the line, so that an empty field may follow. Where a space
  // separates, no blank counts.
  bool EndsInSeparator(std::string_view line) const;

  // Returns whether a field of `text` begins with a quote that does not close.
  bool EndsInQuotes(std::string_view text) const;

  // Returns whether the line has only separators and blanks.
  bool IsEmpty(std::string_view line) const;

  bool Separates(char c) const { return separates_[static_cast<unsigned char>(c)]; }

 private:
  // Returns whether `c` is a blank that may stand around a field. Where a space separates, all
  // blanks are, as columns may be aligned.
  bool IsSkipped(char c) const;
  size_t LengthOfField(std::string_view line) const;

  bool separates_[256] = {};
};

// Returns the separators that a user means by `text`: a backslash and a t are a tab, as in a conf.
// Throws ConfigError("separator", ...) for an empty text and for characters of numbers and words.
std::string SeparatorsIn(const std::string& text);

// Returns the fields of a header's line, with one quote for two. Throws ValueError if there are
// more than kMostColumns.
std::vector<std::string> ColumnNames(std::string_view header, const std::string& separator);
// Returns whether all names are numbers, so that the line may be a record.
bool AreNumbers(const std::vector<std::string>& names);

// Returns the field with one quote for two.
std::string WithSingleQuotes(std::string_view field);

// Converts a field to a float, as ParseNumber does, but the field may begin with a "+". A number
// that is too small for a float becomes 0, one that is too large infinite. nullopt: no number.
std::optional<float> FloatIn(std::string_view field);
// Returns whether the field is digits, a comma and digits.
bool HasDecimalComma(std::string_view field);
// Returns whether the field begins with a letter.
bool IsWord(std::string_view field);
// Returns whether FloatIn converts the field.
inline bool IsNumber(std::string_view field) { return FloatIn(field).has_value(); }

// Converts a field, which may begin with a "+", to a label; nullopt: it is no label.
std::optional<int32_t> LabelFrom(std::string_view field);
// Returns the error about a field that is no label. `what`: "the label".
std::string NoLabelText(const std::string& what, std::string_view field);
// Returns the end of that error for a whole number that is not written as an integer, such as 1.0;
// "": it is none.
std::string IntegerAdvice(std::string_view field);

// The flag that names the column StoreOptions::id_column.
inline constexpr char kIdFlag[] = "-id";

// Returns the index, from 0, of the column that StoreProto.label_column names: an integer counts
// columns from 1, and any other text is a name of the header. `names`: those of the header; empty:
// no header; `setting`: what names the column. Throws ValueError if there is no such column, or
// there are two.
int64_t ColumnIndex(const std::string& column, const std::vector<std::string>& names,
                    const std::string& setting = "label_column");

// Returns the end of an error about a field of `fields` that seems to be several, which another
// character separates; "": it does not. `words`: none of them needs to be a number.
std::string SeparatorAdvice(std::string_view field, const CsvFields& fields, bool words = false);

// Returns whether text follows a '\r' in the line, so that the line may be several.
bool HasLoneReturn(std::string_view line);
// Returns the end of an error about the first line, which may be a header or several lines; "": it
// is neither.
std::string FirstLineAdvice(std::string_view line);

// Returns a field in quotes, for a message.
std::string FieldText(std::string_view field);

}  // namespace singa
