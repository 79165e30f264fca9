// The golden numbers are those of tool/golden/recurrent.py.
#include "support/recurrent_test.h"

namespace singa {
namespace {

class LstmTest : public RecurrentTest {};
SINGA_TEST_ON_ALL_DEVICES(LstmTest);

std::string Lstm(const std::string& settings, int steps = 1, int params = 12) {
  return RecurrentConf("kLSTM", "lstm_conf", settings, params, steps);
}

const Golden kLstmOf1 = {
    {0.15925334f, -0.1352711f, -0.11404459f, 0.077258579f},
    {0.066160113f, -0.023344874f, -0.0033631856f, -0.0031879395f, 0.04101539f, 0.082872584f},
    {0.066160113f, -0.046178427f, -0.0025478527f, -0.0050119725f},
    {{0.054873273f, -0.096134298f, -0.0098442584f, -0.050338261f, 0.067117684f, 0},
     {0, 0, 0, 0, 0, 0},
     {0.020023497f, -0.057690412f, -0.013282464f, -0.031757586f, 0.042343449f, 0},
     {0.030388152f, -0.063741982f, -0.009953334f, -0.011121341f, 0.014828455f, 0},
     {-0.027224489f, 0.037068747f, 0.067117684f, -0.067117684f},
     {0, 0, 0, 0},
     {0.035286836f, -0.022004373f, 0.042343449f, -0.042343449f},
     {0.0059313551f, 0.0040219789f, 0.014828455f, -0.014828455f},
     {-0.086290039f, 0.067117684f},
     {0, 0},
     {-0.044407949f, 0.042343449f},
     {-0.053788647f, 0.014828455f}}};
const Golden kLstmOf3 = {
    {0.15925334f, -0.1352711f, -0.11404459f, 0.077258579f, 0.0095368726f, 0.039372817f,
     -0.091558829f, 0.048808042f, -0.10289224f, -0.11943968f, -0.16157918f, -0.083312444f},
    {0.18824443f, 0.023543855f, -0.11816159f, -0.0017080542f, 0.027826183f, 0.070016615f,
     0.15667373f, -0.088843308f, -0.29761279f, 0.084611975f, -0.039507523f, -0.19969633f,
     0.02734109f, -0.12659097f, 0.021356918f, -0.077321626f, 0.048438508f, -0.07789696f},
    {0.091859639f, -0.094795041f, -0.0011180772f, 0.0052139084f},
    {{0.02897387f, -0.10462679f, -0.094543442f, -0.15904012f, 0.04123826f, 0.059017409f},
     {0.052628212f, -0.036795322f, -0.0030049561f, 0.0060099941f, 0.0027048441f, -0.0024323915f},
     {0.55142641f, -0.42564264f, 0.138741f, 0.047070742f, -0.077602647f, -0.013481899f},
     {0.039297342f, -0.061121091f, -0.05169934f, -0.074234143f, 0.017863717f, 0.034618877f},
     {0.0070424872f, 0.0073329289f, 0.035955321f, -0.049408283f},
     {-0.011755719f, 0.0094565805f, 0.00066296902f, -4.2982585e-05f},
     {0.040571183f, -0.011600884f, 0.070629247f, -0.050743118f},
     {-0.010048183f, 0.011911855f, -0.0027742563f, -0.006469971f},
     {-0.010083336f, -0.017779145f},
     {-0.033790369f, 0.0051372354f},
     {-0.56438363f, -0.064120747f},
     {-0.0094217584f, -0.01675516f}}};
const Golden kLstmOf50 = {
    {-0.024877254f, 0.0014772696f, 0.05128121f, -0.049916282f},
    {0.18516979f, 0.023334837f, -0.11632057f, -0.0017036216f, 0.027760319f, 0.069921255f},
    {0.091568902f, -0.092957422f, -0.0011003397f, 0.0052684853f},
    {{-0.036832567f, -0.16118963f, -0.7910887f, -1.6691774f, -0.083140612f, 1.1101601f},
     {0.28702417f, -0.058001861f, -0.10299446f, 0.023662249f, -0.015071615f, 0.17301619f},
     {4.6270242f, -4.9036946f, 1.2856382f, -0.78240788f, 0.96982682f, -1.0693117f},
     {0.19582668f, 0.032226294f, -0.49722058f, -0.68658543f, -0.051193397f, 0.88460469f},
     {-0.052177325f, 0.021887626f, 0.043668326f, -0.052167326f},
     {-0.018264405f, 0.02470939f, -0.0038343023f, 0.0021608344f},
     {-0.11392862f, 0.091937371f, 0.17717505f, 0.029281706f},
     {-0.072683603f, 0.01206793f, -0.0083356937f, 0.0070903953f},
     {0.34373328f, -1.1823258f},
     {-0.21048847f, 0.04402734f},
     {-4.5740471f, -0.023103587f},
     {0.089258492f, -0.52898943f}}};

TEST_P(LstmTest, EqualsPyTorchOverOneStep) {
  ExpectEqualsPyTorch(Lstm("dim_hidden: 2"), 1, kLstmOf1);
}

TEST_P(LstmTest, EqualsPyTorchOverThreeSteps) {
  ExpectEqualsPyTorch(Lstm("dim_hidden: 2", 3), 3, kLstmOf3);
}

TEST_P(LstmTest, EqualsPyTorchOverFiftySteps) {
  ExpectEqualsPyTorch(Lstm("dim_hidden: 2", 50), 50, kLstmOf50);
}

TEST_P(LstmTest, GradientMatchesDifferencesOverOneStep) {
  ExpectGradient(Lstm("dim_hidden: 4"), {3, 5});
}

TEST_P(LstmTest, GradientMatchesDifferencesOverASequenceFromAGivenState) {
  ExpectGradient(Lstm("dim_hidden: 4", 3), std::vector<Shape>{{3, 2, 5}, {2, 4}});
}

TEST_P(LstmTest, GradientMatchesDifferencesWithoutBiases) {  // wider than a vector
  ExpectGradient(Lstm("dim_hidden: 19 bias_term: false", 2, 8), {2, 3, 4});
}

TEST_P(LstmTest, PlainAndFastAgree) { ExpectPlainAndFastAgree(Lstm("dim_hidden: 70", 4)); }

TEST_P(LstmTest, CarriesItsStateFromBatchToBatch) {
  const auto conf = [](int steps) { return Lstm("dim_hidden: 3 carry_state: true", steps); };
  ExpectCarriesItsState(conf, kTrain);
  ExpectCarriesItsState(conf, kTest);
}

TEST_P(LstmTest, GradientMatchesDifferencesFromBothStates) {  // one step of several
  ExpectGradient(Lstm("dim_hidden: 4") + " unroll_index: 1",
                 std::vector<Shape>{{3, 5}, {3, 4}, {3, 4}});
}

TEST_P(LstmTest, NoGradientGoesThroughTheCarriedStates) {
  const auto conf = [](bool carry) {
    return carry ? Lstm("dim_hidden: 3 carry_state: true")
                 : Lstm("dim_hidden: 3") + " unroll_index: 1";
  };
  ExpectNoGradientThroughTheCarriedState(conf, 1);
}

TEST_P(LstmTest, NeedsNoParamBlocks) {
  for (int blocks : {0, 8, 12})
    EXPECT_EQ(ParamShapes(Lstm("dim_hidden: 4", 1, blocks), {3, 5}).size(), 12u) << blocks;
  EXPECT_EQ(ParamShapes(Lstm("dim_hidden: 4 bias_term: false", 1, 0), {3, 5}).size(), 8u);
}

TEST_P(LstmTest, RejectsNoHiddenUnits) {
  EXPECT_CONFIG_ERROR(Build(Lstm("dim_hidden: -1"), {3, 5}), "lstm_conf.dim_hidden");
}

}  // namespace
}  // namespace singa
