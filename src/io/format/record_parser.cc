#include "io/format/record_parsers.h"
#include "io/format/record_view.h"
#include "io/store/value_parser.h"
#include "singa/base/str_cat.h"
#include "singa/proto/common.pb.h"

namespace singa {
namespace {

class RecordParser final : public ValueParser {
 public:
  explicit RecordParser(const StoreOptions& options) : view_(options) {}

  const Sample& Parse(std::string_view value) override {
    if (!record_.ParseFromArray(value.data(), static_cast<int>(value.size())))
      throw ValueError(StrCat("its ", value.size(), " bytes are no RecordProto"));
    return view_.Of(record_);
  }
  std::optional<int32_t> LabelOf(std::string_view value) const override {
    return FieldOf(value, RecordProto::kLabelFieldNumber);
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

}  // namespace

std::unique_ptr<ValueParser> NewRecordParser(const StoreOptions& options) {
  return std::make_unique<RecordParser>(options);
}

std::unique_ptr<ValueParser> NewWrappedRecordParser(const StoreOptions& options) {
  return std::make_unique<WrappedRecordParser>(options);
}

}  // namespace singa
