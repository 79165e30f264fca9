#include "io/picture/resized_store.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

#include "io/picture/image_decoder.h"
#include "io/store/store_wrapper.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// Weights of the source pixels, from `first` on, that make one pixel of a scaled side.
struct Taps {
  int64_t first = 0;
  std::vector<float> weights;
};

// Returns the weights of each pixel: a triangle around its centre that reaches as far as one pixel
// of the result, at least one source pixel, to each side.
std::vector<Taps> TapsOf(int64_t from, int64_t to) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const double reach = std::max(1., scale);
  std::vector<Taps> taps(to);
  for (int64_t i = 0; i < to; ++i) {
    const double centre = (static_cast<double>(i) + 0.5) * scale;
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

constexpr int64_t kMaxNumbers = 4 * ImageDecoder::kMaxPixels;  // limit for one record

class ResizedStore final : public StoreWrapper {
 public:
  ResizedStore(std::unique_ptr<Store> store, int32_t height, int32_t width)
      : StoreWrapper(std::move(store)), height_(height), width_(width) {}

  const Sample& Read(int64_t index) override {
    const Sample& source = store().Read(index);
    const size_t sizes = source.shape.size();
    if ((sizes != 3 && sizes != 2) || !source.ShapeFits())
      throw DataError(Where(index), -1,
                      "is no picture (channels, height, width; or height, width), which can be "
                      "resized");
    const int32_t channels = sizes == 3 ? source.shape[0] : 1;
    if (channels > kMaxNumbers / (int64_t{height_} * width_))
      throw DataError(Where(index), -1,
                      StrCat("has ", channels, " channels; of ", width_, " x ", height_,
                             " pixels at most ", kMaxNumbers, " numbers are made"));
    shape_ = {channels, height_, width_};
    sample_ = source;
    sample_.shape = std::span<const int32_t>(shape_).last(sizes);
    const int32_t rows = source.shape[sizes - 2], columns = source.shape[sizes - 1];
    if (rows == height_ && columns == width_) return sample_;
    FindTaps(rows, columns);
    if (source.data.empty())
      sample_.pixel = Resize(source.pixel.data(), channels, &pixels_);
    else
      sample_.data = Resize(source.data.data(), channels, &numbers_);
    return sample_;
  }

 private:
  void FindTaps(int64_t rows, int64_t columns) {
    if (rows == rows_ && columns == columns_) return;
    row_taps_ = TapsOf(rows, height_);
    column_taps_ = TapsOf(columns, width_);
    rows_ = rows, columns_ = columns;
  }

  // from: [channels, rows_, columns_].
  template <typename Number>
  std::span<const Number> Resize(const Number* from, int64_t channels, std::vector<Number>* to) {
    sums_.resize(columns_);
    to->resize(channels * height_ * width_);
    Number* row = to->data();
    for (int64_t c = 0; c < channels; ++c)
      for (const Taps& taps : row_taps_) {
        AddRows(from + (c * rows_ + taps.first) * columns_, taps);
        ScaleSums(row);
        row += width_;
      }
    return *to;
  }

  // Computes sums_ of the source's rows from `row` on.
  template <typename Number>
  void AddRows(const Number* row, const Taps& taps) {
    std::fill(sums_.begin(), sums_.end(), 0.f);
    for (float weight : taps.weights) {
      for (int64_t x = 0; x < columns_; ++x) sums_[x] += weight * static_cast<float>(row[x]);
      row += columns_;
    }
  }

  // Computes one row of the picture from sums_.
  template <typename Number>
  void ScaleSums(Number* row) const {
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

  const int32_t height_, width_;
  int64_t rows_ = 0, columns_ = 0;  // size of the source that the taps are for
  std::vector<Taps> row_taps_, column_taps_;
  std::vector<float> sums_;  // [columns_], for one row of the result
  std::vector<uint8_t> pixels_;
  std::vector<float> numbers_;  // result for a source that is not bytes
  std::array<int32_t, 3> shape_{};
  Sample sample_;
};

}  // namespace

std::unique_ptr<Store> ResizePictures(std::unique_ptr<Store> store, int32_t height, int32_t width) {
  return std::make_unique<ResizedStore>(std::move(store), height, width);
}

}  // namespace singa
