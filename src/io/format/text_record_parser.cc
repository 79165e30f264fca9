#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include "io/format/record_parsers.h"
#include "io/format/record_view.h"
#include "io/store/value_parser.h"
#include "io/table/csv_parser.h"
#include "io/table/line_kind.h"

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

class TextRecordParser final : public ValueParser {
 public:
  TextRecordParser(const StoreOptions& options, const std::vector<std::string>& names)
      : binary_(NewRecordParser(options)), csv_(NewCsvParser(options, names)), view_(options) {}

  std::optional<std::string> LabelFieldOf(std::string_view value, bool last) const override {
    return KindOfLine(value) == LineKind::kCsv ? csv_->LabelFieldOf(value, last) : std::nullopt;
  }

  bool LastSeemsLabel(std::string_view value) const override {
    return KindOfLine(value) == LineKind::kCsv && csv_->LastSeemsLabel(value);
  }

  const Sample& Parse(std::string_view value) override {
    const LineKind kind = KindOfLine(value);
    if (kind == LineKind::kCsv) return csv_->Parse(value);
    if (kind == LineKind::kBinary) return binary_->Parse(value);
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

std::unique_ptr<ValueParser> NewTextRecordParser(const StoreOptions& options,
                                                 const std::vector<std::string>& names) {
  return std::make_unique<TextRecordParser>(options, names);
}

}  // namespace singa
