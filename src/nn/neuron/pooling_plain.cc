// The plain kernel of pooling, output pixel by output pixel.
#include <algorithm>

#include "nn/neuron/pooling.h"

namespace singa {
namespace {

class PlainPooling final : public PoolingPlan {
 public:
  explicit PlainPooling(const PoolingDesc& desc) : d_(desc) {}

  const char* name() const override { return "plain"; }
  int64_t scratch_bytes() const override {
    return d_.max ? 0 : d_.out.size() * static_cast<int64_t>(sizeof(double));
  }
  int64_t winner_bytes() const override {
    return d_.max ? d_.out.size() * static_cast<int64_t>(sizeof(int64_t)) : 0;
  }

  void Forward(Context& ctx, const float* x, float* y, void* winners) override {
    if (d_.max)
      Maxima(x, y, static_cast<int64_t*>(winners));
    else
      Means(x, static_cast<double*>(ctx.scratch), y);
  }

  void Backward(Context&, const float* dy, const void* winners, float* dx) override {
    const int64_t* winner = static_cast<const int64_t*>(winners);
    std::fill_n(dx, d_.in.size(), 0.f);
    if (d_.max)
      for (int64_t o = 0; o < d_.out.size(); ++o) dx[winner[o]] += dy[o];
    else
      Visit([&](int64_t i, int64_t o, int64_t area) { dx[i] += dy[o] / static_cast<float>(area); });
  }

 private:
  void Maxima(const float* x, float* y, int64_t* winner) const {
    std::fill_n(winner, d_.out.size(), int64_t{-1});
    Visit([&](int64_t i, int64_t o, int64_t) {
      if (winner[o] >= 0 && !(x[i] > y[o])) return;
      y[o] = x[i];
      winner[o] = i;
    });
  }

  // sums: [n, oh, ow, c].
  void Means(const float* x, double* sums, float* y) const {
    std::fill_n(sums, d_.out.size(), 0.);
    Visit([&](int64_t i, int64_t o, int64_t) { sums[o] += x[i]; });
    for (int64_t o = 0; o < d_.out.size(); ++o) {
      const ImagePosition at = PositionOf(d_.out, o);
      y[o] = static_cast<float>(sums[o] / static_cast<double>(d_.AreaWithin(at.y, at.x)));
    }
  }

  // Calls visit(i, o, area) for each output element o and each element i of its window that is no
  // padding, in row-major order of the window. area: PoolingDesc::AreaWithin.
  template <typename Visitor>
  void Visit(const Visitor& visit) const {
    const ImageShape &in = d_.in, &out = d_.out;
    for (int64_t n = 0; n < out.n; ++n)
      for (int64_t oy = 0; oy < out.h; ++oy)
        for (int64_t ox = 0; ox < out.w; ++ox) {
          const int64_t y0 = oy * d_.window.y.stride - d_.window.y.pad;
          const int64_t x0 = ox * d_.window.x.stride - d_.window.x.pad;
          const int64_t area = d_.AreaWithin(oy, ox);
          for (int64_t y = std::max<int64_t>(y0, 0); y < std::min(in.h, y0 + d_.window.y.kernel);
               ++y)
            for (int64_t x = std::max<int64_t>(x0, 0); x < std::min(in.w, x0 + d_.window.x.kernel);
                 ++x)
              for (int64_t c = 0; c < in.c; ++c)
                visit(((n * in.h + y) * in.w + x) * in.c + c,
                      ((n * out.h + oy) * out.w + ox) * out.c + c, area);
        }
  }

  const PoolingDesc d_;
};

std::unique_ptr<PoolingPlan> Make(Context&, const PoolingDesc& desc) {
  return std::make_unique<PlainPooling>(desc);
}

[[maybe_unused]] const bool registered = MakePooling.Set(Device::kCpu, Make);

}  // namespace
}  // namespace singa
