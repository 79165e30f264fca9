// The golden numbers are those of tool/golden/attention.py: 3 time steps of 2 rows of 4 numbers, 2
// heads, patterns for all values.
#include <cmath>

#include "support/layer_test.h"
#include "support/random_values.h"

namespace singa {
namespace {

struct AttentionGolden {
  Values y, dx;
  std::vector<Values> params;
};

const AttentionGolden kCausal = {
    {-2.546875f, -2.046875f, 3.609375f,    4.109375f,   1.25f,       2.65625f,
     -0.578125f, 0.828125f,  -2.5930235f,  -2.0192392f, 3.1946101f,  3.7683945f,
     1.2208991f, 2.5868361f, -0.18508208f, 1.180855f,   -2.6360259f, -1.9698794f,
     2.9295545f, 3.5957007f, 0.75348806f,  2.3113999f,  0.20021904f, 1.758131f},
    {0.26491401f, 0.77276969f,  0.79250652f,   0.80567795f,  -3.1013255f,  0.97784948f,
     0.51355028f, 0.36379096f,  0.86547929f,   0.34855983f,  -0.43549636f, -0.59884524f,
     1.0043011f,  -0.73901749f, -0.61900353f,  -0.68956125f, -0.92849135f, -0.19444396f,
     0.77923238f, 1.1387688f,   -0.090531275f, -0.30985284f, -0.25528249f, -0.32468015f},
    {{-0.24837552f,  -0.057149842f, -0.049448479f, 0.14315997f,  0.29088274f,   -0.0062697083f,
      0.076012455f,  -0.22311571f,  0.071144387f,  0.11631697f,  -0.00915315f,  -1.1742115e-05f,
      0.25249404f,   0.6875602f,    0.19116434f,   0.62623066f,  0.089438573f,  -0.026353657f,
      -0.019445905f, -0.01944592f,  0.25484571f,   -0.22868282f, -0.028254066f, -0.028253995f,
      0.20722054f,   -1.2967325f,   0.038603827f,  0.03860303f,  0.11830812f,   -0.12801827f,
      -0.11454408f,  -0.11454456f,  0.39127803f,   -0.2263366f,  -0.022410706f, -0.22553572f,
      -1.4263554f,   0.86526173f,   1.7421741f,    -2.2109511f,  -0.6983574f,   -0.096410193f,
      0.95205694f,   -0.39169306f,  1.2134688f,    -0.65797216f, -1.2560719f,   1.0408032f},
     {0.26707977f, -0.28912801f, -0.15510495f, -0.08177273f, -4.7497451e-08f, 3.3527613e-08f,
      6.8172812e-07f, 6.6310167e-07f, 0.375f, 1.4901161e-08f, -1.0625f, 0.625f},
     {0.29759651f, -0.0019490719f, 0.88495481f, 0.3006202f, -0.29856449f, -1.2085749f, -3.321779f,
      0.31317073f, -0.59520382f, 0.19298625f, 0.78064406f, -0.065742016f, 0.7228781f, -0.3682434f,
      -3.8948531f, -0.032346725f},
     {-0.5f, -0.25f, 0, 0.25f}}};
const AttentionGolden kOfAllSteps = {
    {-2.5138686f, -1.7590821f, 2.498559f,   3.253345f,   0.423814f,   2.0265687f,
     0.38169396f, 1.9844484f,  -2.4520335f, -1.7787769f, 2.9161978f,  3.5894547f,
     0.47076416f, 2.1943479f,  0.24738455f, 1.9709678f,  -2.6360259f, -1.9698794f,
     2.9295545f,  3.5957007f,  0.75348806f, 2.3113999f,  0.20021904f, 1.758131f},
    {-0.39224559f, 0.022790045f, -0.12642026f, 0.10332784f,  -0.88939112f, 0.020921916f,
     0.13845709f,  -0.25016353f, 0.51396769f,  0.33899835f,  0.27521926f,  -0.42135459f,
     -0.85831952f, 0.062802836f, 0.45841706f,  0.24902962f,  -0.3866747f,  0.34000286f,
     1.0041109f,   1.9220567f,   -0.30498785f, -0.23160754f, -1.246191f,   -1.1496168f},
    {{-0.43767506f,  0.042930603f,  0.16336189f,  -0.022336796f, 0.52298027f,   -0.13894099f,
      -0.1852029f,   -0.032038197f, 0.28048491f,  0.15384603f,   -0.25522882f,  0.097124115f,
      -1.6778929f,   5.8474441f,    1.2264314f,   -1.2047768f,   0.28402215f,   -0.096430041f,
      -0.052612215f, -0.052612096f, 0.27569765f,  -0.257972f,    -0.019003332f, -0.019003525f,
      0.87987775f,   -3.2785642f,   0.48392501f,  0.48392409f,   -0.69148165f,  0.41818163f,
      0.083041817f,  0.083041579f,  0.047991745f, -0.70535618f,  0.17903627f,   -0.024088893f,
      0.30584866f,   -1.8088434f,   1.7523506f,   -2.2007747f,   -0.63162082f,  -0.11166731f,
      0.66431355f,   -0.67943639f,  1.1187985f,   -0.18177077f,  -1.0392137f,   1.257661f},
     {0.17186852f, -0.12504783f, 0.29371372f, -0.47929099f, 5.2154064e-08f, 1.4714897e-07f,
      8.0093741e-07f, 5.9604645e-07f, 0.37499997f, 1.1920929e-07f, -1.0624994f, 0.62499982f},
     {-0.99683237f, -0.343467f, 1.3861576f, 0.24168622f, -0.16216606f, -1.3495891f, -2.7457695f,
      0.36491814f, 0.68049181f, 0.17290783f, 0.81311357f, -0.0080651045f, 0.056869864f, -1.0834906f,
      -3.3202682f, 0.0027970076f},
     {-0.5f, -0.25f, 0, 0.25f}}};
const AttentionGolden kWithoutBiases = {
    {-1.03125f,    0.84375f,     1.6875f,      -1.59375f,    0.78125f,      -0.0625f,
     -1.59375f,    2.203125f,    -0.16131991f, 0.45966822f,  0.15399061f,   -0.59730554f,
     0.71012938f,  -0.03234151f, -1.2365319f,  2.1971822f,   -0.080450952f, 0.11812671f,
     -0.13650852f, -0.37142435f, 0.28734255f,  -0.65370905f, -0.088851392f, 1.5574024f},
    {2.4706521f,   -0.10431874f,  -1.0588341f,   -1.9502609f,  -1.6344967f,  1.0914731f,
     0.88446772f,  1.3067149f,    0.61413836f,   -0.41488332f, -0.48985758f, -0.59692788f,
     -0.95297074f, -0.042490005f, 0.050248355f,  0.36977398f,  0.29077053f,  0.15012449f,
     0.18497604f,  0.18883497f,   -0.033852883f, -0.31531844f, 0.57580745f,  0.61089379f},
    {{0.083570987f,  -0.15840086f, 0.047261767f,   -0.17418748f,   -0.13924137f,   0.14772649f,
      -0.070913725f, 0.18673606f,  0.37797552f,    0.093097165f,   -0.0044676811f, -0.13542029f,
      -0.64277565f,  2.3997936f,   -1.1376929f,    1.9048764f,     -0.13399884f,   0.054766983f,
      0.018067369f,  0.018067364f, -0.1112542f,    -0.16404718f,   0.040812053f,   0.040811997f,
      0.69423175f,   -1.9293145f,  -0.0097417235f, -0.0097416043f, 0.57846141f,    -0.02572374f,
      -0.12551214f,  -0.12551188f, 2.2363405f,     -1.5078411f,    -1.8884268f,    2.3615732f,
      0.98080385f,   -0.68839097f, -0.7143923f,    1.0356077f,     -1.7741318f,    0.35222977f,
      1.3194866f,    -1.3211386f,  1.3771399f,     -1.5189788f,    -1.0874686f,    2.0219064f},
     {0.44543931f, 0.60994136f, -0.25186098f, 0.18623909f, -0.065440141f, -0.75862265f, -2.0315139f,
      0.28328446f, -0.41374493f, 0.14281344f, 0.14842254f, -0.28435594f, 0.5105837f, -0.69333005f,
      -3.2201104f, 0.16206941f}}};

std::string Attention(const std::string& settings, int64_t steps = 1) {
  return StrCat("type: kAttention unroll_len: ", steps, " attention_conf { ", settings, " }");
}

class AttentionTest : public LayerTest {
 protected:
  void ExpectEqualsPyTorch(const std::string& settings, const AttentionGolden& want) {
    RunOptions options;
    for (size_t i = 0; i < want.params.size(); ++i)
      options.params[std::to_string(i)] =
          Pattern(static_cast<int64_t>(want.params[i].size()), static_cast<int64_t>(i) + 1);
    const RunResult run =
        Gradients(Attention(settings, 3), {3, 2, 4}, Pattern(24, 7), Pattern(24, 2), options);
    ExpectNear(run.outputs[0], want.y, 1e-5);
    ExpectNear(run.input_grads[0], want.dx, 1e-5);
    ASSERT_EQ(run.param_grads.size(), want.params.size());
    for (size_t i = 0; i < want.params.size(); ++i) {
      SCOPED_TRACE(StrCat("param ", i));
      ExpectNear(run.param_grads[i], want.params[i], 1e-5);
    }
  }
};
SINGA_TEST_ON_ALL_DEVICES(AttentionTest);

TEST_P(AttentionTest, EqualsPyTorch) { ExpectEqualsPyTorch("num_heads: 2", kCausal); }

TEST_P(AttentionTest, EqualsPyTorchOnAllSteps) {
  ExpectEqualsPyTorch("num_heads: 2 causal: false", kOfAllSteps);
}

TEST_P(AttentionTest, EqualsPyTorchWithoutBiases) {
  ExpectEqualsPyTorch("num_heads: 2 bias_term: false", kWithoutBiases);
}

TEST_P(AttentionTest, GradientMatchesDifferencesOverOneStep) {
  ExpectGradient(Attention("num_heads: 3"), {3, 6});
}

TEST_P(AttentionTest, GradientMatchesDifferencesOverThreeSteps) {
  ExpectGradient(Attention("num_heads: 2", 3), {3, 2, 4});
  ExpectGradient(Attention("causal: false", 3), {3, 2, 5});
}

TEST_P(AttentionTest, GradientMatchesDifferencesOverSeveralBlocks) {
  ExpectGradient(Attention("num_heads: 2", 130), {130, 1, 4}, {.samples = 20});
  ExpectGradient(Attention("causal: false", 130), {130, 1, 3}, {.samples = 20});
}

TEST_P(AttentionTest, GradientMatchesDifferencesWithDropout) {
  ExpectGradient(Attention("num_heads: 2 dropout_ratio: 0.4", 7), {7, 2, 4});
}

// Changes the last steps from `first` on.
TEST_P(AttentionTest, ACausalStepSeesNoLaterOnes) {
  constexpr int64_t kSteps = 60, kStep = 2 * 6;
  const Values x = RandomValues("x", kSteps * kStep);
  Values dy(kSteps * kStep, 0.f);
  for (const int64_t first : {1, 30, 50}) {
    Values other = x;
    for (int64_t i = first * kStep; i < kSteps * kStep; ++i) other[i] = 3 - x[i];
    std::fill_n(dy.begin() + (first - 1) * kStep, kStep, 1.f);
    for (const bool causal : {true, false}) {
      const std::string conf = Attention(StrCat("num_heads: 2 causal: ", causal), kSteps);
      const auto before = [&](const Values& values) {
        return Values(values.begin(), values.begin() + first * kStep);
      };
      EXPECT_EQ(
          before(Feature(conf, {kSteps, 2, 6}, x)) == before(Feature(conf, {kSteps, 2, 6}, other)),
          causal);
      const Values dx = Gradients(conf, {kSteps, 2, 6}, x, dy).input_grads[0];
      const bool none =
          std::all_of(dx.begin() + first * kStep, dx.end(), [](float value) { return value == 0; });
      EXPECT_EQ(none, causal);
    }
  }
}

TEST_P(AttentionTest, RowsDoNotSeeEachOther) {
  const Values x = RandomValues("x", 5 * 2 * 4);
  Values other = x;
  for (int64_t t = 0; t < 5; ++t) other[t * 8 + 7] += 1;  // row 1
  const std::string conf = Attention("num_heads: 2 causal: false", 5);
  const Values y = Feature(conf, {5, 2, 4}, x), changed = Feature(conf, {5, 2, 4}, other);
  for (int64_t t = 0; t < 5; ++t)
    for (int64_t j = 0; j < 4; ++j) EXPECT_EQ(y[t * 8 + j], changed[t * 8 + j]);
}

TEST_P(AttentionTest, OneStepReadsItselfAlone) {
  RunOptions options;
  options.params = {{"0", {9, 9, 9, 9, 9, 9, 9, 9, 1, 2, 3, 4}},  // v = (x + 2 x', 3 x + 4 x')
                    {"1", {9, 9, 9, 9, 10, 20}},
                    {"2", {1, 0, 0, 1}},
                    {"3", {100, 200}}};
  for (const char* settings : {"num_heads: 2", "causal: false"})
    EXPECT_EQ(Feature(Attention(settings), {2, 2}, {1, 0, 2, 1}, options),
              (Values{111, 223, 114, 230}));
}

// With queries of 0 all weights are equal, and a step is the mean of all of Z.
TEST_P(AttentionTest, DropsTheShareOfWeightsInTrainingAlone) {
  constexpr int64_t kSteps = 400;
  RunOptions options;
  options.params = {{"0", {0, 0, 0}}, {"1", {0, 0, 1}}, {"2", {1}}, {"3", {0}}};
  const std::string conf = Attention("causal: false dropout_ratio: 0.25", kSteps);
  const Values ones(kSteps, 1.f);
  double sum = 0;
  for (const float y : Feature(conf, {kSteps, 1, 1}, ones, options)) sum += y;
  EXPECT_NE(sum, kSteps);
  EXPECT_NEAR(sum / kSteps, 1, 0.01);  // 0.0014 is the standard deviation
  options.phase = kTest;
  ExpectNear(Feature(conf, {kSteps, 1, 1}, ones, options), ones, 1e-5);
}

TEST_P(AttentionTest, EachStepOfTrainingDropsOthers) {
  const std::string conf = Attention("dropout_ratio: 0.5", 9);
  const Values x = RandomValues("x", 9 * 2 * 4);
  EXPECT_EQ(Feature(conf, {9, 2, 4}, x, {.step = 3}), Feature(conf, {9, 2, 4}, x, {.step = 3}));
  EXPECT_NE(Feature(conf, {9, 2, 4}, x, {.step = 3}), Feature(conf, {9, 2, 4}, x, {.step = 4}));
}

// A net keeps buffers, and one scratch.
TEST_P(AttentionTest, MemoryGrowsWithTheSteps) {
  const auto bytes = [&](int64_t steps) {
    const auto layer = Build(Attention("num_heads: 4 dropout_ratio: 0.1", steps), {steps, 2, 64});
    const Declared& declared = layer->declare().declared();
    int64_t sum = declared.scratch;
    for (const Buffer& buffer : declared.buffers) sum += buffer.tensor.bytes();
    return static_cast<double>(sum);
  };
  EXPECT_LT(bytes(4096), 2.01 * bytes(2048));
  EXPECT_LT(bytes(8192), 2.01 * bytes(4096));
}

TEST_P(AttentionTest, NeedsNoParamBlocks) {
  const std::vector<Shape> all = {{18, 6}, {18}, {6, 6}, {6}}, weights = {{18, 6}, {6, 6}};
  EXPECT_EQ(ParamShapes(Attention("num_heads: 2"), {3, 6}), all);
  EXPECT_EQ(ParamShapes(Attention("num_heads: 2") + " param {} param {}", {3, 6}), all);
  EXPECT_EQ(ParamShapes(Attention("bias_term: false"), {3, 6}), weights);
}

TEST_P(AttentionTest, GivesTheShapeOfItsSource) {
  EXPECT_EQ(Build(Attention("", 5), {5, 3, 4})->output_shape(), Shape({5, 3, 4}));
  EXPECT_EQ(Build(Attention(""), {3, 4})->output_shape(), Shape({3, 4}));
}

// 5 steps of 3 rows of 4 units: 2 * 15 * 4 * 4 = 480 for a projection; 2 * 15 * 5 * 4 = 600 for a
// product of all steps with all steps.
TEST_P(AttentionTest, ItsWorkIsThatOfItsProducts) {
  const Work all = Build(Attention("causal: false", 5), {5, 3, 4})->layer().work();
  EXPECT_EQ(all.feature, 4 * 480 + 2 * 600);
  EXPECT_EQ(all.input_gradients, 3 * 480);
  EXPECT_EQ(all.param_gradients, 5 * 480 + 5 * 600);
  EXPECT_EQ(Build(Attention("", 5), {5, 3, 4})->layer().work().feature, 4 * 480 + 600);
}

TEST_P(AttentionTest, RejectsHeadsThatDoNotDivideTheUnits) {
  EXPECT_CONFIG_ERROR_SAYS(Build(Attention("num_heads: 4"), {3, 6}), "attention_conf.num_heads",
                           "must divide the 6 units of the source, is 4");
  EXPECT_CONFIG_ERROR_SAYS(Build(Attention("num_heads: 7"), {3, 6}), "attention_conf.num_heads",
                           "must divide the 6 units of the source, is 7");
}

TEST_P(AttentionTest, RejectsNoHeads) {
  for (const int heads : {0, -2})
    EXPECT_CONFIG_ERROR_SAYS(Build(Attention(StrCat("num_heads: ", heads)), {3, 6}),
                             "attention_conf.num_heads", StrCat("must be >= 1, is ", heads));
}

TEST_P(AttentionTest, RejectsDropoutThatIsNoShare) {
  for (const char* ratio : {"1", "-0.1", "nan"})
    EXPECT_CONFIG_ERROR(Build(Attention(StrCat("dropout_ratio: ", ratio)), {3, 6}),
                        "attention_conf.dropout_ratio");
}

TEST_P(AttentionTest, RejectsImages) {
  EXPECT_CONFIG_ERROR_SAYS(Build(Attention(""), {3, 1, 5, 5}), "srclayers",
                           "(rows, numbers), gives (3, 1, 5, 5)");
  EXPECT_CONFIG_ERROR_SAYS(Build(Attention("", 3), {3, 5}), "srclayers",
                           "(steps, rows, numbers), gives (3, 5)");
}

TEST_P(AttentionTest, RejectsTwoSources) {
  EXPECT_CONFIG_ERROR(Build(Attention(""), std::vector<Shape>{{3, 4}, {3, 4}}), "srclayers#1");
}

}  // namespace
}  // namespace singa
