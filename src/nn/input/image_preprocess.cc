// kImagePreprocess prepares each image in this order: it subtracts the mean image, pads with zeros
// (in training), cuts a square out, flips with probability 1/2 (in training), and scales. In
// training the square's place is random, else it is the centre. Place and flip depend on (layer,
// step, global row). With several input layers, nn/input/pair_cuts.h says which layers draw the
// same cuts.
#include "nn/input/image_preprocess.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "io/reader/row_decoder.h"
#include "math/parallel_slices.h"
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

void CutAll(Context& ctx, const float* x, ImageShape s, const float* mean, const Cut* cuts,
            float scale, float* y, int64_t height, int64_t width) {
  const int64_t row = width * s.c;
  ParallelSlices(ctx, s.n * height * row, row, [&](int64_t begin, int64_t end) {
    for (int64_t at = begin / row; at < end / row; ++at) {
      const int64_t n = at / height;
      CutRow(x + n * s.pixels() * s.c, s, mean, cuts[n], scale, at % height, width, y + at * row);
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
    const int64_t most = std::min(shape_.h, shape_.w), crop = conf_.cropsize();
    if (crop < 0 || crop > most)
      throw ConfigError("rgbimage_conf.cropsize", StrCat("must be from 0 to ", most,
                                                         ", the source's smaller side, is ", crop));
    if (conf_.pad() < 0 || conf_.pad() > most)
      throw ConfigError("rgbimage_conf.pad", StrCat("must be from 0 to ", most,
                                                    ", the source's "
                                                    "smaller side, is ",
                                                    conf_.pad()));
    height_ = crop ? crop : shape_.h;
    width_ = crop ? crop : shape_.w;
    if (!conf_.meanfile().empty()) {
      declare.File("rgbimage_conf.meanfile", conf_.meanfile());
      declare.Keeps(shape_.pixels() * shape_.c * static_cast<int64_t>(sizeof(float)));
    }
    declare.Uses(DrawCuts, CutImages);
    cuts_ = declare.Buffer({shape_.n, 3}, Keep::kStep, DType::kI32);
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
    const CutRules rules = {
        shape_.h, shape_.w, height_, width_, conf_.pad(), (phase & kTrain) != 0, conf_.mirror()};
    DrawCuts(ctx, ctx.Random(stream_), in[0]->span, rules, cuts, shape_.n);
    CutImages(ctx, in[0]->data.data(), shape_, mean_.empty() ? nullptr : mean_.data(), cuts,
              conf_.scale(), out[0]->data.data(), height_, width_);
  }

 private:
  RGBImageProto conf_;
  ImageShape shape_;
  int64_t height_ = 0, width_ = 0;
  Tensor mean_;             // stored as a row of the source; empty: no mean
  Tensor* cuts_ = nullptr;  // cut of each image
};

SINGA_REGISTER_LAYER(kImagePreprocess, ImagePreprocessLayer);
SINGA_REGISTER_LAYER(kRGBImage, ImagePreprocessLayer);  // deprecated

}  // namespace
}  // namespace singa
