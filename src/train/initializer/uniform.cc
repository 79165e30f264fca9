// Draws value x U[low, high), times a factor that depends on the shape.
#include <algorithm>
#include <cmath>

#include "singa/math/random_fill.h"
#include "train/initializer/check_conf.h"

namespace singa {
namespace {

// U[-1, 1) has the variance 1/3. With this factor a sum over the inputs has the variance of one
// input.
double FanIn(const Shape& shape) {
  CheckMatrix(shape, "kUniformSqrtFanIn");
  return std::sqrt(3 / static_cast<double>(shape[1]));
}

// Glorot and Bengio (AISTATS 2010), equation 16, without its sqrt(6), as in SINGA 0.3.
double FanInOut(const Shape& shape) {
  CheckMatrix(shape, "kUniformSqrtFanInOut");
  return 1 / std::sqrt(static_cast<double>(shape[0] + shape[1]));
}

template <double (*factor)(const Shape&)>
class UniformInit final : public Initializer {
 public:
  void Setup(const ParamGenProto& conf) override {
    value_ = CheckedValue(conf);
    low_ = conf.low();
    high_ = conf.high();
    CheckRange(std::isfinite(low_), "low", "finite", low_);
    if (!conf.has_high() && low_ > high_)
      throw ConfigError("low", StrCat("must be <= high, which is 1 if not set, is ", low_));
    CheckRange(high_ >= low_ && std::isfinite(high_), "high", "finite and >= low", high_);
  }
  void CheckShape(const Shape& shape) const override { factor(shape); }
  void Fill(Context& ctx, Philox stream, const Shape& shape, float* data) const override {
    const double scale = value_ * factor(shape);
    const float a = static_cast<float>(scale * low_), b = static_cast<float>(scale * high_);
    FillUniform(ctx, stream, 0, shape.size(), std::min(a, b), std::max(a, b), data);
  }

 private:
  float value_ = 1, low_ = -1, high_ = 1;
};
SINGA_REGISTER_INITIALIZER(kUniform, UniformInit<One>);
SINGA_REGISTER_INITIALIZER(kUniformSqrtFanIn, UniformInit<FanIn>);
SINGA_REGISTER_INITIALIZER(kUniformSqrtFanInOut, UniformInit<FanInOut>);

}  // namespace
}  // namespace singa
