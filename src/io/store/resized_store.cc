#include "io/store/resized_store.h"

#include <utility>

#include "io/picture/image_decoder.h"
#include "io/picture/resampler.h"
#include "io/store/store_wrapper.h"
#include "singa/base/error.h"

namespace singa {
namespace {

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
    sample_ = resampler_.Scale(source, {height_, width_, 0, 0, height_, width_});
    return sample_;
  }

 private:
  const int32_t height_, width_;
  Resampler resampler_;
  Sample sample_;
};

}  // namespace

std::unique_ptr<Store> ResizePictures(std::unique_ptr<Store> store, int32_t height, int32_t width) {
  return std::make_unique<ResizedStore>(std::move(store), height, width);
}

}  // namespace singa
