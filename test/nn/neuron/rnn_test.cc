// The golden numbers are those of tool/golden/recurrent.py.
#include "support/recurrent_test.h"

namespace singa {
namespace {

class RnnTest : public RecurrentTest {};
SINGA_TEST_ON_ALL_DEVICES(RnnTest);

std::string Rnn(const std::string& settings, int steps = 1, int params = 3) {
  return RecurrentConf("kRNN", "rnn_conf", settings, params, steps);
}

const Golden kRnnOf1 = {{-0.30270973f, 0.73407149f, -0.70390558f, 0.062418748f},
                        {0.2270917f, 0.11354585f, 0, 0.12289673f, 0.43498731f, 0.74707794f},
                        {0.2270917f, 0, 0.3719227f, 0.99610388f},
                        {{0.03789784f, -0.31547076f, -0.11354585f, -0.74707794f, 0.99610388f, 0},
                         {0.47935018f, -0.36580431f, 0.99610388f, -0.99610388f},
                         {-0.20192492f, 0.99610388f}}};
const Golden kRnnOf3 = {
    {-0.30270973f, 0.73407149f, -0.70390558f, 0.062418748f, -0.036129404f, 0.64705539f, 0.33810624f,
     -0.44386512f, -0.82409102f, 0.63752371f, -0.82396835f, -0.48140538f},
    {0.00096665381f, -0.00032546563f, -0.0016175851f, 0.078211531f, 0.37241468f, 0.66661781f,
     0.49785376f, 0.24717298f, -0.0035078032f, 0.097745791f, 0.008485496f, -0.080774799f,
     0.065160841f, 0.31081331f, 0.5564658f, 0.06450697f, -0.11179318f, -0.28809333f},
    {0.00042745878f, -0.0021567801f, 0.30041748f, 0.88882375f},
    {{1.0749804f, -0.52881724f, 0.51401383f, 0.017080814f, 1.0142587f, -0.11786142f},
     {0.64987314f, -0.73871052f, 0.8104471f, -0.24893373f},
     {-1.0428311f, 1.1321201f}}};
const Golden kRnnOf50 = {
    {0.059840016f, -0.026742652f, -0.45693028f, 0.907511f},
    {0.00012844615f, -0.030846324f, -0.061821096f, 0.019577198f, 0.19867074f, 0.37776428f},
    {-0.020478586f, -0.082428128f, 0.14549863f, 0.50368571f},
    {{8.6976776f, -17.328108f, 10.255282f, -2.3336654f, 14.277263f, -0.79811454f},
     {-1.5658875f, -2.1631107f, 15.190359f, -2.3133159f},
     {-7.3353381f, -36.669426f}}};

TEST_P(RnnTest, EqualsPyTorchOverOneStep) { ExpectEqualsPyTorch(Rnn("dim_hidden: 2"), 1, kRnnOf1); }

TEST_P(RnnTest, EqualsPyTorchOverThreeSteps) {
  ExpectEqualsPyTorch(Rnn("dim_hidden: 2", 3), 3, kRnnOf3);
}

TEST_P(RnnTest, EqualsPyTorchOverFiftySteps) {
  ExpectEqualsPyTorch(Rnn("dim_hidden: 2", 50), 50, kRnnOf50);
}

TEST_P(RnnTest, GradientMatchesDifferencesOverOneStep) {
  ExpectGradient(Rnn("dim_hidden: 4"), {3, 5});
}

TEST_P(RnnTest, GradientMatchesDifferencesOverASequenceFromAGivenState) {
  ExpectGradient(Rnn("dim_hidden: 4", 3), std::vector<Shape>{{3, 2, 5}, {2, 4}});
}

TEST_P(RnnTest, GradientMatchesDifferencesWithoutBiases) {  // wider than a vector
  ExpectGradient(Rnn("dim_hidden: 19 bias_term: false", 2, 2), {2, 3, 4});
}

TEST_P(RnnTest, PlainAndFastAgree) { ExpectPlainAndFastAgree(Rnn("dim_hidden: 70", 4)); }

TEST_P(RnnTest, CarriesItsStateFromBatchToBatch) {
  const auto conf = [](int steps) { return Rnn("dim_hidden: 3 carry_state: true", steps); };
  ExpectCarriesItsState(conf, kTrain);
  ExpectCarriesItsState(conf, kTest);
}

TEST_P(RnnTest, NoGradientGoesThroughTheCarriedState) {
  const auto conf = [](bool carry) {
    return Rnn(carry ? "dim_hidden: 3 carry_state: true" : "dim_hidden: 3", 2);
  };
  ExpectNoGradientThroughTheCarriedState(conf, 2);
}

TEST_P(RnnTest, NeedsNoParamBlocks) {
  for (int blocks : {0, 2, 3})
    EXPECT_EQ(ParamShapes(Rnn("dim_hidden: 4", 1, blocks), {3, 5}),
              (std::vector<Shape>{{4, 5}, {4, 4}, {4}}));
}

TEST_P(RnnTest, RejectsNoHiddenUnits) {
  EXPECT_CONFIG_ERROR(Build(Rnn("dim_hidden: 0"), {3, 5}), "rnn_conf.dim_hidden");
}

}  // namespace
}  // namespace singa
