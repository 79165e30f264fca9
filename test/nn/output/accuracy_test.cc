#include <cmath>

#include "support/layer_test.h"

namespace singa {
namespace {

class AccuracyTest : public LayerTest {
 protected:
  static std::vector<Input> Sources(const Shape& shape, const Values& scores,
                                    const std::vector<int>& labels) {
    return {{.shape = shape, .data = scores}, {.shape = {shape[0], 1}, .labels = labels}};
  }
  double Accuracy(const std::string& conf, const std::vector<Input>& sources) {
    const auto layer = Build(conf, sources);
    layer->BeginStep(0);
    layer->Forward(kTest);
    return layer->metric("accuracy");
  }
};
SINGA_TEST_ON_ALL_DEVICES(AccuracyTest);

const Values kScores = {0.1f, 0.7f, 0.2f, 5, -3, 2};
const char* const kTop2 = "type: kAccuracy argsort_conf { topk: 2 }";

TEST_P(AccuracyTest, CountsLabelsAmongTheTopk) {
  EXPECT_EQ(Accuracy("type: kAccuracy", Sources({2, 3}, kScores, {1, 2})), 0.5);
  EXPECT_EQ(Accuracy(kTop2, Sources({2, 3}, kScores, {1, 2})), 1);
  EXPECT_EQ(Accuracy(kTop2, Sources({2, 3}, kScores, {0, 1})), 0);
}

TEST_P(AccuracyTest, ATestShowsTheAccuracyOfEachClass) {
  const std::string per_class = "type: kAccuracy argsort_conf { per_class: true } ";
  const std::vector<Input> sources =
      Sources({4, 3}, {0, 2, 1, 2, 0, 1, 0, 2, 1, 0, 1, 2}, {1, 1, 1, 2});
  const auto layer = Build(per_class + "include: kTest", sources);
  layer->BeginStep(0);
  layer->Forward(kTest);
  EXPECT_EQ(layer->metric("accuracy"), 0.75);
  EXPECT_EQ(layer->metric("accuracy_1"), 2. / 3);
  EXPECT_EQ(layer->metric("accuracy_2"), 1);
  EXPECT_TRUE(std::isnan(layer->metric("accuracy_0")));  // no row has the label 0
  EXPECT_EQ(Build(per_class, sources)->declare().declared().metrics.size(), 1u);
  EXPECT_CONFIG_ERROR_SAYS(Build(per_class, Sources({1, 101}, Values(101), {0})),
                           "argsort_conf.per_class", "at most 100 classes, the scores have 101");
}

TEST_P(AccuracyTest, FeatureIsTheTopkIndices) {
  ExpectNear(Feature(kTop2, Sources({2, 3}, kScores, {0, 0})), {1, 2, 0, 2}, 0);
}

TEST_P(AccuracyTest, OfEqualScoresTheLargerIndexWins) {
  EXPECT_EQ(Accuracy(kTop2, Sources({3, 3}, Values(9, 1.f), {0, 1, 2})), 2. / 3);
  ExpectNear(Feature(kTop2, Sources({1, 3}, Values(3, 1.f), {0})), {2, 1}, 0);
}

TEST_P(AccuracyTest, ClassesOfAnImageGoByItsLogicalOrder) {
  for (int label = 0; label < 6; ++label) {
    Values scores(6, 0.f);
    scores[label] = 1;
    EXPECT_EQ(Accuracy("type: kAccuracy", Sources({1, 3, 1, 2}, scores, {label})), 1);
  }
}

TEST_P(AccuracyTest, LabelOutsideTheClassesIsDamagedData) {
  EXPECT_THROW(Accuracy("type: kAccuracy", Sources({2, 3}, kScores, {0, 3})), Error);
}

TEST_P(AccuracyTest, RowsOfTheIgnoredLabelDoNotCount) {
  const char* const ignore = "type: kAccuracy argsort_conf { ignore_label: -1 }";
  EXPECT_EQ(Accuracy(ignore, Sources({2, 3}, kScores, {1, -1})), 1);
  EXPECT_EQ(Accuracy(ignore, Sources({2, 3}, kScores, {-1, 2})), 0);
  EXPECT_THROW(Accuracy(ignore, Sources({2, 3}, kScores, {1, -2})), Error);
}

TEST_P(AccuracyTest, RejectsTopkOutsideTheClasses) {
  for (int k : {0, 4})
    EXPECT_CONFIG_ERROR_SAYS(Build(StrCat("type: kAccuracy argsort_conf { topk: ", k, " }"),
                                   Sources({2, 3}, kScores, {0, 0})),
                             "argsort_conf.topk", "must be in [1, 3]");
}

TEST_P(AccuracyTest, RejectsSourcesWithoutLabels) {
  EXPECT_CONFIG_ERROR(Build("type: kAccuracy", Sources({2, 3}, kScores, {})), "srclayers#1");
  EXPECT_CONFIG_ERROR(Build("type: kAccuracy", {2, 3}), "srclayers");
}

}  // namespace
}  // namespace singa
