// Tests words that stand as labels in lines of text.
#include "io/table/class_words.h"

#include <gtest/gtest.h>

#include <limits>

#include "io/image_files.h"
#include "io/refusal.h"
#include "io/store/store.h"
#include "io/temp_dir.h"
#include "singa/base/error.h"

namespace singa {
namespace {

using Words = std::vector<std::string>;

constexpr int64_t kAll = std::numeric_limits<int64_t>::max();

class ClassWordsTest : public ::testing::Test {
 protected:
  std::unique_ptr<Store> Table(const std::string& text, StoreOptions options = {}) const {
    options.path = dir_.Write("a.csv", text);
    options.format = ValueFormat::kCsv;
    return OpenStore("textfile", options);
  }
  std::unique_ptr<Store> List(const std::string& text, StoreOptions options = {}) const {
    options.path = dir_.Write("a.txt", text);
    return OpenStore("imagelist", options);
  }

  const TempDir dir_;
  const StoreOptions flowers_ = {.header = true, .label_column = "kind"};
};

TEST_F(ClassWordsTest, ALabelIsThePlaceOfItsWord) {
  StoreOptions options = flowers_;
  options.class_names = {"setosa", "5\" lily", "n/a", "7"};
  const auto store = Table("width,kind\n1,7\n2, setosa \n3,\"5\"\" lily\"\n4,\"n/a\"\n", options);
  std::vector<int32_t> labels;
  for (int64_t i = 0; i < store->size(); ++i) labels.push_back(store->Read(i).label);
  EXPECT_EQ(labels, (std::vector<int32_t>{3, 0, 1, 2}));
  EXPECT_EQ(store->classes(), options.class_names);
  EXPECT_EQ(store->Labels().greatest, 3);
}

TEST_F(ClassWordsTest, AnUnknownWordIsAnErrorWithThoseAllowed) {
  StoreOptions options = flowers_;
  options.class_names = {"setosa", "versicolor"};
  EXPECT_ERROR(Table("width,kind\n1,setosa\n2,setsoa\n", options)->Read(1), kExitBadData,
               "a.csv:3: record 1: the label in column 2 (\"kind\") must be one of class_names, "
               "\"setosa\", \"versicolor\", is \"setsoa\"; did you mean \"setosa\"?");
  EXPECT_ERROR(Table("width,kind\n1,0\n", options)->Read(0), kExitBadData, "is \"0\"");
  EXPECT_ERROR(Table("1.5,setosa\n", {.class_names = {"setosa"}})->Read(0), kExitBadData,
               "the label is the first field of a line, and here it seems to be the last: then set "
               "label_column: \"2\"");
}

TEST_F(ClassWordsTest, ALongListIsCut) {
  Words words;
  for (int i = 0; i < 20; ++i) words.push_back(StrCat("w", i));
  const std::string text = ClassWords(words).NoWordText("the label", std::string(5000, 'x'));
  EXPECT_TRUE(text.starts_with("the label must be one of class_names, \"w0\", ")) << text;
  EXPECT_NE(text.find("\"w7\" and 12 more, is \"xxx"), std::string::npos) << text;
  EXPECT_LT(text.size(), 300u);
}

TEST_F(ClassWordsTest, OnlyTheFirstOfManyErrorsTakeTimeForASuggestion) {
  const ClassWords words({"setosa"});
  const std::string first = words.NoWordText("the label", "setsoa");
  std::string last;
  for (int i = 0; i < 100; ++i) last = words.NoWordText("the label", "setsoa");
  EXPECT_TRUE(first.ends_with("is \"setsoa\"; did you mean \"setosa\"?")) << first;
  EXPECT_TRUE(last.ends_with("is \"setsoa\"")) << last;
}

TEST_F(ClassWordsTest, AnEmptyLabelMayBeNone) {
  StoreOptions options = flowers_;
  options.class_names = {"setosa"};
  options.label_fields = LabelFields::kMayBeEmpty;
  EXPECT_FALSE(Table("width,kind\n1,\n", options)->Read(0).has_label());
}

TEST_F(ClassWordsTest, AWordWithoutClassNamesShowsThoseOfTheFirstRecords) {
  EXPECT_ERROR(Table("width,kind\n1,dog\n2,\"a \"\"cat\"\"\"\n3,dog\n", flowers_)->Read(0),
               kExitBadData,
               "is \"dog\"; write classes as numbers from 0, or set class_names; the words of all "
               "records are class_names: [\"a \\\"cat\\\"\", \"dog\"]");
  EXPECT_ERROR(Table("1.5,dog\n2,cat\n3.5,dog\n")->Read(2), kExitBadData,
               "then set label_column: \"2\" and class_names; the words of all records are "
               "class_names: [\"cat\", \"dog\"]");
  const auto either = Table("x,2,dog\n1.5,2,cat\n");
  EXPECT_ERROR(either->Read(0), kExitBadData, "or set class_names");
  EXPECT_ERROR(either->Read(1), kExitBadData, "are class_names: [\"cat\", \"dog\"]");
  std::string lines;
  for (int i = 0; i < 2000; ++i) lines += i < 1500 ? "dog,1\n" : "cat,1\n";
  EXPECT_ERROR(Table(lines)->Read(0), kExitBadData,
               "the words of the first 1000 records are class_names: [\"dog\"]");
}

TEST_F(ClassWordsTest, ManyWordsAreNotShown) {
  std::string lines;
  for (int i = 0; i < 1001; ++i) lines += StrCat("w", i, ",1\n");
  EXPECT_TRUE(Table(lines)->WordsOfLabels(kAll).words.empty());
  EXPECT_EQ(Table(lines)->WordsOfLabels(1000).words.size(), 1000u);
  try {
    Table(lines)->Read(0);
    FAIL() << "a word is no integer";
  } catch (const DataError& error) {
    EXPECT_TRUE(std::string(error.what()).ends_with(", or set class_names")) << error.what();
  }
}

TEST_F(ClassWordsTest, AColumnWithANumberHasNoWords) {
  EXPECT_TRUE(Table("1,2\ndog,3\n")->WordsOfLabels(kAll).words.empty());
  EXPECT_TRUE(Table("NA,2\n7,3\n")->WordsOfLabels(kAll).words.empty());
  EXPECT_TRUE(Table("K\xe4se,2\n")->WordsOfLabels(kAll).words.empty());  // Latin-1
  EXPECT_TRUE(Table("1.5,dog\n")->WordsOfLabels(kAll).words.empty());    // not the label's column
  EXPECT_TRUE(Table("kind,width\ndog,1\n")->WordsOfLabels(kAll).words.empty());  // a header
  const LabelWords found = Table("dog,2\ncat,3\n,4\n")->WordsOfLabels(kAll);
  EXPECT_EQ(found.words, (Words{"cat", "dog"}));
  EXPECT_TRUE(found.all);
}

TEST_F(ClassWordsTest, ALineOfAnImageListEndsInAWord) {
  dir_.Write("a b.png", Png(1, 1, {1, 2, 3}));
  const auto store = List("a b.png dog\na b.png cat\n", {.class_names = {"cat", "dog"}});
  EXPECT_EQ(store->Read(0).label, 1);
  EXPECT_EQ(store->classes(), (Words{"cat", "dog"}));
  EXPECT_ERROR(List("a b.png cow\n", {.class_names = {"cat"}})->Read(0), kExitBadData,
               "the label behind the name must be one of class_names, \"cat\", is \"cow\"");
  EXPECT_ERROR(List("a b.png dog\na b.png cat\n")->Read(1), kExitBadData,
               "is \"cat\"; write classes as numbers from 0, or set class_names; the words of all "
               "records are class_names: [\"cat\", \"dog\"]");
  EXPECT_EQ(List("a b.png dog\n")->WordsOfLabels(kAll).words, Words{"dog"});
}

}  // namespace
}  // namespace singa
