// The golden numbers are those of tool/golden/recurrent.py.
#include "support/recurrent_test.h"

namespace singa {
namespace {

class GruTest : public RecurrentTest {};
SINGA_TEST_ON_ALL_DEVICES(GruTest);

std::string Gru(const std::string& settings, int steps = 1, int params = 9) {
  return RecurrentConf("kGRU", "gru_conf", settings, params, steps);
}

const Golden kGruOf1 = {
    {0.06747964f, 0.18682235f, 0.061434418f, -0.80943352f},
    {0.04467684f, -0.080717772f, -0.20611237f, -0.5100159f, -0.052231535f, 0.39295387f},
    {-0.22299251f, -0.06565617f, 0.21566175f, 0.72426754f},
    {{-0.13533482f, 0.25546804f, 0.032152113f, 0.091047525f, -0.1213967f, 0},
     {0.081936501f, -0.12307338f, -0.0059248758f, 0.0034360837f, -0.0045814449f, 0},
     {-0.19293046f, 0.14392075f, -0.048565656f, -0.21081114f, 0.28108153f, 0},
     {0.030403242f, -0.062555358f, -0.1213967f, 0.1213967f},
     {-0.081599243f, 0.087524123f, -0.0045814449f, 0.0045814449f},
     {0.13414395f, -0.10609751f, 0.0030882268f, -0.0030882268f},
     {0.22331592f, -0.1213967f},
     {-0.1171485f, -0.0045814449f},
     {0.19248641f, 0.28108153f}}};
const Golden kGruOf3 = {
    {0.06747964f, 0.18682235f, 0.061434418f, -0.80943352f, 0.038675524f, 0.063044399f, -0.26459908f,
     -0.62779766f, -0.71467763f, -0.20774388f, -0.80327129f, -0.71019769f},
    {0.097848952f, -0.1640581f, -0.42670381f, -0.38787702f, -0.047625292f, 0.28263691f, 0.37141117f,
     -0.19246146f, -0.75502646f, 0.16005827f, -0.0085786087f, -0.17145549f, -0.039669417f,
     0.10538951f, 0.25074652f, 0.079062365f, 0.0038381631f, -0.070775963f},
    {-0.42149863f, -0.37775743f, 0.1657832f, 0.56955302f},
    {{-0.057006806f, 0.37967256f, 0.11941934f, 0.3119584f, -0.026612394f, -0.17808917f},
     {0.065433517f, -0.13075952f, -0.023633132f, 0.00012236538f, -0.0025373104f, -0.0015364406f},
     {1.0130954f, -0.86432284f, 0.19048871f, -0.13262396f, 0.21541014f, 0.0085338019f},
     {-0.026028164f, 0.1201282f, -0.067340732f, 0.11066433f},
     {-0.043402977f, 0.020817131f, -0.0033919907f, 0.0018263963f},
     {0.13903731f, -0.1319745f, 0.0031366523f, 0.00024399627f},
     {0.26025325f, 0.15147679f},
     {-0.1071264f, -0.0010008698f},
     {-1.0548116f, 0.20687635f}}};
const Golden kGruOf50 = {
    {-0.35724837f, -0.65819418f, 0.020927295f, -0.61873144f},
    {0.098125875f, -0.16541603f, -0.42964685f, -0.28751135f, -0.017729908f, 0.24555357f},
    {-0.42738855f, -0.3623974f, 0.11895368f, 0.38052011f},
    {{0.0035736915f, 0.93910074f, -1.7001442f, -0.17899214f, 0.15716709f, -0.058998466f},
     {-1.0288255f, 2.0926893f, -0.79058939f, -0.060323697f, -0.078805797f, 0.0046232864f},
     {10.16313f, -19.162138f, 9.2790861f, 0.96570039f, 0.54227483f, 0.37005359f},
     {1.3174124f, 1.330456f, 0.039931972f, -0.12516257f},
     {0.32825422f, -0.17270871f, -0.06670662f, -0.064406365f},
     {-1.9165143f, -0.64543951f, 0.16196483f, 0.15862986f},
     {-1.7954905f, 0.42481631f},
     {0.28240788f, 0.091964141f},
     {-0.5459975f, -0.82035255f}}};

TEST_P(GruTest, EqualsPyTorchOverOneStep) { ExpectEqualsPyTorch(Gru("dim_hidden: 2"), 1, kGruOf1); }

TEST_P(GruTest, EqualsPyTorchOverThreeSteps) {
  ExpectEqualsPyTorch(Gru("dim_hidden: 2", 3), 3, kGruOf3);
}

TEST_P(GruTest, EqualsPyTorchOverFiftySteps) {
  ExpectEqualsPyTorch(Gru("dim_hidden: 2", 50), 50, kGruOf50);
}

TEST_P(GruTest, GradientMatchesDifferencesOverOneStep) {
  ExpectGradient(Gru("dim_hidden: 4"), {3, 5});
}

TEST_P(GruTest, GradientMatchesDifferencesOverASequenceFromAGivenState) {
  ExpectGradient(Gru("dim_hidden: 4", 3), std::vector<Shape>{{3, 2, 5}, {2, 4}});
}

TEST_P(GruTest, GradientMatchesDifferencesWithoutBiases) {  // wider than a vector
  ExpectGradient(Gru("dim_hidden: 19 bias_term: false", 2, 6), {2, 3, 4});
}

TEST_P(GruTest, PlainAndFastAgree) { ExpectPlainAndFastAgree(Gru("dim_hidden: 70", 4)); }

TEST_P(GruTest, CarriesItsStateFromBatchToBatch) {
  const auto conf = [](int steps) { return Gru("dim_hidden: 3 carry_state: true", steps); };
  ExpectCarriesItsState(conf, kTrain);
  ExpectCarriesItsState(conf, kTest);
}

TEST_P(GruTest, NoGradientGoesThroughTheCarriedState) {
  const auto conf = [](bool carry) {
    return Gru(carry ? "dim_hidden: 3 carry_state: true" : "dim_hidden: 3", 2);
  };
  ExpectNoGradientThroughTheCarriedState(conf, 2);
}

TEST_P(GruTest, SixParamsMeanNoBiases) {  // as in SINGA 0.3
  EXPECT_EQ(Build(Gru("dim_hidden: 4", 1, 6), {3, 5})->declare().declared().params.size(), 6u);
  EXPECT_EQ(Build(Gru("dim_hidden: 4 bias_term: false", 1, 9), {3, 5})
                ->declare()
                .declared()
                .params.size(),
            6u);
}

TEST_P(GruTest, RejectsNoHiddenUnits) {
  EXPECT_CONFIG_ERROR_SAYS(Build(Gru("dim_hidden: 0"), {3, 5}), "gru_conf.dim_hidden",
                           "must be >= 1, is 0");
}

TEST_P(GruTest, HasBiasesUnlessSixParamsAreGiven) {
  for (int blocks : {0, 1, 5, 7, 9})
    EXPECT_EQ(ParamShapes(Gru("dim_hidden: 4", 1, blocks), {3, 5}).size(), 9u) << blocks;
  EXPECT_EQ(ParamShapes(Gru("dim_hidden: 4 bias_term: false", 1, 0), {3, 5}).size(), 6u);
}

}  // namespace
}  // namespace singa
