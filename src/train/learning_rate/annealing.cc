// The schedules that reach final_lr after change_freq and stay there. proto/updater.proto lists
// their formulas.
#include <cmath>
#include <numbers>

#include "train/learning_rate/check_conf.h"

namespace singa {
namespace {

class Annealing : public LearningRate {
 public:
  float At(int64_t step) const final {
    const double time = TimeOf(step);
    if (time >= length_) return static_cast<float>(final_);
    return static_cast<float>(final_ + (base_ - final_) * Left(time / length_));
  }

 protected:
  // Takes the settings that the schedules share. `own` is the message `field` of `conf`.
  template <typename Settings>
  void Take(const LRGenProto& conf, const Settings& own, const char* field) {
    base_ = CheckedBase(conf);
    length_ = own.change_freq();
    CheckRange(length_ >= 1, StrCat(field, ".change_freq").c_str(), ">= 1", own.change_freq());
    final_ = own.final_lr();
    CheckRange(final_ >= 0 && std::isfinite(final_), StrCat(field, ".final_lr").c_str(), ">= 0",
               final_);
  }

 private:
  // Returns the share of base_lr - final_lr that is left after `share` of the time, in [0, 1).
  virtual double Left(double share) const = 0;

  double base_ = 0, final_ = 0, length_ = 1;
};

// Loshchilov and Hutter, arXiv:1608.03983, equation 5, without restarts.
class CosineRate final : public Annealing {
 public:
  void Setup(const LRGenProto& conf) override {
    CheckHas(conf.has_cosine_conf(), "cosine_conf", "kCosine");
    Take(conf, conf.cosine_conf(), "cosine_conf");
  }

 private:
  double Left(double share) const override { return (1 + std::cos(std::numbers::pi * share)) / 2; }
};
SINGA_REGISTER_LEARNING_RATE(kCosine, CosineRate);

class PolynomialRate final : public Annealing {
 public:
  void Setup(const LRGenProto& conf) override {
    CheckHas(conf.has_polynomial_conf(), "polynomial_conf", "kPolynomial");
    Take(conf, conf.polynomial_conf(), "polynomial_conf");
    power_ = conf.polynomial_conf().power();
    CheckRange(power_ > 0 && std::isfinite(power_), "polynomial_conf.power", "> 0", power_);
  }

 private:
  double Left(double share) const override { return std::pow(1 - share, power_); }

  double power_ = 1;
};
SINGA_REGISTER_LEARNING_RATE(kPolynomial, PolynomialRate);

}  // namespace
}  // namespace singa
