#include "singa/train/updater.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "singa/base/error.h"
#include "singa/math/random_fill.h"
#include "train/updater_golden.h"

namespace singa {
namespace {

// Rule is an update rule: its type, the fields of its conf that the tests need, and its golden
// numbers.
struct Rule {
  const char* name;
  UpdaterType type;
  float momentum, delta;
  const golden::Updates& expected;
};

const Rule kRules[] = {
    {"PlainSgd", kSGD, 0, 1e-8f, golden::kPlainSgd},
    {"Sgd", kSGD, 0.9f, 1e-8f, golden::kSgd},
    {"Nesterov", kNesterov, 0.9f, 1e-8f, golden::kNesterovSgd},
    {"AdaGrad", kAdaGrad, 0, 1e-8f, golden::kAdaGradRule},
    {"RmsProp", kRMSProp, 0, 1e-8f, golden::kRmsPropRule},
    {"AdaDelta", kAdaDelta, 0, 1e-2f, golden::kAdaDeltaRule},
    {"Adam", kAdam, 0, 1e-8f, golden::kAdamRule},
    {"AdamW", kAdamW, 0, 1e-8f, golden::kAdamWRule},
    {"AdaMax", kAdamMax, 0, 1e-8f, golden::kAdaMaxRule},
};

UpdaterProto ConfOf(const Rule& rule) {
  UpdaterProto conf;
  conf.set_type(rule.type);
  conf.set_momentum(rule.momentum);
  conf.set_delta(rule.delta);
  conf.mutable_rmsprop_conf()->set_rho(0.9f);
  conf.set_clip_low(-1);
  conf.set_clip_high(0.75f);
  return conf;
}

// Trained is a param under a rule, with states of its own.
struct Trained {
  Trained(const UpdaterProto& conf, std::vector<float> values)
      : updater(MakeUpdater(conf)), w(std::move(values)) {
    states.assign(updater->states().size(), std::vector<float>(w.size(), 0.f));
  }
  // Updates elements [begin, end) once.
  void Update(Context& ctx, int64_t count, const std::vector<float>& g, int64_t begin, int64_t end,
              float weight_decay = 0.01f) {
    std::vector<float*> at;
    for (std::vector<float>& state : states) at.push_back(state.data() + begin);
    updater->Update(ctx, {.count = count, .lr = 0.1f, .weight_decay = weight_decay},
                    w.data() + begin, g.data() + begin, at, end - begin);
  }
  void Update(Context& ctx, int64_t count, const std::vector<float>& g) {
    Update(ctx, count, g, 0, static_cast<int64_t>(w.size()));
  }

