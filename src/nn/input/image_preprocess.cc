// kImagePreprocess prepares each image. In training it pads with zeros, cuts a random rectangle
// out, which may be scaled to the size of the crop, may flip it and changes its colours; else it
// cuts the centre out. Then it subtracts the mean image at the same place, and scales the numbers.
// Random choices depend on (layer, step, global row). With several input layers,
// nn/input/pair_cuts.h says which layers draw the same cuts.
#include "nn/input/image_preprocess.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "io/reader/row_decoder.h"
#include "math/parallel_slices.h"
#include "nn/input/colour_jitter.h"
#include "nn/input/image_elements.h"
#include "singa/base/error.h"
#include "singa/nn/layer.h"
#include "singa/tensor/memory.h"

namespace singa {
namespace {

// Writes `n` numbers of x, minus the mean if it is not null, times scale.
void Scaled(const float* x, const float* mean, int64_t n, float scale, float* y) {
  if (mean == nullptr)
    for (int64_t i = 0; i < n; ++i) y[i] = scale * x[i];
  else
    for (int64_t i = 0; i < n; ++i) y[i] = scale * (x[i] - mean[i]);
}

// Writes row `row` of a cut that is `width` pixels wide.
void CutRow(const float* x, const ImageShape& s, const float* mean, const Cut& cut, float scale,
            int64_t row, int64_t width, float* y) {
  const int64_t from = cut.y + row;
  if (from < 0 || from >= s.h) {
    std::fill_n(y, width * s.c, 0.f);
    return;
  }
  const int64_t begin = std::clamp<int64_t>(-cut.x, 0, width);
  const int64_t end = std::clamp<int64_t>(s.w - cut.x, begin, width);
  std::fill(y, y + (cut.mirror ? width - end : begin) * s.c, 0.f);
  std::fill(y + (cut.mirror ? width - begin : end) * s.c, y + width * s.c, 0.f);
  const int64_t at = (from * s.w + cut.x) * s.c;
  const auto mean_at = [&](int64_t j) { return mean ? mean + at + j * s.c : nullptr; };
  if (!cut.mirror) {
    Scaled(x + at + begin * s.c, mean_at(begin), (end - begin) * s.c, scale, y + begin * s.c);
    return;
  }
  for (int64_t j = begin; j < end; ++j)
    Scaled(x + at + j * s.c, mean_at(j), s.c, scale, y + (width - 1 - j) * s.c);
}

// Writes row `row` of a part that is scaled to `height` x `width` pixels.
void ScaledRow(const float* x, const ImageShape& s, const float* mean, const Cut& cut, float scale,
               int64_t row, int64_t height, int64_t width, float* y) {
  const ScaledPlace rows = ScaledPlaceOf(row, cut.y, cut.height, height);
  for (int64_t j = 0; j < width; ++j) {
    const ScaledPlace columns = ScaledPlaceOf(j, cut.x, cut.width, width);
    float* const pixel = y + (cut.mirror ? width - 1 - j : j) * s.c;
    for (int64_t c = 0; c < s.c; ++c) {
      const float value = ScaledValue(x, s, rows, columns, c);
      pixel[c] = scale * (mean ? value - ScaledValue(mean, s, rows, columns, c) : value);
    }
  }
}

void CutAll(Context& ctx, const float* x, ImageShape s, const float* mean, const Cut* cuts,
            float scale, float* y, int64_t height, int64_t width) {
  const int64_t row = width * s.c;
  ParallelSlices(ctx, s.n * height * row, row, [&](int64_t begin, int64_t end) {
    for (int64_t at = begin / row; at < end / row; ++at) {
      const int64_t n = at / height;
      const float* const image = x + n * s.pixels() * s.c;
      if (cuts[n].height > 0)
        ScaledRow(image, s, mean, cuts[n], scale, at % height, height, width, y + at * row);
      else
        CutRow(image, s, mean, cuts[n], scale, at % height, width, y + at * row);
    }
  });
}

void Draw(Context& ctx, Philox stream, RowSpan span, CutRules rules, Cut* cuts, int64_t n) {
  const Philox numbers = InStep(stream, ctx.device_state);
  for (int64_t r = 0; r < n; ++r) cuts[r] = CutOf(rules, numbers, span.GlobalRow(r));
}

[[maybe_unused]] const bool registered =
    DrawCuts.Set(Device::kCpu, Draw) && CutImages.Set(Device::kCpu, CutAll);

class ImagePreprocessLayer final : public CuttingLayer {
 public:
  Wiring wiring(const LayerProto&) const override {
    return {.row_wise = true, .differentiable = false};
  }

  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    conf_ = conf.rgbimage_conf();
    stream_ = conf.name();
    const Shape& x = in[0]->data.shape();
    shape_ = ImageShape::Of(x);
    if (!std::isfinite(conf_.scale()))
      throw ConfigError("rgbimage_conf.scale", StrCat("must be finite, is ", conf_.scale()));
    SetCrop();
    CheckScaledCrop();
    CheckColours();
    if (!conf_.meanfile().empty()) {
      declare.File("rgbimage_conf.meanfile", conf_.meanfile());
      declare.Keeps(shape_.pixels() * shape_.c * static_cast<int64_t>(sizeof(float)));
    }
    declare.Uses(DrawCuts, CutImages);
    cuts_ = declare.Buffer({shape_.n, sizeof(Cut) / sizeof(int32_t)}, Keep::kStep, DType::kI32);
    if (jitters_) {
      declare.Uses(DrawTints, GreyMeans, JitterColours);
      tints_ = declare.Buffer({shape_.n, sizeof(Tint) / sizeof(float)}, Keep::kStep);
      parts_ = declare.Buffer({shape_.n, kGreyParts}, Keep::kStep);
    }
    out[0]->data.SetShape(x.dims() == 4 ? Shape({shape_.n, shape_.c, height_, width_})
                                        : Shape({shape_.n, height_, width_}));
  }

