#include "io/format/value_store.h"

#include <utility>

#include "singa/base/error.h"

namespace singa {

ValueStore::ValueStore(InputFile file, std::vector<ValuePlace> values,
                       std::unique_ptr<ValueParser> parser)
    : file_(std::move(file)), values_(std::move(values)), parser_(std::move(parser)) {}

const Sample& ValueStore::Read(int64_t index) {
  const ValuePlace& place = values_[index];
  value_.resize(place.size);
  file_.ReadAt(place.offset, value_.data(), place.size);
  try {
    return parser_->Parse({value_.data(), value_.size()});
  } catch (const ValueError& error) {
    throw DataError(Where(index), -1, error.what());
  }
}

}  // namespace singa
