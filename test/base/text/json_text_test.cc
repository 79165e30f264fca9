#include "base/text/json_text.h"

#include <gtest/gtest.h>

namespace singa {
namespace {

TEST(JsonTextTest, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(JsonText(nlohmann::json("a\xff"
                                    "b")),
            "\"a\xef\xbf\xbd"
            "b\"");
  EXPECT_EQ(ReplaceInvalidUtf8("\xc3\xa9\xc3"), "\xc3\xa9\xef\xbf\xbd");
  EXPECT_EQ(ReplaceInvalidUtf8("\"\\\n"), "\"\\\n");
}

TEST(JsonTextTest, KeepsTheOrderOfAnOrderedObject) {
  EXPECT_EQ(JsonText(nlohmann::ordered_json{{"b", 1}, {"a", 2}}), R"({"b":1,"a":2})");
  EXPECT_EQ(JsonText(nlohmann::json{{"b", 1}}, 1), "{\n \"b\": 1\n}");
}

TEST(JsonTextTest, ReadsOneValueAndNothingMore) {
  EXPECT_EQ(ParsedJson("[1,2]"), nlohmann::json({1, 2}));
  EXPECT_TRUE(ParsedJson("[1,2").is_discarded());
  EXPECT_TRUE(ParsedJson("1 2").is_discarded());
  EXPECT_TRUE(IsJson("{}"));
  EXPECT_FALSE(IsJson("{}}"));
}

}  // namespace
}  // namespace singa
