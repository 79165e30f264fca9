#include <cmath>
#include <set>

#include "singa/nn/layer.h"
#include "support/layer_test.h"

namespace singa {
class SampleTest : public LayerTest {
 protected:
  // Returns the share of each index among rows of the same probabilities.
  Values Shares(const std::string& conf, const Values& p) {
    const int64_t rows = 20000, d = static_cast<int64_t>(p.size());
    Values x, shares;
    std::vector<int> count(p.size());
    for (int64_t r = 0; r < rows; ++r) x.insert(x.end(), p.begin(), p.end());
    for (float index : Feature(conf, {rows, d}, x)) {
      EXPECT_TRUE(index >= 0 && index < static_cast<float>(d) && index == std::floor(index));
      ++count[static_cast<size_t>(index)];
    }
    for (int rows_of : count) shares.push_back(static_cast<float>(rows_of) / rows);
    return shares;
  }
};
SINGA_TEST_ON_ALL_DEVICES(SampleTest);

TEST_P(SampleTest, DrawsEachIndexByItsProbability) {
  // Three standard deviations of a share are at most 0.011.
  ExpectNear(Shares("type: kSample", {0.5f, 0, 0.2f, 0.3f}), {0.5f, 0, 0.2f, 0.3f}, 0.011);
}

TEST_P(SampleTest, ATemperatureSharpensOrFlattens) {
  const double a = std::pow(0.8, 2), b = std::pow(0.2, 2), c = std::sqrt(0.8), d = std::sqrt(0.2);
  ExpectNear(Shares("type: kSample sample_conf { temperature: 0.5 }", {0.8f, 0.2f}),
             {static_cast<float>(a / (a + b)), static_cast<float>(b / (a + b))}, 0.011);
  ExpectNear(Shares("type: kSample sample_conf { temperature: 2 }", {0.8f, 0.2f}),
             {static_cast<float>(c / (c + d)), static_cast<float>(d / (c + d))}, 0.011);
  ExpectNear(Shares("type: kSample sample_conf { temperature: 1e-4 }", {0.4f, 0.6f}), {0, 1}, 0);
}

TEST_P(SampleTest, RefusesWhatIsNoProbability) {
  EXPECT_CONFIG_ERROR_SAYS(Feature("name: \"s\" type: kSample", {2, 2}, {0.5f, 0.5f, 1.5f, -0.5f}),
                           "srclayers", "row 1 adds up to 1 and holds -0.5");
  EXPECT_CONFIG_ERROR_SAYS(Feature("type: kSample", {1, 3}, {0, 0, 0}), "srclayers",
                           "row 0 adds up to 0");
  EXPECT_CONFIG_ERROR_SAYS(Feature("type: kSample", {1, 4}, {0.5f, 0.5f, 0.5f, 0.5f}), "srclayers",
                           "row 0 adds up to 2");
  EXPECT_THROW(Feature("type: kSample", {1, 2}, {NAN, 1}), DivergedError);
}

TEST_P(SampleTest, StepsAndBatchesDrawNumbersOfTheirOwn) {
  const int64_t d = 100000;
  std::set<float> seen;
  for (int64_t t = 0; t < 3; ++t) {  // each time step has its own node
    const auto layer =
        Build("name: \"s\" type: kSample", {{.shape = {2, d},
                                             .data = Values(2 * d, 1.f / d),
                                             .span = {.rows = 2, .batch = 2, .first_step = t}}});
    layer->BeginStep(0);
    for (int batch = 0; batch < 3; ++batch) {
      layer->Forward(kTest);
      for (float index : layer->Output()) seen.insert(index);
    }
  }
  EXPECT_EQ(seen.size(), 18u);
}

TEST_P(SampleTest, RejectsATemperatureOfNothing) {
  for (const char* value : {"0", "-1", "inf", "nan", "1e-45"})
    EXPECT_CONFIG_ERROR(
        Build(StrCat("type: kSample sample_conf { temperature: ", value, " }"), {1, 2}),
        "sample_conf.temperature");
}
}  // namespace singa
