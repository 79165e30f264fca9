#include "io/store/readable_records.h"

#include <glog/logging.h>

#include <utility>

#include "base/text/counted.h"
#include "io/store/store_wrapper.h"
#include "singa/base/error.h"

namespace singa {
namespace {

class ReadableRecords final : public StoreWrapper {
 public:
  ReadableRecords(std::unique_ptr<Store> store, std::vector<int64_t> indexes)
      : StoreWrapper(std::move(store)), indexes_(std::move(indexes)) {}

  int64_t size() const override { return static_cast<int64_t>(indexes_.size()); }
  const Sample& Read(int64_t index) override { return store().Read(indexes_[index]); }
  std::string Where(int64_t index) const override { return store().Where(indexes_[index]); }
  std::string NameOf(int64_t index) const override { return store().NameOf(indexes_[index]); }
  // Returns none, as a record left out may have the least or greatest label.
  LabelRange Labels() override { return {}; }

 private:
  const std::vector<int64_t> indexes_;  // indexes in store()
};

void Judge(Store* store, int64_t index, bool same_shape, std::vector<int64_t>* shape) {
  if (shape->empty()) {
    const std::vector<int32_t> own = RecordShape(store, index);
    if (same_shape) shape->assign(own.begin(), own.end());
    return;
  }
  const std::string misfit = store->Read(index).Misfit(*shape, "the shape says");
  if (!misfit.empty()) throw DataError(store->Where(index), -1, misfit);
}

}  // namespace

std::unique_ptr<Store> LeaveOutBadRecords(std::unique_ptr<Store> store, Store* judge,
                                          const ReadableOptions& options) {
  std::vector<int64_t> indexes, shape(options.shape.begin(), options.shape.end());
  for (int64_t i = 0; i < store->size(); ++i) {
    try {
      Judge(judge, i, options.same_shape, &shape);
      indexes.push_back(i);
    } catch (const DataError& error) {
      const int64_t bad = i + 1 - static_cast<int64_t>(indexes.size());
      if (bad > options.max_bad)
        throw Error(kExitBadData,
                    StrCat(error.what(), "; with it ", Counted(bad, "record is", "records are"),
                           " bad, ", options.max_bad, " may be left out"));
      LOG(WARNING) << "left out: " << error.what();
    }
  }
  if (indexes.empty()) throw DataError(store->name(), -1, "has no record that can be read");
  return std::make_unique<ReadableRecords>(std::move(store), std::move(indexes));
}

}  // namespace singa
