// The schedules with one smooth formula: s steps or epochs done, b = base_lr. proto/updater.proto
// lists them.
#include <algorithm>
#include <cmath>

#include "train/learning_rate/check_conf.h"

namespace singa {
namespace {

class FixedRate final : public LearningRate {
 public:
  void Setup(const LRGenProto& conf) override { base_ = CheckedBase(conf); }
  float At(int64_t) const override { return base_; }

 private:
  float base_ = 0;
};
SINGA_REGISTER_LEARNING_RATE(kFixed, FixedRate);

// b / (1 + s / final_lr)
class InverseTRate final : public LearningRate {
 public:
  void Setup(const LRGenProto& conf) override {
    base_ = CheckedBase(conf);
    CheckHas(conf.has_inverset_conf(), "inverset_conf", "kInverseT");
    half_ = conf.inverset_conf().final_lr();
    CheckRange(half_ > 0 && std::isfinite(half_), "inverset_conf.final_lr", "> 0", half_);
  }
  float At(int64_t step) const override {
    return static_cast<float>(base_ / (1 + TimeOf(step) / half_));
  }

 private:
  float base_ = 0, half_ = 1;
};
SINGA_REGISTER_LEARNING_RATE(kInverseT, InverseTRate);

// b (1 + gamma s)^-pow
class InverseRate final : public LearningRate {
 public:
  void Setup(const LRGenProto& conf) override {
    base_ = CheckedBase(conf);
    CheckHas(conf.has_inverse_conf(), "inverse_conf", "kInverse");
    gamma_ = conf.inverse_conf().gamma();
    pow_ = conf.inverse_conf().pow();
    CheckRange(gamma_ >= 0 && std::isfinite(gamma_), "inverse_conf.gamma", ">= 0", gamma_);
    CheckRange(std::isfinite(pow_), "inverse_conf.pow", "finite", pow_);
  }
  float At(int64_t step) const override {
    return static_cast<float>(base_ * std::pow(1 + double{gamma_} * TimeOf(step), -double{pow_}));
  }

 private:
  float base_ = 0, gamma_ = 0, pow_ = 0;
};
SINGA_REGISTER_LEARNING_RATE(kInverse, InverseRate);

// b 2^(-s / change_freq)
class ExponentialRate final : public LearningRate {
 public:
  void Setup(const LRGenProto& conf) override {
    base_ = CheckedBase(conf);
    CheckHas(conf.has_exponential_conf(), "exponential_conf", "kExponential");
    freq_ = conf.exponential_conf().change_freq();
    CheckRange(freq_ >= 1, "exponential_conf.change_freq", ">= 1", freq_);
  }
  float At(int64_t step) const override {
    return static_cast<float>(base_ * std::exp2(-TimeOf(step) / freq_));
  }

 private:
  float base_ = 0;
  int32_t freq_ = 1;
};
SINGA_REGISTER_LEARNING_RATE(kExponential, ExponentialRate);

// b (1 - s / f) + final_lr s / f, f = change_freq; 0 if this is negative
class LinearRate final : public LearningRate {
 public:
  void Setup(const LRGenProto& conf) override {
    base_ = CheckedBase(conf);
    CheckHas(conf.has_linear_conf(), "linear_conf", "kLinear");
    freq_ = conf.linear_conf().change_freq();
    final_ = conf.linear_conf().final_lr();
    CheckRange(freq_ >= 1, "linear_conf.change_freq", ">= 1", freq_);
    CheckRange(std::isfinite(final_), "linear_conf.final_lr", "finite", final_);
  }
  float At(int64_t step) const override {
    const double share = TimeOf(step) / freq_;
    return std::max(0.f, static_cast<float>(base_ * (1 - share) + final_ * share));
  }

 private:
  float base_ = 0, final_ = 0;
  int32_t freq_ = 1;
};
SINGA_REGISTER_LEARNING_RATE(kLinear, LinearRate);

}  // namespace
}  // namespace singa
