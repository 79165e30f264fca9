// Tests replies of params that come late and in any order. A net with tied weights trains to the
// same values as with immediate updates.
#include "singa/train/param_exchange.h"

#include <map>

#include "singa/train/algorithm.h"
#include "support/net_test.h"
#include "support/proof_layers.h"

namespace singa {
namespace {
SINGA_REGISTER_LAYER(TestLoss, TestLoss);

// Two layers use w, and one layer between them uses v.
constexpr char kTied[] = R"(
  layer { name: "data" user_type: "TestInput" dummy_conf { shape: 2 shape: 3 } }
  layer { name: "a" user_type: "TestLinear" srclayers: "data" param { name: "w" }
          innerproduct_conf { num_output: 3 } }
  layer { name: "b" user_type: "TestLinear" srclayers: "a" param { name: "v" }
          innerproduct_conf { num_output: 3 } }
  layer { name: "c" user_type: "TestLinear" srclayers: "b" param { name: "t" share_from: "w" }
          innerproduct_conf { num_output: 3 } }
  layer { name: "loss" user_type: "TestLoss" srclayers: "c" })";

void Apply(Param* param) {
  for (int64_t i = 0; i < param->size(); ++i) param->data.data()[i] -= 0.1f * param->grad.data()[i];
}

struct Immediate final : ParamExchange {
  std::map<std::string, int> ready;
  void Await(Param*, int64_t) override {}
  void GradientReady(Param* param, int64_t) override {
    ++ready[param->name()];
    Apply(param);
  }
  void LossNotFinite(const std::string&, int64_t) override { FAIL(); }
  void Finish(int64_t) override {}
};

// Late holds every update back until a layer of the next step waits for that param. By then later
// params may have been answered first.
struct Late final : ParamExchange {
  std::map<Param*, int64_t> pending;
  int awaited = 0;
  void Await(Param* param, int64_t step) override {
    auto it = pending.find(param);
    if (it == pending.end()) return;
    EXPECT_EQ(it->second, step - 1);
    pending.erase(it);
    Apply(param);
    ++awaited;
  }
  void GradientReady(Param* param, int64_t step) override {
    EXPECT_TRUE(pending.emplace(param, step).second) << "announced twice: " << param->name();
  }
  void LossNotFinite(const std::string&, int64_t) override { FAIL(); }
  void Finish(int64_t) override {}
};

void Train(TestNet* test, ParamExchange* exchange, int64_t steps) {
  AlgProto conf;
  conf.set_alg(kBP);
  std::unique_ptr<Algorithm> bp = MakeAlgorithm(conf);
  for (int64_t step = 0; step < steps; ++step) {
    test->state.step = step;
    bp->TrainOneBatch(test->ctx, test->net, *exchange);
  }
}

TEST(ParamExchange, LateRepliesInAnyOrderChangeNothing) {
  TestNet a(kTied), b(kTied);
  Immediate immediate;
  Late late;
  Train(&a, &immediate, 5);
  Train(&b, &late, 5);
  EXPECT_EQ(late.awaited, 8);  // 2 params, in the 4 steps after the first
  EXPECT_EQ(late.pending.size(), 2u);
  for (const auto& param : b.params.params()) late.Await(param.get(), 5);
  for (const auto& param : a.params.params()) {
    const Param* other = b.params.Find(param->name());
    for (int64_t i = 0; i < param->size(); ++i)
      EXPECT_EQ(param->data.data()[i], other->data.data()[i]) << param->name() << i;
  }
}

TEST(ParamExchange, ATiedParamIsAnnouncedOnceAStepWithTheSumOfItsGradients) {
  TestNet test(kTied);
  Immediate immediate;
  Train(&test, &immediate, 3);
  EXPECT_EQ(immediate.ready, (std::map<std::string, int>{{"w", 3}, {"v", 3}}));
  TestNet fresh(kTied);
  ExpectParamGradients(&fresh);
}

TEST(ParamExchange, TheFirstUserInTheNetCompletesATiedParam) {
  TestNet test(kTied);
  EXPECT_EQ(test.net.Find("a")->completes, std::vector<Param*>{test.params.Find("w")});
  EXPECT_TRUE(test.net.Find("c")->completes.empty());
}
}  // namespace
}  // namespace singa
