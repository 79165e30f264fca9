// Draws value x N(mean, std), times a factor that depends on the shape.
#include <cmath>

#include "singa/math/random_fill.h"
#include "train/initializer/check_conf.h"

namespace singa {
namespace {

double PerFanIn(const Shape& shape) {
  CheckMatrix(shape, "kGaussianSqrtFanIn");
  return 1 / std::sqrt(static_cast<double>(shape[1]));
}

template <double (*factor)(const Shape&)>
class GaussianInit final : public Initializer {
 public:
  void Setup(const ParamGenProto& conf) override {
    value_ = CheckedValue(conf);
    mean_ = conf.mean();
    std_ = conf.std();
    CheckRange(std::isfinite(mean_), "mean", "finite", mean_);
    CheckRange(std_ >= 0 && std::isfinite(std_), "std", ">= 0", std_);
  }
  void CheckShape(const Shape& shape) const override { factor(shape); }
  void Fill(Context& ctx, Philox stream, const Shape& shape, float* data) const override {
    const double scale = value_ * factor(shape);
    FillGaussian(ctx, stream, 0, shape.size(), static_cast<float>(scale * mean_),
                 static_cast<float>(scale * std_), data);
  }

 private:
  float value_ = 1, mean_ = 0, std_ = 1;
};
SINGA_REGISTER_INITIALIZER(kGaussian, GaussianInit<One>);
SINGA_REGISTER_INITIALIZER(kGaussianSqrtFanIn, GaussianInit<PerFanIn>);

}  // namespace
}  // namespace singa
