// Tests that predictions go on past bad records if the job says so.
#include "driver/predict/skipping_source.h"

#include <gtest/gtest.h>

#include "io/temp_dir.h"
#include "singa/base/error.h"

namespace singa::skipping_source {
namespace {

// The table has two numbers a record, and three bad lines.
class SkippingSourceTest : public testing::Test {
 protected:
  SkippingSourceTest() {
    options_.input.set_name("data");
    options_.input.set_type(kCSVInput);
    options_.shape = {2};
    options_.outputs = 2;
    options_.input.mutable_store_conf()->set_on_bad_record(StoreProto::kSkip);
  }
  // Returns the names and first numbers of all records, if `most` may be bad.
  std::string RecordsOf(const std::string& text, int64_t most) {
    BadRecordCount bad{.most = most};
    std::vector<std::string> warnings;
    const auto source =
        SkipBadRecords(OpenSource(dir_.Write("a.csv", text), options_, &warnings), &bad);
    std::string records;
    while (const Sample* const sample = source->Next()) {
      const std::string name = source->Name();
      records += StrCat(name.substr(name.rfind(':')), " ", sample->data[0], " ");
    }
    return records;
  }

  const TempDir dir_;
  SourceOptions options_;
};

TEST_F(SkippingSourceTest, BadRecordsAreLeftOutAndTheOthersKeepTheirNumbers) {
  EXPECT_EQ(RecordsOf("1,2\nx,3\n4,5,6\n7,8\n9\n", 3), ":0 1 :3 7 ");
}

TEST_F(SkippingSourceTest, TheFirstLineMayBeBad) {
  EXPECT_EQ(RecordsOf("x,2\n1,3\n", 1), ":1 1 ");
  EXPECT_EQ(RecordsOf("0,x,2\n1,5,3\n", 1), ":1 5 ");
}

TEST_F(SkippingSourceTest, MoreBadRecordsThanAreAllowedAreAnError) {
  EXPECT_ERROR(RecordsOf("1,2\nx,3\n4,5,6\n7,8\n", 1), kExitBadData,
               ":3: record 2: holds 3 numbers, the net takes 2: with it 2 records are bad; "
               "max_bad_records allows 1");
  EXPECT_ERROR(RecordsOf("1,2\nx,3\n", 0), kExitBadData, ":2: record 1: number 1 in column 1");
}

}  // namespace
}  // namespace singa::skipping_source
