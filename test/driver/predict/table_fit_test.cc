// Tests FitTable, which adapts settings to tables with and without a label.
#include "driver/predict/table_fit.h"

#include <gtest/gtest.h>

namespace singa {
namespace {

using Words = std::vector<std::string>;

// Columns of a training table: 1 the id, 2 the label, 3 words, 4 and 5 numbers.
StoreOptions ByNumber() {
  return {.label_column = "2",
          .columns = {{.name = "1", .leave_out = true},
                      {.name = "3", .words = {"a", "b", "c"}},
                      {.name = "5", .missing = 1.f}}};
}

Words NamesOf(const StoreOptions& options) {
  Words names;
  for (const TableColumn& column : options.columns) names.push_back(column.name);
  return names;
}

TEST(FitTableTest, ColumnsBehindAMissingLabelGetOtherNumbers) {
  StoreOptions with = ByNumber(), without = ByNumber();
  EXPECT_TRUE(FitTable({}, {5}, 5, &with));
  EXPECT_EQ(NamesOf(with), (Words{"1", "3", "5"}));
  EXPECT_FALSE(FitTable({}, {4}, 5, &without));
  EXPECT_EQ(NamesOf(without), (Words{"1", "2", "4"}));
}

TEST(FitTableTest, TargetsAreSeveralColumns) {
  StoreOptions table = {.targets = 2, .columns = {{.name = "4", .missing = 1.f}}};
  EXPECT_TRUE(FitTable({}, {5}, 3, &table));
  EXPECT_EQ(table.targets, 2);
  EXPECT_FALSE(FitTable({}, {3}, 3, &table));
  EXPECT_EQ(table.targets, 0);
  EXPECT_EQ(NamesOf(table), Words{"2"});
}

TEST(FitTableTest, AColumnThatIsLeftOutMayBeMissing) {
  StoreOptions table = {
      .label_column = "rank",
      .columns = {{.name = "id", .leave_out = true}, {.name = "city", .words = {"a", "b"}}}};
  StoreOptions other = table;
  EXPECT_TRUE(FitTable({"age", "city", "rank"}, {}, 3, &table));
  EXPECT_EQ(NamesOf(table), Words{"city"});
  EXPECT_FALSE(FitTable({"id", "age", "city"}, {}, 3, &other));
  EXPECT_EQ(NamesOf(other), (Words{"id", "city"}));
}

TEST(FitTableTest, NoColumnMovesWhereOthersHaveNumbers) {
  StoreOptions table = {
      .columns = {{.name = "id", .leave_out = true}, {.name = "4", .missing = 1.f}}};
  EXPECT_FALSE(FitTable({"2019", "n"}, {}, 2, &table));
  EXPECT_EQ(NamesOf(table), (Words{"id", "3"}));  // no header has an "id": an error follows
}

TEST(FitTableTest, ASeparatorAtTheEndBeginsADescribedColumnAlone) {
  StoreOptions first = {.columns = {{.name = "2", .missing = 1.f}}};
  StoreOptions last = {.columns = {{.name = "3", .missing = 1.f}}};
  EXPECT_TRUE(FitTable({}, {.columns = 3, .open = true}, 2, &first));
  EXPECT_FALSE(FitTable({}, {.columns = 2, .open = true}, 2, &first));
  EXPECT_TRUE(FitTable({}, {.columns = 2, .open = true}, 2, &last));
  EXPECT_FALSE(FitTable({}, {.columns = 1, .open = true}, 2, &last));
}

TEST(FitTableTest, LabelsThatNobodyWantsAreLeftOut) {
  StoreOptions wanted = {.has_label = true}, unwanted = {.has_label = false};
  EXPECT_TRUE(FitTable({}, {4}, 3, &wanted));
  EXPECT_TRUE(FitTable({}, {4}, 3, &unwanted));
  EXPECT_EQ(wanted.label_fields, LabelFields::kMayBeEmpty);
  EXPECT_EQ(unwanted.label_fields, LabelFields::kLeftOut);
  EXPECT_TRUE(wanted.has_label && unwanted.has_label);
  EXPECT_FALSE(FitTable({}, {3}, 3, &wanted));
  EXPECT_FALSE(wanted.has_label);
}

}  // namespace
}  // namespace singa
