#include "io/reader/batch_decoder.h"

#include "singa/base/error.h"

namespace singa {

BatchDecoder::BatchDecoder(const ReaderOptions& options)
    : options_(options),
      store_(OpenStore(options.backend, options.store)),
      rows_(options.shape, options.norm, options.backend, options.store),
      order_options_(options.order) {}

void BatchDecoder::SetOrder(const OrderOptions& order) {
  order_options_ = order;
  order_.reset();
}

void BatchDecoder::Decode(int64_t position, Batch* batch) {
  if (!order_) order_ = std::make_unique<RecordOrder>(order_options_, store_->size());
  batch->data.resize(options_.rows * rows_.size());
  batch->labels.resize(options_.rows);
  batch->bad.clear();
  float* row = batch->data.data();
  for (int64_t r = 0; r < options_.rows; ++r, row += rows_.size()) {
    DecodeRow(order_->At(position + options_.first + r), row, &batch->labels[r], &batch->bad);
    if (static_cast<int64_t>(batch->bad.size()) > options_.max_bad) return;
  }
}

void BatchDecoder::DecodeRow(int64_t index, float* row, int32_t* label, BadRecords* bad) {
  const int64_t records = store_->size();
  for (int64_t tried = 0; tried < records; ++tried, index = (index + 1) % records) {
    if (TryRecord(index, row, label)) return;
    bad->emplace(index, known_.at(index));
    if (static_cast<int64_t>(bad->size()) > options_.max_bad) return;
  }
  throw DataError(
      store_->name(), -1,
      StrCat("none of its ", records, " records can be read; the first: ", known_.begin()->second));
}

bool BatchDecoder::TryRecord(int64_t index, float* row, int32_t* label) {
  if (known_.contains(index)) return false;
  try {
    const Sample& sample = store_->Read(index);
    rows_.Decode(sample, *store_, index, row);
    *label = options_.store.has_label ? sample.label : -1;
    return true;
  } catch (const DataError& error) {
    if (options_.max_bad == 0) throw;
    known_.emplace(index, error.what());
    return false;
  }
}

}  // namespace singa
