#include "io/reader/batch_decoder.h"

#include <algorithm>

#include "base/text/counted.h"
#include "singa/base/error.h"

namespace singa {

JudgedStore::JudgedStore(const RowSource& source)
    : has_label_(source.store.has_label),
      skips_(source.max_bad > 0),
      targets_(source.store.targets),
      store_(OpenStore(source.backend, source.store)),
      rows_(source.shape, source.norm, source.backend, source.store) {}

bool JudgedStore::Read(int64_t index, float* row, int32_t* label, float* targets) {
  if (known_.contains(index)) return false;
  try {
    const Sample& sample = store_->Read(index);
    rows_.Decode(sample, *store_, index, row);
    *label = has_label_ && sample.has_label() ? sample.label : -1;
    if (targets_ > 0) {
      CheckTargets(sample, index);
      std::copy(sample.targets.begin(), sample.targets.end(), targets);
    }
    return true;
  } catch (const DataError& error) {
    if (!skips_) throw;
    known_.emplace(index, error.what());
    return false;
  }
}

void JudgedStore::CheckTargets(const Sample& sample, int64_t index) const {
  const int64_t own = std::ssize(sample.targets);
  if (own != targets_)
    throw DataError(store_->Where(index), -1,
                    StrCat("has ", Counted(own, "target"), ", num_targets is ", targets_));
}

bool JudgedStore::IsGood(int64_t index) {
  good_.resize(store_->size());
  row_.resize(rows_.size());
  row_targets_.resize(targets_);
  if (index >= store_->size() || good_[index]) return true;
  int32_t label;
  good_[index] = Read(index, row_.data(), &label, row_targets_.data());
  return good_[index];
}

BatchDecoder::BatchDecoder(const ReaderOptions& options)
    : options_(options), own_(options), order_options_(options.order) {
  for (RowSource source : options.beside) {
    source.store.warns = false;  // the store's own reader warns
    beside_.emplace_back(source);
    max_bad_beside_ += source.max_bad;
  }
}

void BatchDecoder::SetOrder(const OrderOptions& order) {
  order_options_ = order;
  order_.reset();
}

// Returns whether too many records are bad, here or in other stores. In the second case the reader
// of one of those stores reports it at the same batch.
bool BatchDecoder::TooManyBad(const Batch& batch) const {
  return static_cast<int64_t>(batch.bad.size()) > options_.max_bad ||
         static_cast<int64_t>(batch.bad_beside.size()) > max_bad_beside_;
}

void BatchDecoder::Decode(int64_t position, const std::atomic<bool>& drop, Batch* batch) {
  if (!order_) order_ = std::make_unique<RecordOrder>(order_options_, records());
  batch->data.resize(options_.rows * own_.row_size());
  batch->labels.resize(options_.rows);
  batch->targets.resize(options_.rows * options_.store.targets);
  batch->bad.clear();
  batch->bad_beside.clear();
  for (int64_t r = 0; r < options_.rows; ++r) {
    DecodeRow(order_->At(position + options_.first + r), drop, r, batch);
    if (TooManyBad(*batch) || drop.load(std::memory_order_relaxed)) return;
  }
}

void BatchDecoder::DecodeRow(int64_t index, const std::atomic<bool>& drop, int64_t r,
                             Batch* batch) {
  float* const row = batch->data.data() + r * own_.row_size();
  float* const targets = batch->targets.data() + r * options_.store.targets;
  for (int64_t tried = 0; tried < records(); ++tried, index = (index + 1) % records()) {
    bool good = own_.Read(index, row, &batch->labels[r], targets);
    if (!good) batch->bad.emplace(index, own_.known().at(index));
    for (JudgedStore& other : beside_) {
      if (other.IsGood(index)) continue;
      batch->bad_beside.insert(index);
      good = false;
    }
    if (good || TooManyBad(*batch) || drop.load(std::memory_order_relaxed)) return;
  }
  const std::string first =
      own_.known().empty() ? "" : StrCat("; the first: ", own_.known().begin()->second);
  throw DataError(own_.store().name(), -1,
                  StrCat("none of its ", records(), " records can be read",
                         beside_.empty() ? "" : " in all input layers", first));
}

}  // namespace singa
