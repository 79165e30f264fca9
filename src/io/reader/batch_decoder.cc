#include "io/reader/batch_decoder.h"

#include "singa/base/error.h"

namespace singa {

JudgedStore::JudgedStore(const RowSource& source)
    : has_label_(source.store.has_label),
      skips_(source.max_bad > 0),
      store_(OpenStore(source.backend, source.store)),
      rows_(source.shape, source.norm, source.backend, source.store) {}

bool JudgedStore::Read(int64_t index, float* row, int32_t* label) {
  if (known_.contains(index)) return false;
  try {
    const Sample& sample = store_->Read(index);
    rows_.Decode(sample, *store_, index, row);
    *label = has_label_ && sample.has_label() ? sample.label : -1;
    return true;
  } catch (const DataError& error) {
    if (!skips_) throw;
    known_.emplace(index, error.what());
    return false;
  }
}

bool JudgedStore::IsGood(int64_t index) {
  good_.resize(store_->size());
  row_.resize(rows_.size());
  if (index >= store_->size() || good_[index]) return true;
  int32_t label;
  good_[index] = Read(index, row_.data(), &label);
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
  batch->bad.clear();
  batch->bad_beside.clear();
  float* row = batch->data.data();
  for (int64_t r = 0; r < options_.rows; ++r, row += own_.row_size()) {
    DecodeRow(order_->At(position + options_.first + r), drop, row, &batch->labels[r], batch);
    if (TooManyBad(*batch) || drop.load(std::memory_order_relaxed)) return;
  }
}

void BatchDecoder::DecodeRow(int64_t index, const std::atomic<bool>& drop, float* row,
                             int32_t* label, Batch* batch) {
  for (int64_t tried = 0; tried < records(); ++tried, index = (index + 1) % records()) {
    bool good = own_.Read(index, row, label);
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
