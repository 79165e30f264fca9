#include "io/value_store.h"

#include <utility>

#include "singa/base/error.h"

namespace singa {
namespace {

class ValueStore final : public Store {
 public:
  ValueStore(InputFile file, std::vector<ValuePlace> values, std::unique_ptr<ValueParser> parser)
      : file_(std::move(file)), values_(std::move(values)), parser_(std::move(parser)) {}

  int64_t size() const override { return static_cast<int64_t>(values_.size()); }
  const std::string& name() const override { return file_.name(); }

  const Sample& Read(int64_t index) override {
    const ValuePlace& place = values_[index];
    value_.resize(place.size);
    file_.ReadAt(place.offset, value_.data(), place.size);
    try {
      return parser_->Parse({value_.data(), value_.size()});
    } catch (const ValueError& error) {
      throw DataError(file_.name(), index, error.what());
    }
  }

 private:
  InputFile file_;
  std::vector<ValuePlace> values_;
  std::unique_ptr<ValueParser> parser_;
  std::vector<char> value_;
};

}  // namespace

std::unique_ptr<Store> NewValueStore(InputFile file, std::vector<ValuePlace> values,
                                     std::unique_ptr<ValueParser> parser) {
  return std::make_unique<ValueStore>(std::move(file), std::move(values), std::move(parser));
}

}  // namespace singa
