// ShortSide brings pictures of any size to one size, as torchvision's Resize and CenterCrop.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "io/picture/resampler.h"
#include "io/store/store.h"

namespace singa {

// Scales a picture, by one factor, so that its shorter side has so many pixels, and cuts the centre
// out. One thread at a time may use it.
class ShortSide {
 public:
  // `shape`: a record's, planar; the picture gets its last two sizes. REQUIRES: `shape` has 2 or 3
  // sizes, and `pixels` is at least the larger of the last two.
  ShortSide(int32_t pixels, const std::vector<int64_t>& shape);

  // Returns the picture, valid until the next call; a sample that was not decoded from an image
  // file is returned as it is.
  Sample Fit(const Sample& sample);

 private:
  const int64_t pixels_, height_, width_;
  Resampler resampler_;
};

// Returns `store` with each decoded picture fitted by a ShortSide.
std::unique_ptr<Store> FitPictures(std::unique_ptr<Store> store, int32_t pixels,
                                   const std::vector<int64_t>& shape);

}  // namespace singa
