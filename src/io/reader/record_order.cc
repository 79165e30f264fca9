#include "io/reader/record_order.h"

#include <numeric>
#include <utility>

#include "base/text/counted.h"
#include "singa/base/error.h"

namespace singa {

RecordOrder::RecordOrder(const OrderOptions& options, int64_t records)
    : options_(options),
      records_(records),
      begin_(options.group * records / options.groups),
      end_((options.group + 1) * records / options.groups) {
  if (begin_ == end_)
    throw ConfigError("", StrCat("has ", Counted(records, "record"), ", too few for ",
                                 options.groups, " worker groups"));
  if (options.random_skip > 0) {
    const Philox draw{options.seed, HashName(options.stream + "/random_skip"), 0};
    skip_ = static_cast<int64_t>(draw.Below(0, uint64_t{1} + options.random_skip));
  }
}

// Shuffles by Fisher and Yates, from the last place down.
void RecordOrder::Draw(int64_t epoch) {
  order_.resize(records_);
  std::iota(order_.begin(), order_.end(), 0);
  const Philox draw{options_.seed, HashName(options_.stream), static_cast<uint32_t>(epoch)};
  for (int64_t i = records_ - 1; i > 0; --i)
    std::swap(order_[i], order_[draw.Below(i, static_cast<uint64_t>(i) + 1)]);
  epoch_ = epoch;
}

int64_t RecordOrder::At(int64_t position) {
  const int64_t place = position + skip_;
  const int64_t in_epoch = begin_ + place % epoch_size();
  if (!options_.shuffle) return in_epoch;
  const int64_t epoch = place / epoch_size();
  if (epoch != epoch_) Draw(epoch);
  return order_[in_epoch];
}

}  // namespace singa
