#include "driver/board/row_outline.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace singa {
namespace {

TEST(RowOutlineTest, ReadsARowOfTraining) {
  const auto head = ReadRowOutline(
      R"({"time":1700000000.5,"phase":"train","step":40,"group":1,"layer":"lo\"ss","loss":2.5,)"
      R"("bytes_sent":1024.0,"staleness":[1,0,3]})");
  ASSERT_TRUE(head);
  EXPECT_EQ(head->phase, "train");
  EXPECT_EQ(head->layer, "lo\\\"ss");
  EXPECT_EQ(head->step, 40);
  EXPECT_EQ(head->group, 1);
  EXPECT_EQ(head->rank, -1);
  EXPECT_EQ(head->loss, 2.5f);
  EXPECT_EQ(head->bytes_sent, 1024);
}

TEST(RowOutlineTest, ReadsARowOfAProcessWithBlanks) {
  const auto head =
      ReadRowOutline(R"( { "phase" : "process" , "step" : 7, "rank": 3.0, "bytes_received": 5 } )");
  ASSERT_TRUE(head);
  EXPECT_EQ(head->rank, 3);
  EXPECT_EQ(head->bytes_received, 5);
  EXPECT_TRUE(std::isnan(head->loss));
}

TEST(RowOutlineTest, ALossThatIsNotFiniteIsNone) {
  const auto head = ReadRowOutline(R"({"phase":"train","step":1,"loss":"nan"})");
  ASSERT_TRUE(head);
  EXPECT_TRUE(std::isnan(head->loss));
}

TEST(RowOutlineTest, RefusesValuesThatAreNestedDeeply) {
  const auto row = [](size_t depth) {
    return "{\"phase\":\"train\",\"step\":1,\"x\":" + std::string(depth, '[') +
           std::string(depth, ']') + "}";
  };
  EXPECT_TRUE(ReadRowOutline(row(8)));
  EXPECT_FALSE(ReadRowOutline(row(9)));
}

TEST(RowOutlineTest, RefusesLinesThatAreNoRows) {
  for (const char* line :
       {"", "{", "{}", "[]", "null", R"({"phase":"train","step":1)",
        R"({"phase":"train","step":1} 2)", R"({"phase":"train","step":"1"})",
        R"({"phase":"train"})", R"({"step":1})", R"({"phase":"train","step":1,"x":[1})",
        R"({"phase":"train","step":1,"x":"\)", R"({"phase":"train" "step":1})",
        R"({"phase":"train","step":})"})
    EXPECT_FALSE(ReadRowOutline(line)) << line;
}

}  // namespace
}  // namespace singa
