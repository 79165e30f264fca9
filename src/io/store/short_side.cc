#include "io/store/short_side.h"

#include <algorithm>
#include <utility>

#include "io/store/store_wrapper.h"

namespace singa {
namespace {

class FittedStore final : public StoreWrapper {
 public:
  FittedStore(std::unique_ptr<Store> store, int32_t pixels, const std::vector<int64_t>& shape)
      : StoreWrapper(std::move(store)), short_side_(pixels, shape) {}

  const Sample& Read(int64_t index) override {
    sample_ = short_side_.Fit(store().Read(index));
    return sample_;
  }

 private:
  ShortSide short_side_;
  Sample sample_;
};

}  // namespace

ShortSide::ShortSide(int32_t pixels, const std::vector<int64_t>& shape)
    : pixels_(pixels), height_(shape[shape.size() - 2]), width_(shape.back()) {}

Sample ShortSide::Fit(const Sample& sample) {
  if (!sample.decoded) return sample;
  const int64_t rows = sample.shape[1], columns = sample.shape[2];
  const int64_t least = std::min(rows, columns);
  // As torchvision, the longer side is rounded down.
  const int64_t full_height = pixels_ * rows / least, full_width = pixels_ * columns / least;
  return resampler_.Scale(sample, {full_height, full_width, (full_height - height_) / 2,
                                   (full_width - width_) / 2, height_, width_});
}

std::unique_ptr<Store> FitPictures(std::unique_ptr<Store> store, int32_t pixels,
                                   const std::vector<int64_t>& shape) {
  return std::make_unique<FittedStore>(std::move(store), pixels, shape);
}

}  // namespace singa
