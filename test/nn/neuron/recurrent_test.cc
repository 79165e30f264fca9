// Tests what kGRU, kLSTM and kRNN have in common: sources, params and carried states. Most tests
// use a kGRU. gru_test, lstm_test and rnn_test test the cells, and
// recurrent_fold_test tests nodes of single steps.
#include "nn/neuron/recurrent.h"

#include "support/random_values.h"
#include "support/recurrent_test.h"

namespace singa::recurrent {
namespace {

class RecurrentLayerTest : public RecurrentTest {};
SINGA_TEST_ON_ALL_DEVICES(RecurrentLayerTest);

std::string Gru(const std::string& settings, int steps = 1) {
  return RecurrentConf("kGRU", "gru_conf", settings, 9, steps);
}
std::string Lstm(const std::string& settings, int steps = 1) {
  return RecurrentConf("kLSTM", "lstm_conf", settings, 12, steps);
}

TEST_P(RecurrentLayerTest, ParamsAreWeightsOfTheInputThenOfTheStateThenBiases) {
  const auto layer = Build(Lstm("dim_hidden: 4"), {3, 5});
  std::vector<Shape> shapes;
  for (const Param* param : layer->declare().declared().params) shapes.push_back(param->shape());
  std::vector<Shape> want(4, Shape{4, 5});
  want.insert(want.end(), 4, Shape{4, 4});
  want.insert(want.end(), 4, Shape{4});
  EXPECT_EQ(shapes, want);
}

TEST_P(RecurrentLayerTest, GivesAStateOfEachRowAndStep) {
  EXPECT_EQ(Build(Gru("dim_hidden: 4"), {3, 5})->output_shape(), Shape({3, 4}));
  EXPECT_EQ(Build(Gru("dim_hidden: 4", 2), {2, 3, 5})->output_shape(), Shape({2, 3, 4}));
  EXPECT_EQ(Build(Lstm("dim_hidden: 4", 2), {2, 3, 5})->output_shape(1), Shape({2, 3, 4}));
}

// The rows of these buffers are joined in a checkpoint.
TEST_P(RecurrentLayerTest, KeepsOnlyACarriedStateFromBatchToBatch) {
  const auto kept = [&](const std::string& conf) {
    const auto layer = Build(conf, {3, 5});
    std::vector<std::string> names;
    for (const Buffer& buffer : layer->declare().declared().buffers)
      if (buffer.keep == Keep::kForever) names.push_back(buffer.name);
    return names;
  };
  EXPECT_EQ(kept(Lstm("dim_hidden: 4")), std::vector<std::string>());
  EXPECT_EQ(kept(Gru("dim_hidden: 4 carry_state: true")), std::vector<std::string>{"state"});
  EXPECT_EQ(kept(Lstm("dim_hidden: 4 carry_state: true")),
            (std::vector<std::string>{"state", "cell"}));
}

// 3 gates, 2 steps, 3 rows, 5 inputs and 4 units: 2 * 3 * 2 * 3 * 4 = 144 for each number.
TEST_P(RecurrentLayerTest, ItsWorkIsThatOfItsProducts) {
  const Work work = Build(Gru("dim_hidden: 4", 2), {2, 3, 5})->layer().work();
  EXPECT_EQ(work.feature, 144 * (5 + 4));
  EXPECT_EQ(work.input_gradients, 144 * 5);
  EXPECT_EQ(work.param_gradients, 144 * (5 + 2 * 4));
}

TEST_P(RecurrentLayerTest, CarriesOneStateOverSingleSteps) {  // as when a text is generated
  const Values x = RandomValues("x", 2 * 2 * 5);
  const Values whole = Feature(Gru("dim_hidden: 3", 2), {{.shape = {2, 2, 5}, .data = x}});
  const auto layer =
      Build(Gru("dim_hidden: 3 carry_state: true"), std::vector<Input>{{.shape = {2, 5}}});
  for (int t = 0; t < 2; ++t) {
    layer->SetInput(0, Values(x.begin() + t * 10, x.begin() + (t + 1) * 10));
    layer->BeginStep(t);
    layer->Forward(kTest);
  }
  ExpectNear(layer->Output(), Values(whole.begin() + 6, whole.end()), 1e-6);
}

TEST_P(RecurrentLayerTest, AStateThatIsNotFiniteIsNotCarried) {
  const auto layer =
      Build(Gru("dim_hidden: 3 carry_state: true"), std::vector<Input>{{.shape = {2, 5}}});
  const Values x = RandomValues("x", 10);
  layer->SetInput(0, x);
  layer->BeginStep(0);
  layer->Forward(kTrain);
  const Values first = layer->Output();
  layer->SetInput(0, Values(10, std::numeric_limits<float>::quiet_NaN()));
  layer->Forward(kTrain);
  layer->SetInput(0, x);
  layer->Forward(kTrain);
  EXPECT_EQ(layer->Output(), first);
}

TEST_P(RecurrentLayerTest, RejectsImages) {
  EXPECT_CONFIG_ERROR_SAYS(Build(Gru("dim_hidden: 4"), {3, 1, 5, 5}), "srclayers",
                           "(rows, numbers), gives (3, 1, 5, 5)");
  EXPECT_CONFIG_ERROR(Build(Gru("dim_hidden: 4", 3), {3, 5}), "srclayers");
}

TEST_P(RecurrentLayerTest, RejectsAFirstStateOfAnotherShape) {
  EXPECT_CONFIG_ERROR_SAYS(Build(Gru("dim_hidden: 4"), std::vector<Shape>{{3, 5}, {3, 5}}),
                           "srclayers#1", "must have the shape (3, 4), has (3, 5)");
}

TEST_P(RecurrentLayerTest, RejectsThreeSources) {
  EXPECT_CONFIG_ERROR(Build(Gru("dim_hidden: 4"), std::vector<Shape>{{3, 5}, {3, 4}, {3, 4}}),
                      "srclayers#2");
}

TEST_P(RecurrentLayerTest, RejectsToCarryAStateThatIsGiven) {
  EXPECT_CONFIG_ERROR(
      Build(Gru("dim_hidden: 4 carry_state: true"), std::vector<Shape>{{3, 5}, {3, 4}}),
      "gru_conf.carry_state");
}

TEST_P(RecurrentLayerTest, RejectsAnInputOfAnotherStep) {
  EXPECT_CONFIG_ERROR(Build(Gru("dim_hidden: 4") + " shift: 1", {3, 5}), "shift");
}

}  // namespace
}  // namespace singa::recurrent