  std::unique_ptr<Updater> updater;
  std::vector<float> w;
  std::vector<std::vector<float>> states;
};

class UpdaterRule : public testing::TestWithParam<Rule> {};

TEST_P(UpdaterRule, GivesPyTorchsNumbersWithClippingAndWeightDecay) {
  Trained param(ConfOf(GetParam()), {0.5f, -1.25f, 2.f, 0.03125f, -0.75f});
  Context ctx;
  for (int step = 0; step < 4; ++step) {
    std::vector<float> g;
    for (int i = 0; i < 5; ++i) g.push_back(static_cast<float>((7 * step + 3 * i) % 11 - 5) / 4);
    param.Update(ctx, step + 1, g);
    for (int i = 0; i < 5; ++i)
      EXPECT_NEAR(param.w[i], GetParam().expected[step][i], 1e-6) << "step " << step << ", " << i;
  }
}

std::vector<float> RandomValues(int64_t n, uint32_t purpose) {
  Context ctx;
  std::vector<float> x(n);
  FillGaussian(ctx, {.purpose = purpose}, 0, n, 0, 1, x.data());
  return x;
}

TEST_P(UpdaterRule, GivesTheSameBitsWhereverARangeIsCut) {
  const int64_t n = 137;
  Trained whole(ConfOf(GetParam()), RandomValues(n, 1)), cut = Trained(ConfOf(GetParam()), whole.w);
  Context ctx;
  for (int64_t count = 1; count <= 5; ++count) {
    const std::vector<float> g = RandomValues(n, 10 + static_cast<uint32_t>(count));
    whole.Update(ctx, count, g);
    for (int64_t begin = 0, length = 1; begin < n; begin += length, length = length * 2 + 1)
      cut.Update(ctx, count, g, begin, std::min(n, begin + length));
  }
  EXPECT_EQ(whole.w, cut.w);
  EXPECT_EQ(whole.states, cut.states);
}

TEST_P(UpdaterRule, GivesTheSameBitsWithAnyNumberOfThreads) {
  const int64_t n = 200'003;
  Trained one(ConfOf(GetParam()), RandomValues(n, 1)), three = Trained(ConfOf(GetParam()), one.w);
  Context ctx, threaded;
  threaded.threads = 3;
  for (int64_t count = 1; count <= 2; ++count) {
    const std::vector<float> g = RandomValues(n, 10 + static_cast<uint32_t>(count));
    one.Update(ctx, count, g);
    three.Update(threaded, count, g);
  }
  EXPECT_EQ(one.w, three.w);
  EXPECT_EQ(one.states, three.states);
}

TEST_P(UpdaterRule, KeepsNanVisible) {
  Trained param(ConfOf(GetParam()), std::vector<float>(20, 1.f));
  std::vector<float> g(20, std::numeric_limits<float>::quiet_NaN());
  Context ctx;
  param.Update(ctx, 1, g);
  for (float w : param.w) EXPECT_TRUE(std::isnan(w));
}

TEST_P(UpdaterRule, LeavesGradientsUncutUnlessClipHighIsLarger) {
  UpdaterProto off = ConfOf(GetParam()), wide = off;
  off.set_clip_low(0.5f);
  off.set_clip_high(0.5f);
  wide.set_clip_low(-100);
  wide.set_clip_high(100);
  Trained a(off, RandomValues(40, 1)), b(wide, a.w);
  Context ctx;
  a.Update(ctx, 1, RandomValues(40, 2));
  b.Update(ctx, 1, RandomValues(40, 2));
  EXPECT_EQ(a.w, b.w);
}

INSTANTIATE_TEST_SUITE_P(Rules, UpdaterRule, testing::ValuesIn(kRules),
                         [](const auto& rule) { return rule.param.name; });

// After any count the first gradient's direction has the length lr. This is the purpose of bias
// correction.
TEST(Adam, CorrectsBiasByTheCountOfUpdates) {
  for (UpdaterType type : {kAdam, kAdamW, kAdamMax}) {
    UpdaterProto conf;
    conf.set_type(type);
    std::unique_ptr<Updater> updater = MakeUpdater(conf);
    std::vector<float> w(3, 0.f), m(3, 0.f), v(3, 0.f);
    const std::vector<float> g = {1e-3f, 1, -1e3f};
    Context ctx;
    const std::array<float*, 2> states = {m.data(), v.data()};
    for (int64_t count = 1; count <= 3; ++count)
      updater->Update(ctx, {.count = count, .lr = 0.5f}, w.data(), g.data(), states, 3);
    EXPECT_NEAR(w[0], -1.5, 2e-5);  // delta is 1e-5 of the gradient
    EXPECT_NEAR(w[1], -1.5, 2e-6);
    EXPECT_NEAR(w[2], 1.5, 2e-6);
  }
}

// Without a gradient kAdam moves by the whole learning rate, as the decay is its gradient.
TEST(AdamW, DecaysTheValueApartFromItsMeansAndFromBoundsOfTheGradient) {
  UpdaterProto conf;
  conf.set_type(kAdamW);
  conf.set_clip_low(-1e-3f);
  conf.set_clip_high(1e-3f);
  Trained param(conf, {4, -2, 0});
  Context ctx;
  for (int64_t count = 1; count <= 2; ++count) param.Update(ctx, count, {0, 0, 0});
  const float kept = (1 - 0.1f * 0.01f) * (1 - 0.1f * 0.01f);
  EXPECT_FLOAT_EQ(param.w[0], 4 * kept);
  EXPECT_FLOAT_EQ(param.w[1], -2 * kept);
  EXPECT_EQ(param.w[2], 0);
  for (const std::vector<float>& state : param.states) EXPECT_EQ(state, std::vector<float>(3, 0.f));
}

TEST(AdamW, WithoutDecayIsAdam) {
  UpdaterProto conf;
  conf.set_type(kAdam);
  Trained adam(conf, RandomValues(40, 1));
  conf.set_type(kAdamW);
  Trained adamw(conf, adam.w);
  Context ctx;
  const std::vector<float> g = RandomValues(40, 2);
  for (Trained* param : {&adam, &adamw})
    for (int64_t count = 1; count <= 2; ++count) param->Update(ctx, count, g, 0, 40, 0);
  EXPECT_EQ(adam.w, adamw.w);
}

TEST(Sgd, KeepsNoStateWithoutMomentum) {
  UpdaterProto conf;
  conf.set_type(kSGD);
  EXPECT_TRUE(MakeUpdater(conf)->states().empty());
  conf.set_momentum(0.5f);
  EXPECT_EQ(MakeUpdater(conf)->states(), std::vector<std::string>{"momentum"});
}

// Returns the path and message of the ConfigError for `conf`; "" if there is none.
std::string ErrorOf(const UpdaterProto& conf) {
  try {
    MakeUpdater(conf);
  } catch (const ConfigError& e) {
    return e.what();
  }
  return "";
}

std::string ErrorOf(UpdaterType type, void (UpdaterProto::*set)(float), float value) {
  UpdaterProto conf;
  conf.set_type(type);
  (conf.*set)(value);
  return ErrorOf(conf);
}

TEST(UpdaterConf, NamesTheFieldOutOfRange) {
  EXPECT_EQ(ErrorOf(kSGD, &UpdaterProto::set_momentum, 1), "momentum: must be in [0, 1), is 1");
  EXPECT_EQ(ErrorOf(kNesterov, &UpdaterProto::set_momentum, -1),
            "momentum: must be in [0, 1), is -1");
  EXPECT_EQ(ErrorOf(kAdaGrad, &UpdaterProto::set_delta, 0), "delta: must be > 0, is 0");
  EXPECT_EQ(ErrorOf(kAdamW, &UpdaterProto::set_delta, 0), "delta: must be > 0, is 0");
  EXPECT_EQ(ErrorOf(kAdam, &UpdaterProto::set_weight_decay, -0.5f),
            "weight_decay: must be >= 0, is -0.5");
  EXPECT_EQ(ErrorOf(kAdam, &UpdaterProto::set_clip_norm, -1), "clip_norm: must be >= 0, is -1");
}

TEST(UpdaterConf, NamesTheSubMessagesField) {
  UpdaterProto conf;
  conf.set_type(kRMSProp);
  EXPECT_EQ(ErrorOf(conf), "rmsprop_conf: is missing; kRMSProp needs its rho");
  conf.mutable_rmsprop_conf()->set_rho(1);
  EXPECT_EQ(ErrorOf(conf), "rmsprop_conf.rho: must be in [0, 1), is 1");
  conf.set_type(kAdam);
  conf.mutable_adam_conf()->set_beta2(1);
  EXPECT_EQ(ErrorOf(conf), "adam_conf.beta2: must be in [0, 1), is 1");
  conf.set_type(kAdamW);
  EXPECT_EQ(ErrorOf(conf), "adam_conf.beta2: must be in [0, 1), is 1");
}

TEST(UpdaterConf, SuggestsARegisteredName) {
  UpdaterProto conf;
  EXPECT_EQ(ErrorOf(conf),
            "needs a type or a user_type; allowed: kSGD, kAdaGrad, kRMSProp, kNesterov, kAdaDelta, "
            "kAdam, kAdamMax or kAdamW");
  conf.set_user_type("HalvingUpdatr");
  EXPECT_EQ(ErrorOf(conf),
            "user_type: nothing is registered as \"HalvingUpdatr\"; did you mean "
            "\"HalvingUpdater\"?");
}

class HalvingUpdater final : public Updater {
 public:
  void Update(Context&, const UpdateStep&, float* w, const float*, std::span<float* const>,
              int64_t n) override {
    for (int64_t i = 0; i < n; ++i) w[i] /= 2;
  }
};
SINGA_REGISTER_UPDATER(HalvingUpdater, HalvingUpdater);

TEST(UpdaterConf, UserTypeWinsOverType) {
  UpdaterProto conf;
  conf.set_type(kSGD);
  conf.set_user_type("HalvingUpdater");
  Trained param(conf, {4});
  Context ctx;
  param.Update(ctx, 1, {1});
  EXPECT_EQ(param.w[0], 2);
}

}  // namespace
}  // namespace singa
