#include "driver/workspace/progress_line.h"

#include <gtest/gtest.h>

namespace singa {
namespace {

const std::vector<LineField> kFields = {{"", "[##]", 1},          {" ", "20/100", 4},
                                        {" ", "0:12 left", 2},    {", ", "900 samples/s", 0},
                                        {", ", "loss 0.1234", 5}, {", ", "accuracy 0.9800", 3},
                                        {", ", "top5 0.9900", 3}};

TEST(ProgressLine, ShowsAllWhereThereIsRoom) {
  EXPECT_EQ(FitLine(kFields, 79),
            "[##] 20/100 0:12 left, 900 samples/s, loss 0.1234, accuracy 0.9800, top5 0.9900");
}

TEST(ProgressLine, LeavesOutWholeFieldsOfTheLowestRankFirst) {
  EXPECT_EQ(FitLine(kFields, 78),
            "[##] 20/100 0:12 left, loss 0.1234, accuracy 0.9800, top5 0.9900");
  EXPECT_EQ(FitLine(kFields, 63), "20/100 0:12 left, loss 0.1234, accuracy 0.9800, top5 0.9900");
  EXPECT_EQ(FitLine(kFields, 40), "20/100, loss 0.1234, accuracy 0.9800");
  EXPECT_EQ(FitLine(kFields, 20), "20/100, loss 0.1234");
  EXPECT_EQ(FitLine(kFields, 15), "loss 0.1234");
  EXPECT_EQ(FitLine(kFields, 10), "");
}

TEST(ProgressLine, CountsCharactersNotBytes) {
  EXPECT_EQ(FitLine({{"", "\xc3\xa4\xc3\xb6", 0}}, 2), "\xc3\xa4\xc3\xb6");
}

}  // namespace
}  // namespace singa
