#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include "io/value_parser.h"
#include "singa/base/str_cat.h"
#include "singa/proto/common.pb.h"

namespace singa {
namespace {

const Sample& View(const RecordProto& record, Sample* sample) {
  sample->data = {record.data().data(), static_cast<size_t>(record.data_size())};
  sample->pixel = {reinterpret_cast<const uint8_t*>(record.pixel().data()), record.pixel().size()};
  sample->shape = {record.shape().data(), static_cast<size_t>(record.shape_size())};
  sample->label = record.has_label() ? record.label() : -1;
  if (record.has_label() && record.label() < 0)
    throw ValueError(StrCat("the label must be >= 0, is ", record.label()));
  return *sample;
}

class RecordParser final : public ValueParser {
 public:
  const Sample& Parse(std::string_view value) override {
    if (!record_.ParseFromArray(value.data(), static_cast<int>(value.size())))
      throw ValueError(StrCat("its ", value.size(), " bytes are no RecordProto"));
    return View(record_, &sample_);
  }

 private:
  RecordProto record_;
  Sample sample_;
};

class WrappedRecordParser final : public ValueParser {
 public:
  const Sample& Parse(std::string_view value) override {
    if (!record_.ParseFromArray(value.data(), static_cast<int>(value.size())))
      throw ValueError(StrCat("its ", value.size(), " bytes are no Record"));
    if (!record_.has_image())
      throw ValueError("is no Record with an image; a RecordProto is read by kRecordInput");
    return View(record_.image(), &sample_);
  }

 private:
  Record record_;
  Sample sample_;
};

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
  explicit TextRecordParser(const StoreOptions& options)
      : binary_(NewRecordParser()), csv_(NewCsvParser(options.separator, options.has_label)) {}

  const Sample& Parse(std::string_view value) override {
    constexpr std::string_view kTags = "\x08\x10\x1a\x22";  // of RecordProto's fields
    if (kTags.find(value[0]) != kTags.npos) return binary_->Parse(value);
    if (value[0] < 'a' || value[0] > 'z') return csv_->Parse(value);
    FirstError errors;
    google::protobuf::TextFormat::Parser parser;
    parser.RecordErrorsTo(&errors);
    if (!parser.ParseFromString(std::string(value), &record_))
      throw ValueError(StrCat("no RecordProto in text form: ", errors.text()));
    return View(record_, &sample_);
  }

 private:
  std::unique_ptr<ValueParser> binary_, csv_;
  RecordProto record_;
  Sample sample_;
};

}  // namespace

std::unique_ptr<ValueParser> NewRecordParser() { return std::make_unique<RecordParser>(); }

std::unique_ptr<ValueParser> NewWrappedRecordParser() {
  return std::make_unique<WrappedRecordParser>();
}

std::unique_ptr<ValueParser> NewTextRecordParser(const StoreOptions& options) {
  return std::make_unique<TextRecordParser>(options);
}

}  // namespace singa
