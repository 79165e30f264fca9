#include "support/layer_test.h"

namespace singa {
namespace {

class RnnLabelTest : public LayerTest {};
SINGA_TEST_ON_ALL_DEVICES(RnnLabelTest);

TEST_P(RnnLabelTest, GivesItsSourcesNumbersAsLabels) {
  const auto layer = Build("type: kRNNLabel", {{.shape = {3}, .data = {4, 0, 100}}});
  layer->BeginStep(0);
  layer->Forward(kTrain);
  EXPECT_EQ(layer->Output(), (Values{4, 0, 100}));
  const int32_t* label = layer->out(0).label.as<int32_t>();
  EXPECT_EQ(std::vector<int>(label, label + 3), (std::vector<int>{4, 0, 100}));
}

TEST_P(RnnLabelTest, ReadsTheNextTimeStepForItsOwn) {
  const auto layer =
      Build("type: kRNNLabel",
            {{.shape = {2}, .span = {.rows = 2, .batch = 2, .first_step = 5, .steps = 1}}});
  EXPECT_EQ(layer->wiring().step_shift, 1);
  EXPECT_TRUE(layer->wiring().row_wise);
  EXPECT_EQ(layer->out(0).span.first_step, 4);
}

TEST_P(RnnLabelTest, RejectsRowsOfSeveralNumbers) {
  EXPECT_CONFIG_ERROR(Build("type: kRNNLabel", {2, 3}), "srclayers");
}

}  // namespace
}  // namespace singa
