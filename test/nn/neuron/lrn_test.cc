// The golden numbers are those of tool/golden/normalisation.py.
#include "support/layer_test.h"
#include "support/random_values.h"

namespace singa {
namespace {

class LrnTest : public LayerTest {};
SINGA_TEST_ON_ALL_DEVICES(LrnTest);

std::string LrnConf(const std::string& fields) { return "type: kLRN lrn_conf { " + fields + " }"; }

TEST_P(LrnTest, EqualsPyTorch) {
  const RunResult three =
      Gradients(LrnConf("local_size: 3 alpha: 2"), {1, 4, 1, 2}, Pattern(8, 7), Pattern(8, 2));
  ExpectNear(three.outputs[0],
             {-0.4338403f, 0.64490759f, 0.15602316f, -0.38694456f, 0.52269977f, 0, -0.52968466f,
              0.59065551f},
             1e-6);
  ExpectNear(three.input_grads[0],
             {-0.32327715f, 0.20014377f, 0.32554105f, 0.39583981f, -0.47662759f, -0.49292716f,
              -0.35077438f, 0.11634124f},
             1e-6);
  const RunResult five = Gradients(LrnConf("local_size: 5 alpha: 0.5 beta: 0.5 knorm: 2"),
                                   {2, 3, 1, 1}, Pattern(6, 7), Pattern(6, 2));
  ExpectNear(five.outputs[0],
             {-0.33806169f, 0.84515423f, 0.16903085f, -0.51075393f, 0.68100524f, 0}, 1e-6);
  ExpectNear(five.input_grads[0],
             {-0.33226633f, -0.014488357f, 0.33516401f, 0.63363099f, -0.78809088f, -0.51075393f},
             1e-6);
}

TEST_P(LrnTest, GradientMatchesDifferences) {
  ExpectGradient(LrnConf("local_size: 3 alpha: 2"), {2, 5, 3, 2});
  ExpectGradient(LrnConf("local_size: 5 alpha: 5e-1 beta: 0.5 knorm: 2"), {1, 32, 2, 3});
  ExpectGradient(LrnConf("local_size: 7 beta: 1"), {3, 3, 1, 1});
  ExpectGradient(LrnConf("local_size: 1"), {1, 4, 5});  // one channel
}

TEST_P(LrnTest, PlainAndVendorAgree) {
  for (const Shape& shape : {Shape({5, 32, 15, 15}), Shape({1, 96, 7, 5}), Shape({2, 17, 3, 3})}) {
    const Values x = RandomValues("x", shape.size()), dy = RandomValues("dy", shape.size());
    ctx_.plain = true;
    const RunResult want = Gradients(LrnConf("local_size: 3 alpha: 5e-5"), shape, x, dy);
    ctx_.plain = false;
    const RunResult got = Gradients(LrnConf("local_size: 3 alpha: 5e-5"), shape, x, dy);
    ExpectNear(got.outputs[0], want.outputs[0], 1e-5);
    ExpectNear(got.input_grads[0], want.input_grads[0], 1e-5);
  }
}

TEST_P(LrnTest, RejectsWindowsAndNumbersThatMeanNothing) {
  const Shape image = {2, 3, 4, 4};
  EXPECT_CONFIG_ERROR_SAYS(Build(LrnConf("local_size: 4"), image), "lrn_conf.local_size",
                           "odd and from 1 to 65535, is 4");
  EXPECT_CONFIG_ERROR(Build(LrnConf("local_size: -1"), image), "lrn_conf.local_size");
  EXPECT_CONFIG_ERROR(Build(LrnConf("local_size: 3 knorm: 0"), image), "lrn_conf.knorm");
  EXPECT_CONFIG_ERROR(Build(LrnConf("local_size: 3 alpha: nan"), image), "lrn_conf.alpha");
  EXPECT_CONFIG_ERROR(Build(LrnConf("local_size: 3 beta: -1"), image), "lrn_conf.beta");
  EXPECT_CONFIG_ERROR(Build(LrnConf("local_size: 3"), {2, 3}), "srclayers");
}

}  // namespace
}  // namespace singa
