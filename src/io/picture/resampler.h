// Resampler scales pictures. Each side is scaled on its own: a smaller side by means, a larger one
// linearly. Results equal torchvision's resize with antialias, and PIL's BILINEAR, within 1.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "io/sample.h"

namespace singa {

// A part of a scaled picture: `height` rows and `width` columns, from row `top` and column `left`
// on, of a picture that has `full_height` x `full_width` pixels.
struct ScaledPart {
  int64_t full_height, full_width;
  int64_t top, left;
  int64_t height, width;
};

// Weights of the source pixels, from `first` on, that make one pixel of a scaled side.
struct Taps {
  int64_t first = 0;
  std::vector<float> weights;
};

// One thread at a time may use it.
class Resampler {
 public:
  // Returns the part of the scaled picture, valid until the next call. Only pixels of the part are
  // computed. REQUIRES: `picture` has 2 or 3 sizes, and ShapeFits(); the part is in the scaled
  // picture, and its sizes fit int32_t.
  Sample Scale(const Sample& picture, const ScaledPart& part);

 private:
  void FindTaps(int64_t rows, int64_t columns, const ScaledPart& part);
  template <typename Number>
  std::span<const Number> Resize(const Number* from, int64_t channels, std::vector<Number>* to);
  template <typename Number>
  void AddRows(const Number* row, const Taps& taps);
  template <typename Number>
  void ScaleSums(Number* row) const;

  int64_t rows_ = 0, columns_ = 0;  // size of the source that the taps are for
  ScaledPart part_ = {};            // and the part that they make
  std::vector<Taps> row_taps_, column_taps_;
  int64_t begin_ = 0, end_ = 0;  // columns of the source that the part needs
  std::vector<float> sums_;      // [columns_], for one row of the result
  std::vector<uint8_t> pixels_;
  std::vector<float> numbers_;  // result for a source that is not bytes
  std::array<int32_t, 3> shape_{};
};

}  // namespace singa
