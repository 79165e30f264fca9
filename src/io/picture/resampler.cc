#include "io/picture/resampler.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <type_traits>

namespace singa {
namespace {

// Returns the weights of `count` pixels, from pixel `begin` on, of a side of `to` pixels: a
// triangle around each one's centre that reaches as far as one pixel of the result, at least one
// source pixel, to each side.
std::vector<Taps> TapsOf(int64_t from, int64_t to, int64_t begin, int64_t count) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const double reach = std::max(1., scale);
  std::vector<Taps> taps(count);
  for (int64_t i = 0; i < count; ++i) {
    const double centre = (static_cast<double>(begin + i) + 0.5) * scale;
    const auto first = std::max<int64_t>(0, std::llround(centre - reach));
    const auto end = std::min<int64_t>(from, std::llround(centre + reach));
    double sum = 0;
    std::vector<double> weights;
    for (int64_t j = first; j < end; ++j) {
      const double from_centre = (static_cast<double>(j) + 0.5 - centre) / reach;
      weights.push_back(std::max(0., 1 - std::abs(from_centre)));
      sum += weights.back();
    }
    taps[i].first = first;
    for (double weight : weights) taps[i].weights.push_back(static_cast<float>(weight / sum));
  }
  return taps;
}

bool IsWhole(const ScaledPart& part, int64_t rows, int64_t columns) {
  return part.full_height == rows && part.full_width == columns && part.height == rows &&
         part.width == columns;
}

bool SamePart(const ScaledPart& a, const ScaledPart& b) {
  return a.full_height == b.full_height && a.full_width == b.full_width && a.top == b.top &&
         a.left == b.left && a.height == b.height && a.width == b.width;
}

}  // namespace

Sample Resampler::Scale(const Sample& picture, const ScaledPart& part) {
  const size_t sizes = picture.shape.size();
  const int32_t channels = sizes == 3 ? picture.shape[0] : 1;
  const int64_t rows = picture.shape[sizes - 2], columns = picture.shape[sizes - 1];
  if (IsWhole(part, rows, columns)) return picture;
  FindTaps(rows, columns, part);
  shape_ = {channels, static_cast<int32_t>(part.height), static_cast<int32_t>(part.width)};
  Sample scaled = picture;
  scaled.shape = std::span<const int32_t>(shape_).last(sizes);
  if (picture.data.empty())
    scaled.pixel = Resize(picture.pixel.data(), channels, &pixels_);
  else
    scaled.data = Resize(picture.data.data(), channels, &numbers_);
  return scaled;
}

void Resampler::FindTaps(int64_t rows, int64_t columns, const ScaledPart& part) {
  if (rows == rows_ && columns == columns_ && SamePart(part, part_)) return;
  row_taps_ = TapsOf(rows, part.full_height, part.top, part.height);
  column_taps_ = TapsOf(columns, part.full_width, part.left, part.width);
  begin_ = column_taps_.front().first;
  end_ = column_taps_.back().first + std::ssize(column_taps_.back().weights);
  rows_ = rows, columns_ = columns;
  part_ = part;
}

// from: [channels, rows_, columns_].
template <typename Number>
std::span<const Number> Resampler::Resize(const Number* from, int64_t channels,
                                          std::vector<Number>* to) {
  sums_.resize(columns_);
  to->resize(channels * part_.height * part_.width);
  Number* row = to->data();
  for (int64_t c = 0; c < channels; ++c)
    for (const Taps& taps : row_taps_) {
      AddRows(from + (c * rows_ + taps.first) * columns_, taps);
      ScaleSums(row);
      row += part_.width;
    }
  return *to;
}

// Computes sums_ of the source's rows from `row` on.
template <typename Number>
void Resampler::AddRows(const Number* row, const Taps& taps) {
  std::fill(sums_.begin() + begin_, sums_.begin() + end_, 0.f);
  for (float weight : taps.weights) {
    for (int64_t x = begin_; x < end_; ++x) sums_[x] += weight * static_cast<float>(row[x]);
    row += columns_;
  }
}

// Computes one row of the picture from sums_.
template <typename Number>
void Resampler::ScaleSums(Number* row) const {
  for (const Taps& taps : column_taps_) {
    float sum = 0;
    for (size_t k = 0; k < taps.weights.size(); ++k)
      sum += taps.weights[k] * sums_[taps.first + static_cast<int64_t>(k)];
    if constexpr (std::is_integral_v<Number>)
      *row++ = static_cast<Number>(std::clamp(sum + 0.5f, 0.f, 255.f));
    else
      *row++ = sum;
  }
}

}  // namespace singa
