// Tests the warnings of words that a table has, and the job does not list.
#include "driver/predict/unknown_words.h"

#include <gtest/gtest.h>

#include "io/temp_dir.h"
#include "support/heard_log.h"

namespace singa::unknown_words {
namespace {

class UnknownWordsTest : public testing::Test {
 protected:
  UnknownWordsTest() {
    options_.input.set_name("data");
    options_.input.set_type(kCSVInput);
    options_.shape = {3};
    options_.labels = false;
    options_.backend = "textfile";
    StoreProto* const store = options_.input.mutable_store_conf();
    ColumnProto* const city = store->add_columns();
    city->set_name("1");
    city->add_words("Oslo");
    city->add_words("Rome");
  }
  // Reads all records of a table with words in column 1.
  void Read(const std::string& text) {
    std::vector<std::string> warnings;
    const std::string path = dir_.Write("a.csv", text);
    const auto source = WarnOfUnknownWords(OpenSource(path, options_, &warnings));
    while (source->Next()) continue;
  }

  const HeardLog log_;
  const TempDir dir_;
  SourceOptions options_;
};

TEST_F(UnknownWordsTest, OneWarningNamesTheFirstWordOfAColumnAndCountsAll) {
  Read("Rome,2\nBern,3\nOslo,4\nLima,5\n");
  EXPECT_TRUE(
      log_.Has("a.csv:2: record 1: the word in column 1 is \"Bern\", which the job does not list: "
               "it is read as a gap; the column has 2 such words"));
  EXPECT_FALSE(log_.Has("Lima"));
}

TEST_F(UnknownWordsTest, ListedWordsAndGapsDrawNoWarning) {
  Read("Rome,2\n,3\nOslo,4\n");
  EXPECT_FALSE(log_.Has("does not list"));
}

}  // namespace
}  // namespace singa::unknown_words
