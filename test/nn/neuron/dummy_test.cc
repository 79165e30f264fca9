#include <algorithm>

#include "support/layer_test.h"

namespace singa {
namespace {

class DummyTest : public LayerTest {
 protected:
  Values Draw(const std::string& conf, int64_t step = 0) {
    return Feature(conf, std::vector<Input>{}, {.step = step});
  }
};
SINGA_TEST_ON_ALL_DEVICES(DummyTest);

const char* const kInput = "type: kDummy dummy_conf { input: true shape: 5 shape: 6 }";

void ExpectUnitInterval(const Values& values) {
  for (float value : values) EXPECT_TRUE(value >= 0 && value < 1) << value;
  EXPECT_GT(*std::max_element(values.begin(), values.end()), 0.5f);
}

TEST_P(DummyTest, CopiesFeatureAndGradient) {
  const RunResult run = Gradients("type: kDummy", {2, 2}, {1, -2, 3, 4}, {5, 6, 7, 8});
  EXPECT_EQ(run.outputs[0], Values({1, -2, 3, 4}));
  EXPECT_EQ(run.input_grads[0], Values({5, 6, 7, 8}));
  ExpectGradient("type: kDummy", {2, 3, 2, 2});
}

TEST_P(DummyTest, InputDrawsNewNumbersEachStep) {
  EXPECT_EQ(Build(kInput, std::vector<Input>{})->output_shape(), Shape({5, 6}));
  ExpectUnitInterval(Draw(kInput));
  EXPECT_EQ(Draw(kInput), Draw(kInput));
  EXPECT_NE(Draw(kInput), Draw(kInput, 1));
}

TEST_P(DummyTest, InputsOfTwoWorkersAreTheRowsOfOne) {
  Values rows = Draw(StrCat(kInput, " partition_dim: 0 num_partitions: 2 partition_id: 0"));
  const Values more = Draw(StrCat(kInput, " partition_dim: 0 num_partitions: 2 partition_id: 1"));
  EXPECT_EQ(rows.size(), 12u);
  rows.insert(rows.end(), more.begin(), more.end());
  EXPECT_EQ(rows, Draw(kInput));
}

TEST_P(DummyTest, OutputDrawsItsGradient) {
  const std::vector<Input> source = {{.shape = {2, 20}, .data = Values(40, 3.f)}};
  const RunResult run = Gradients("type: kDummy dummy_conf { output: true }", source, {});
  EXPECT_EQ(run.outputs[0], Values(40, 3.f));
  ExpectUnitInterval(run.input_grads[0]);
}

TEST_P(DummyTest, RejectsInputWithoutShape) {
  EXPECT_CONFIG_ERROR(Build("type: kDummy dummy_conf { input: true }", std::vector<Input>{}),
                      "dummy_conf.shape");
  EXPECT_CONFIG_ERROR(
      Build("type: kDummy dummy_conf { input: true shape: 0 }", std::vector<Input>{}),
      "dummy_conf.shape");
}

TEST_P(DummyTest, RejectsInputWithSource) {
  EXPECT_CONFIG_ERROR(Build(kInput, {2, 2}), "srclayers");
}

TEST_P(DummyTest, RejectsMoreWorkersThanRows) {
  EXPECT_CONFIG_ERROR(
      Build(StrCat(kInput, " partition_dim: 0 num_partitions: 6"), std::vector<Input>{}),
      "dummy_conf.shape");
}

}  // namespace
}  // namespace singa
