#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <algorithm>

#include "io/format/record_view.h"
#include "io/format/value_parser.h"

namespace singa {
namespace {

class FirstError final : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int, int column, const std::string& message) override {
    if (text_.empty()) text_ = StrCat("column ", column + 1, ": ", message);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Returns whether a line is CSV that begins with a quote, rather than a message that begins with
// the same byte.
bool IsQuotedText(std::string_view line) {
  return line[0] == '"' && std::all_of(line.begin(), line.end(), [](char c) {
           return (c >= ' ' && c <= '~') || c == '\t' || c == '\r';
         });
}

enum class Kind : uint8_t { kCsv, kText, kBinary };

Kind KindOf(std::string_view value) {
  constexpr std::string_view kTags = "\x08\x10\x1a\x22";  // tags of RecordProto's fields
  if (IsQuotedText(value)) return Kind::kCsv;
  if (kTags.find(value[0]) != kTags.npos) return Kind::kBinary;
  constexpr std::string_view kOfNames = "abcdefghijklmnopqrstuvwxyz0123456789_ \t";
  const bool may_be_text = value[0] >= 'a' && value[0] <= 'z';
  const size_t end = may_be_text ? value.find_first_not_of(kOfNames) : value.npos;
  const bool text = end != value.npos && std::string_view(":{<").find(value[end]) != value.npos;
  return text ? Kind::kText : Kind::kCsv;
}

class TextRecordParser final : public ValueParser {
 public:
  TextRecordParser(const StoreOptions& options, const std::vector<std::string>& names)
      : binary_(NewRecordParser(options)), csv_(NewCsvParser(options, names)), view_(options) {}

  std::optional<std::string> LabelFieldOf(std::string_view value, bool last) const override {
    return KindOf(value) == Kind::kCsv ? csv_->LabelFieldOf(value, last) : std::nullopt;
  }

  bool LastSeemsLabel(std::string_view value) const override {
    return KindOf(value) == Kind::kCsv && csv_->LastSeemsLabel(value);
  }

  const Sample& Parse(std::string_view value) override {
    const Kind kind = KindOf(value);
    if (kind == Kind::kCsv) return csv_->Parse(value);
    if (kind == Kind::kBinary) return binary_->Parse(value);
    FirstError errors;
    google::protobuf::TextFormat::Parser parser;
    parser.RecordErrorsTo(&errors);
    if (!parser.ParseFromString(std::string(value), &record_))
      throw ValueError(StrCat("no RecordProto in text form: ", errors.text()));
    return view_.Of(record_);
  }

 private:
  std::unique_ptr<ValueParser> binary_, csv_;
  RecordProto record_;
  RecordView view_;
};

}  // namespace

bool IsCsv(std::string_view line) { return KindOf(line) == Kind::kCsv; }

std::unique_ptr<ValueParser> NewTextRecordParser(const StoreOptions& options,
                                                 const std::vector<std::string>& names) {
  return std::make_unique<TextRecordParser>(options, names);
}

}  // namespace singa
