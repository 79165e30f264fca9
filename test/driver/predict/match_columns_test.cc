// Tests MatchColumns, which reads the columns of a table by the names of the training's columns.
#include "driver/predict/match_columns.h"

#include <gtest/gtest.h>

#include "io/temp_dir.h"
#include "singa/base/error.h"

namespace singa {
namespace match_columns {

using Names = std::vector<std::string>;
using Order = std::vector<int64_t>;

class MatchColumnsTest : public testing::Test {
 protected:
  MatchColumnsTest() : trained_{.names = {"id", "age", "rank", "city"}} {
    table_.has_label = true;
    table_.label_column = "rank";
    table_.columns = {{.name = "id", .leave_out = true}, {.name = "4", .words = {"Oslo", "Rome"}}};
  }
  bool Match(const Names& names) { return MatchColumns(trained_, names, "t.csv", &table_); }

  TrainedTable trained_;
  StoreOptions table_;
};

TEST_F(MatchColumnsTest, ReadsTheTrainingsColumnsInItsOrder) {
  ASSERT_TRUE(Match({"city", "rank", "id", "age"}));
  EXPECT_EQ(table_.column_order, (Order{3, 1, 0}));
  EXPECT_EQ(table_.label_column, "2");
  EXPECT_TRUE(table_.has_label);
  ASSERT_EQ(table_.columns.size(), 1);
  EXPECT_EQ(table_.columns[0].name, "1");
}

TEST_F(MatchColumnsTest, TheLabelAndColumnsThatAreLeftOutMayBeMissing) {
  ASSERT_TRUE(Match({"city", "age"}));
  EXPECT_EQ(table_.column_order, (Order{1, 0}));
  EXPECT_FALSE(table_.has_label);
}

TEST_F(MatchColumnsTest, ColumnsThatTrainingDoesNotKnowAreNotRead) {
  ASSERT_TRUE(Match({"age", "notes", "city", "notes"}));
  EXPECT_EQ(table_.column_order, (Order{0, 2}));
}

TEST_F(MatchColumnsTest, TableInTheOrderOfTrainingIsLeftAsItIs) {
  EXPECT_FALSE(Match({"id", "age", "rank", "city"}));
  EXPECT_FALSE(Match({"age", "city"}));
  EXPECT_TRUE(table_.column_order.empty());
  EXPECT_EQ(table_.columns.size(), 2);
}

TEST_F(MatchColumnsTest, ColumnsGoByPositionIfAnyIsUnknown) {
  EXPECT_FALSE(Match({"city", "years"}));
  EXPECT_FALSE(Match({"city", "age", "age"}));
  EXPECT_FALSE(Match({}));
  trained_.names = {"a", "a", "rank", "city"};
  EXPECT_FALSE(Match({"city", "a", "a"}));
  trained_.names.clear();
  EXPECT_FALSE(Match({"city", "age"}));
}

TEST_F(MatchColumnsTest, ATableWithTooFewColumnsIsAnError) {
  EXPECT_ERROR(Match({"age"}), kExitBadData, "t.csv: lacks columns of the training: \"city\"");
}

TEST_F(MatchColumnsTest, ATableThatLacksAColumnLeftOutByNumberIsAnError) {
  table_.columns[0].name = "1";
  EXPECT_ERROR(
      Match({"age", "city"}), kExitBadData,
      "t.csv: lacks column 1 of the training, \"id\". The job leaves it out by its number");
  EXPECT_TRUE(Match({"city", "age"}));
}

TEST_F(MatchColumnsTest, TargetsAreReadOnlyTogether) {
  table_.has_label = true;
  table_.targets = 2;
  table_.label_column = "age";
  StoreOptions apart = table_, turned = table_;
  ASSERT_TRUE(Match({"city", "age", "rank"}));
  EXPECT_EQ(table_.column_order, (Order{1, 2, 0}));
  EXPECT_EQ(table_.targets, 2);
  ASSERT_TRUE(MatchColumns(trained_, {"age", "city", "rank", "x"}, "t.csv", &apart));
  EXPECT_EQ(apart.column_order, (Order{1}));
  EXPECT_EQ(apart.targets, 0);
  ASSERT_TRUE(MatchColumns(trained_, {"x", "rank", "age", "city"}, "t.csv", &turned));
  EXPECT_EQ(turned.column_order, (Order{3}));
}

TEST_F(MatchColumnsTest, WhereNoColumnIsALabelAllAreData) {
  trained_ = {.names = {"a", "b"}, .labelled = false};
  table_ = {.has_label = false};
  ASSERT_TRUE(Match({"b", "a"}));
  EXPECT_EQ(table_.column_order, (Order{1, 0}));
}

}  // namespace match_columns
}  // namespace singa
