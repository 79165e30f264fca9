#include <cmath>

#include "io/temp_dir.h"
#include "support/layer_test.h"

namespace singa {
namespace {

class OneHotTest : public LayerTest {
 protected:
  Values OneHot(const Values& indices, const std::string& more = "") {
    return Feature("type: kOneHot onehot_conf { vocab_size: 4 } " + more,
                   Shape({static_cast<int64_t>(indices.size())}), indices);
  }
};
SINGA_TEST_ON_ALL_DEVICES(OneHotTest);

TEST_P(OneHotTest, SetsOneOfEachRow) {
  EXPECT_EQ(OneHot({2, 0, 3}), (Values{0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 1}));
}

TEST_P(OneHotTest, ARowOfPaddingIsZero) {
  EXPECT_EQ(OneHot({-1, 1}), (Values{0, 0, 0, 0, 0, 1, 0, 0}));
}

TEST_P(OneHotTest, TakesIndicesInAColumn) {
  EXPECT_EQ(
      Feature("type: kOneHot onehot_conf { vocab_size: 2 }", {{.shape = {2, 1}, .data = {1, 0}}}),
      (Values{0, 1, 1, 0}));
}

TEST_P(OneHotTest, IsTheSameOnAllThreads) {
  Values indices;
  for (int i = 0; i < 3000; ++i) indices.push_back(static_cast<float>(i * 7 % 101));
  const std::string conf = "type: kOneHot onehot_conf { vocab_size: 101 }";
  const Values one = Feature(conf, Shape({3000}), indices);
  ctx_.threads = 4;
  const Values four = Feature(conf, Shape({3000}), indices);
  EXPECT_EQ(one, four);
  for (int i = 0; i < 3000; ++i) EXPECT_EQ(four[i * 101 + i * 7 % 101], 1) << i;
}

TEST_P(OneHotTest, CutsTheUnits) {
  const std::string part = "partition_dim: 1 num_partitions: 3 partition_id: ";  // of 1, 1, 2 units
  EXPECT_EQ(OneHot({0, 1, 3}, part + "0"), (Values{1, 0, 0}));
  EXPECT_EQ(OneHot({0, 1, 3}, part + "1"), (Values{0, 1, 0}));
  EXPECT_EQ(OneHot({0, 1, 3}, part + "2"), (Values{0, 0, 0, 0, 0, 1}));
}

TEST_P(OneHotTest, AnIndexOutsideIsBadData) {
  EXPECT_ERROR(OneHot({0, 4}), kExitBadData,
               "the index is 4, layer \"layer\" allows 0 to 3 and, for padding, -1");
  EXPECT_ERROR(OneHot({-2}), kExitBadData, "the index is -2");
  EXPECT_ERROR(OneHot({0.5f}), kExitBadData, "the index is 0.5");
  EXPECT_ERROR(OneHot({-0.5f}), kExitBadData, "the index is -0.5");
  EXPECT_ERROR(OneHot({std::nanf("")}), kExitBadData, "nan");
  EXPECT_ERROR(OneHot({1e30f}), kExitBadData, "1e+30");
  EXPECT_ERROR(OneHot({-INFINITY}), kExitBadData, "-inf");
}

TEST_P(OneHotTest, RejectsMistakes) {
  EXPECT_CONFIG_ERROR(Build("type: kOneHot", Shape({2})), "onehot_conf.vocab_size");
  EXPECT_CONFIG_ERROR(Build("type: kOneHot onehot_conf { vocab_size: 16777217 }", Shape({2})),
                      "onehot_conf.vocab_size");
  EXPECT_CONFIG_ERROR_SAYS(Build("type: kOneHot onehot_conf { vocab_size: 3 }", {2, 3}),
                           "srclayers", "(2, 3)");
}

}  // namespace
}  // namespace singa
