#include "io/readable_records.h"

#include <glog/logging.h>

#include <utility>

#include "singa/base/error.h"

namespace singa {
namespace {

class ReadableRecords final : public Store {
 public:
  ReadableRecords(std::unique_ptr<Store> store, std::vector<int64_t> indexes)
      : store_(std::move(store)), indexes_(std::move(indexes)) {}

  int64_t size() const override { return static_cast<int64_t>(indexes_.size()); }
  const Sample& Read(int64_t index) override { return store_->Read(indexes_[index]); }
  const std::string& name() const override { return store_->name(); }
  std::string Where(int64_t index) const override { return store_->Where(indexes_[index]); }
  std::vector<std::string> classes() const override { return store_->classes(); }

 private:
  const std::unique_ptr<Store> store_;
  const std::vector<int64_t> indexes_;  // in store_
};

}  // namespace

std::unique_ptr<Store> LeaveOutBadRecords(std::unique_ptr<Store> store, int64_t max_bad) {
  std::vector<int64_t> indexes;
  for (int64_t i = 0; i < store->size(); ++i) {
    try {
      store->Read(i);
      indexes.push_back(i);
    } catch (const DataError& error) {
      const int64_t bad = i + 1 - static_cast<int64_t>(indexes.size());
      if (bad > max_bad) throw;
      LOG(WARNING) << "left out: " << error.what();
    }
  }
  if (indexes.empty()) throw DataError(store->name(), -1, "has no record that can be read");
  return std::make_unique<ReadableRecords>(std::move(store), std::move(indexes));
}

}  // namespace singa
