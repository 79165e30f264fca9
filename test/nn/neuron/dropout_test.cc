#include <algorithm>
#include <cmath>

#include "support/layer_test.h"

namespace singa {
namespace {

class DropoutTest : public LayerTest {
 protected:
  // Returns the mask of the rows of `span`, 5 units each, at `step`.
  Values Mask(const RowSpan& span, int64_t step = 0, const std::string& name = "drop",
              int worker_group = 0) {
    const int64_t rows = span.rows * span.steps;
    return Feature(StrCat("name: \"", name, "\" type: kDropout"),
                   {{.shape = {rows, 5}, .data = Values(rows * 5, 1.f), .span = span}},
                   {.step = step, .worker_group = worker_group});
  }
};
SINGA_TEST_ON_ALL_DEVICES(DropoutTest);

Values Joined(Values a, const Values& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST_P(DropoutTest, DropsItsShareAndScalesTheRest) {
  const int64_t n = 100000;
  const Values y =
      Feature("type: kDropout dropout_conf { dropout_ratio: 0.3 }", {100, n / 100}, Values(n, 2.f));
  const auto dropped = static_cast<double>(std::count(y.begin(), y.end(), 0.f));
  EXPECT_NEAR(dropped / n, 0.3, 5 * std::sqrt(0.3 * 0.7 / n));  // five standard deviations
  EXPECT_FLOAT_EQ(*std::max_element(y.begin(), y.end()), 2 / 0.7f);
  EXPECT_EQ(std::count(y.begin(), y.end(), *std::max_element(y.begin(), y.end())), n - dropped);
}

TEST_P(DropoutTest, IsIdentityOutsideTraining) {
  ExpectNear(Feature("type: kDropout", {2, 2}, {1, -2, 3, 4}, {.phase = kTest}), {1, -2, 3, 4}, 0);
  ExpectGradient("type: kDropout", {4, 9}, {.phase = kTest});
}

TEST_P(DropoutTest, IsIdentityWithRatioZero) {
  const char* const conf = "type: kDropout dropout_conf { dropout_ratio: 0 }";
  ExpectNear(Feature(conf, {2, 2}, {1, -2, 3, 4}), {1, -2, 3, 4}, 0);
  ExpectGradient(conf, {4, 9});
}

TEST_P(DropoutTest, GradientMatchesDifferences) {
  ExpectGradient("type: kDropout", {1, 1});
  ExpectGradient("type: kDropout dropout_conf { dropout_ratio: 0.3 }", {3, 4, 3, 5});
}

TEST_P(DropoutTest, MaskChangesWithStepNameAndWorkerGroup) {
  const RowSpan span = {0, 8, 8};
  EXPECT_EQ(Mask(span), Mask(span));
  EXPECT_NE(Mask(span), Mask(span, 1));
  EXPECT_NE(Mask(span), Mask(span, 0, "other"));
  EXPECT_NE(Mask(span), Mask(span, 0, "drop", 1));
  EXPECT_NE(Mask(span, 0, "drop", 1), Mask(span, 0, "drop", 2));
}

TEST_P(DropoutTest, MaskBelongsToGlobalRows) {
  EXPECT_EQ(Mask({.rows = 7, .batch = 7}),
            Joined(Mask({.rows = 3, .batch = 7}), Mask({.first = 3, .rows = 4, .batch = 7})));
}

TEST_P(DropoutTest, MaskOfFoldedStepsIsThatOfEachStep) {
  Values steps;
  for (int t = 0; t < 3; ++t)
    steps = Joined(steps, Mask({.first = 1, .rows = 2, .batch = 4, .first_step = t}));
  EXPECT_EQ(Mask({.first = 1, .rows = 2, .batch = 4, .steps = 3}), steps);
}

TEST_P(DropoutTest, RejectsRatioOutsideZeroToOne) {
  EXPECT_CONFIG_ERROR_SAYS(Build("type: kDropout dropout_conf { dropout_ratio: 1.5 }", {1, 2}),
                           "dropout_conf.dropout_ratio", "must be in [0, 1), is 1.5");
  for (const char* ratio : {"1", "-0.1", "nan"})
    EXPECT_CONFIG_ERROR(
        Build(StrCat("type: kDropout dropout_conf { dropout_ratio: ", ratio, " }"), {1, 2}),
        "dropout_conf.dropout_ratio");
}

}  // namespace
}  // namespace singa
