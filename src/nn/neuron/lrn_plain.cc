// The plain kernel of local response normalisation, pixel by pixel. It keeps s.
#include <algorithm>
#include <cmath>

#include "nn/neuron/lrn.h"

namespace singa {
namespace {

class PlainLrn final : public LrnPlan {
 public:
  explicit PlainLrn(const LrnDesc& desc) : d_(desc) {}

  const char* name() const override { return "plain"; }
  int64_t scratch_bytes() const override { return 0; }
  int64_t kept_bytes() const override {
    return d_.shape.size() * static_cast<int64_t>(sizeof(float));
  }

  void Forward(Context&, const float* x, float* y, void* kept) override {
    auto* s = static_cast<float*>(kept);
    for (int64_t p = 0; p < d_.shape.size(); p += d_.shape.c)
      for (int64_t i = 0; i < d_.shape.c; ++i) {
        const double squares = SumOverWindow(i, [&](int64_t j) { return Square(x[p + j]); });
        s[p + i] = static_cast<float>(d_.knorm + rate() * squares);
        y[p + i] = x[p + i] * std::pow(s[p + i], -d_.beta);
      }
  }

  // dx[i] = dy[i] s[i]^-beta - 2 beta alpha / size x[i] (sum over the window of dy x s^(-beta - 1))
  void Backward(Context&, const float* x, const float* dy, const void* kept, float* dx) override {
    const auto* s = static_cast<const float*>(kept);
    for (int64_t p = 0; p < d_.shape.size(); p += d_.shape.c)
      for (int64_t i = 0; i < d_.shape.c; ++i) {
        const double through = SumOverWindow(i, [&](int64_t j) {
          return double{dy[p + j]} * x[p + j] * std::pow(s[p + j], -d_.beta - 1);
        });
        dx[p + i] = static_cast<float>(dy[p + i] * std::pow(s[p + i], -d_.beta) -
                                       2 * d_.beta * rate() * x[p + i] * through);
      }
  }

 private:
  static double Square(double x) { return x * x; }
  double rate() const { return double{d_.alpha} / static_cast<double>(d_.size); }

  template <typename Term>
  double SumOverWindow(int64_t i, const Term& term) const {
    double sum = 0;
    for (int64_t j = std::max<int64_t>(0, i - d_.size / 2);
         j < std::min(d_.shape.c, i + d_.size / 2 + 1); ++j)
      sum += term(j);
    return sum;
  }

  const LrnDesc d_;
};

std::unique_ptr<LrnPlan> Make(Context&, const LrnDesc& desc) {
  return std::make_unique<PlainLrn>(desc);
}

[[maybe_unused]] const bool registered = MakeLrn.Set(Device::kCpu, Make);

}  // namespace
}  // namespace singa
