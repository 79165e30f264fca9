#include "io/reader/row_decoder.h"

#include <algorithm>
#include <iterator>
#include <memory>

#include "singa/base/error.h"

namespace singa {
namespace {

// Transposes in: [channels, n / channels] to row: [n / channels, channels].
template <typename T>
void Transpose(const T* in, int64_t n, int64_t channels, float* row) {
  const int64_t plane = n / channels;
  for (int64_t c = 0; c < channels; ++c, in += plane)
    for (int64_t i = 0; i < plane; ++i) row[i * channels + c] = static_cast<float>(in[i]);
}

}  // namespace

RowDecoder::RowDecoder(const std::vector<int64_t>& shape, const Normalisation& norm,
                       const std::string& backend, const StoreOptions& options)
    : shape_(shape),
      scales_(options.short_side > 0),
      mean_value_(norm.mean_value),
      std_value_(norm.std_value) {
  for (int64_t d : shape) size_ *= d;
  if (shape.size() == 3) channels_ = shape[0];
  channel_mean_ = OfNumbers(norm.channel_mean);
  channel_std_ = OfNumbers(norm.channel_std);
  if (!norm.mean_file.empty()) mean_ = FirstRecord(norm.mean_file, backend, options);
  if (norm.std_file.empty()) return;
  std_ = FirstRecord(norm.std_file, backend, options);
  if (std::find(std_.begin(), std_.end(), 0.f) != std_.end())
    throw DataError(norm.std_file, 0, "holds a zero, by which nothing can be divided");
}

std::vector<float> RowDecoder::FirstRecord(const std::string& file, const std::string& backend,
                                           const StoreOptions& options) const {
  StoreOptions own = options;
  own.path = file;
  own.has_label = own.encoded = own.header = false;
  own.targets = 0;
  own.label_column.clear();
  own.short_side = 0;
  const bool text = TraitsOf(backend).lines;
  const std::unique_ptr<Store> store = OpenStore(text ? backend : "kvfile", own);
  const Sample& sample = store->Read(0);
  CheckSize(sample, *store, 0);
  std::vector<float> numbers(size_);
  Spread(sample, numbers.data());
  return numbers;
}

// Returns the number of its channel for each number of a row; empty: there are none.
std::vector<float> RowDecoder::OfNumbers(const std::vector<float>& of_channels) const {
  if (of_channels.empty()) return {};
  const int64_t channels = std::ssize(of_channels);
  std::vector<float> all(size_);
  for (int64_t i = 0; i < size_; ++i)
    all[i] = of_channels[channels_ > 1 ? i % channels : i / (size_ / channels)];
  return all;
}

void RowDecoder::CheckSize(const Sample& sample, const Store& store, int64_t index) const {
  const std::string misfit = sample.Misfit(shape_, "the shape says");
  if (misfit.empty()) return;
  throw DataError(store.Where(index), -1, misfit + (scales_ ? "" : sample.ScalingAdvice(shape_)));
}

void RowDecoder::Spread(const Sample& sample, float* row) const {
  const auto spread = [&](const auto& numbers) {
    if (channels_ == 1)
      std::copy(numbers.begin(), numbers.end(), row);
    else
      Transpose(numbers.data(), size_, channels_, row);
  };
  if (sample.data.empty())
    spread(sample.pixel);
  else
    spread(sample.data);
}

void RowDecoder::Decode(const Sample& sample, const Store& store, int64_t index, float* row) const {
  CheckSize(sample, store, index);
  Spread(sample, row);
  if (!mean_.empty())
    for (int64_t i = 0; i < size_; ++i) row[i] -= mean_[i];
  else if (mean_value_ != 0)
    for (int64_t i = 0; i < size_; ++i) row[i] -= mean_value_;
  if (!std_.empty())
    for (int64_t i = 0; i < size_; ++i) row[i] /= std_[i];
  else if (std_value_ != 1)
    for (int64_t i = 0; i < size_; ++i) row[i] /= std_value_;
  if (!channel_mean_.empty())
    for (int64_t i = 0; i < size_; ++i) row[i] -= channel_mean_[i];
  if (!channel_std_.empty())
    for (int64_t i = 0; i < size_; ++i) row[i] /= channel_std_[i];
}

}  // namespace singa
