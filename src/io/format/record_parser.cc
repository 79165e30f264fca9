#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <optional>

#include "io/format/value_parser.h"
#include "io/picture/image_decoder.h"
#include "singa/base/str_cat.h"
#include "singa/proto/common.pb.h"

namespace singa {
namespace {

// The sample that a RecordProto holds.
class RecordView {
 public:
  explicit RecordView(const StoreOptions& options) {
    if (options.encoded) decoder_.emplace(options.channels);
  }

  const Sample& Of(const RecordProto& record) {
    sample_.data = {record.data().data(), static_cast<size_t>(record.data_size())};
    sample_.pixel = {reinterpret_cast<const uint8_t*>(record.pixel().data()),
                     record.pixel().size()};
    sample_.shape = {record.shape().data(), static_cast<size_t>(record.shape_size())};
    sample_.label = record.has_label() ? record.label() : -1;
    if (record.has_label() && record.label() < 0)
      throw ValueError(StrCat("the label must be >= 0, is ", record.label()));
    sample_.decoded = decoder_ && sample_.data.empty();
    if (sample_.decoded) {
      const Image& image = decoder_->Decode(sample_.pixel);
      sample_.pixel = image.pixels;
      sample_.shape = image.shape;
    }
    return sample_;
  }

 private:
  std::optional<ImageDecoder> decoder_;  // none: pixels are numbers
  Sample sample_;
};

class RecordParser final : public ValueParser {
 public:
  explicit RecordParser(const StoreOptions& options) : view_(options) {}

  const Sample& Parse(std::string_view value) override {
    if (!record_.ParseFromArray(value.data(), static_cast<int>(value.size())))
      throw ValueError(StrCat("its ", value.size(), " bytes are no RecordProto"));
    return view_.Of(record_);
  }

 private:
  RecordProto record_;
  RecordView view_;
};

class WrappedRecordParser final : public ValueParser {
 public:
  explicit WrappedRecordParser(const StoreOptions& options) : view_(options) {}

  const Sample& Parse(std::string_view value) override {
    if (!record_.ParseFromArray(value.data(), static_cast<int>(value.size())))
      throw ValueError(StrCat("its ", value.size(), " bytes are no Record"));
    if (!record_.has_image())
      throw ValueError("is no Record with an image; a RecordProto is read by kRecordInput");
    return view_.Of(record_.image());
  }

 private:
  Record record_;
  RecordView view_;
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
      : binary_(NewRecordParser(options)),
        csv_(NewCsvParser(options.separator, options.has_label)),
        view_(options) {}

  const Sample& Parse(std::string_view value) override {
    constexpr std::string_view kTags = "\x08\x10\x1a\x22";  // of RecordProto's fields
    if (kTags.find(value[0]) != kTags.npos) return binary_->Parse(value);
    if (value[0] < 'a' || value[0] > 'z') return csv_->Parse(value);
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

std::unique_ptr<ValueParser> NewRecordParser(const StoreOptions& options) {
  return std::make_unique<RecordParser>(options);
}

std::unique_ptr<ValueParser> NewWrappedRecordParser(const StoreOptions& options) {
  return std::make_unique<WrappedRecordParser>(options);
}

std::unique_ptr<ValueParser> NewTextRecordParser(const StoreOptions& options) {
  return std::make_unique<TextRecordParser>(options);
}

}  // namespace singa