  Traits traits() const override { return {.on_device = true}; }

  void Open(Context& ctx) override {
    if (conf_.meanfile().empty()) return;
    const StoreOptions options = {.path = conf_.meanfile(), .has_label = false};
    const RowDecoder decoder({shape_.c, shape_.h, shape_.w}, {}, "kvfile", options);
    const std::unique_ptr<Store> store = OpenStore("kvfile", options);
    std::vector<float> mean(decoder.size());
    decoder.Decode(store->Read(0), *store, 0, mean.data());
    mean_ = Allocate(ctx, {decoder.size()});
    CopyFromHost(ctx, mean.data(), mean_.data(), mean_.bytes());
  }

  void ComputeFeature(Context& ctx, Phase phase, Inputs in, Outputs out) override {
    Cut* const cuts = reinterpret_cast<Cut*>(cuts_->as<int32_t>());
    const bool train = (phase & kTrain) != 0;
    const CutRules rules = {
        shape_.h, shape_.w,       height_,          width_,           conf_.pad(),
        train,    conf_.mirror(), conf_.area_min(), conf_.area_max(), conf_.aspect_max()};
    const Philox stream = ctx.Random(stream_);
    DrawCuts(ctx, stream, in[0]->span, rules, cuts, shape_.n);
    const float* const mean = mean_.empty() ? nullptr : mean_.data();
    const float* const x = in[0]->data.data();
    float* const y = out[0]->data.data();
    if (!jitters_ || !train) {
      CutImages(ctx, x, shape_, mean, cuts, conf_.scale(), y, height_, width_);
      return;
    }
    CutImages(ctx, x, shape_, nullptr, cuts, 1, y, height_, width_);
    Tint* const tints = reinterpret_cast<Tint*>(tints_->data());
    const ImageShape to = {shape_.n, shape_.c, height_, width_};
    DrawTints(ctx, stream, in[0]->span,
              {conf_.brightness(), conf_.contrast(), conf_.saturation(), conf_.hue()}, tints,
              shape_.n);
    if (conf_.contrast() > 0) GreyMeans(ctx, y, to, tints, parts_->data());
    JitterColours(ctx, y, to, tints, shape_, mean, cuts, conf_.scale());
  }

 private:
  // Sets the size of the crop, and checks it and the padding.
  void SetCrop() {
    const int64_t most = std::min(shape_.h, shape_.w);
    RequireSide("cropsize", conf_.cropsize(), most, "the source's smaller side");
    RequireSide("pad", conf_.pad(), most, "the source's smaller side");
    RequireSide("crop_height", conf_.crop_height(), shape_.h, "the source's height");
    RequireSide("crop_width", conf_.crop_width(), shape_.w, "the source's width");
    const int64_t side = conf_.cropsize();
    height_ = conf_.crop_height() ? conf_.crop_height() : side ? side : shape_.h;
    width_ = conf_.crop_width() ? conf_.crop_width() : side ? side : shape_.w;
  }

  static void RequireSide(const std::string& field, int64_t pixels, int64_t most,
                          const std::string& what) {
    if (pixels < 0 || pixels > most)
      throw ConfigError("rgbimage_conf." + field,
                        StrCat("must be from 0 to ", most, ", ", what, ", is ", pixels));
  }

  static void RequireNumber(const std::string& field, float value, float least, float most) {
    if (!(value >= least && value <= most))
      throw ConfigError("rgbimage_conf." + field,
                        StrCat("must be from ", least, " to ", most, ", is ", value));
  }

  void CheckScaledCrop() const {
    RequireNumber("area_min", conf_.area_min(), 0, 1);
    RequireNumber("area_max", conf_.area_max(), conf_.area_min(), 1);
    RequireNumber("aspect_max", conf_.aspect_max(), 1, 100);
    if (conf_.area_min() > 0 && conf_.pad() > 0)
      throw ConfigError("rgbimage_conf.pad",
                        "must be 0 with area_min: scaled crops have no padding");
  }

  void CheckColours() {
    constexpr float kMostFactor = 100;
    RequireNumber("brightness", conf_.brightness(), 0, kMostFactor);
    RequireNumber("contrast", conf_.contrast(), 0, kMostFactor);
    RequireNumber("saturation", conf_.saturation(), 0, kMostFactor);
    RequireNumber("hue", conf_.hue(), 0, 0.5f);
    const std::pair<const char*, float> fields[] = {{"brightness", conf_.brightness()},
                                                    {"contrast", conf_.contrast()},
                                                    {"saturation", conf_.saturation()},
                                                    {"hue", conf_.hue()}};
    for (const auto& [field, value] : fields) {
      if (value > 0 && shape_.c != 3)
        throw ConfigError(StrCat("rgbimage_conf.", field),
                          StrCat("is for images of 3 channels; the source has ", shape_.c));
      jitters_ = jitters_ || value > 0;
    }
  }

  RGBImageProto conf_;
  ImageShape shape_;
  int64_t height_ = 0, width_ = 0;
  Tensor mean_;             // stored as a row of the source; empty: no mean
  Tensor* cuts_ = nullptr;  // cut of each image
  bool jitters_ = false;    // whether colours change in training
  Tensor* tints_ = nullptr;
  Tensor* parts_ = nullptr;
};

SINGA_REGISTER_LAYER(kImagePreprocess, ImagePreprocessLayer);
SINGA_REGISTER_LAYER(kRGBImage, ImagePreprocessLayer);  // deprecated

}  // namespace
}  // namespace singa
