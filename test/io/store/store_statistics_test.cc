#include "io/store/store_statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "io/image_files.h"
#include "io/store_files.h"
#include "io/temp_dir.h"

namespace singa::store_statistics {
namespace {

class StoreStatisticsTest : public ::testing::Test {
 protected:
  // Returns the line of the records' shapes.
  static std::string ShapeOf(const std::string& backend, const std::string& path) {
    std::stringstream text;
    text << Measure(OpenStore(backend, {.path = path}).get());
    std::string line;
    while (std::getline(text, line) && !line.starts_with("shape ")) continue;
    return line;
  }
  // Returns the line for a store of the two records.
  std::string ShapeOfTwo(const std::string& first, const std::string& second) {
    return ShapeOf("kvfile", dir_.Write("two", Tuple("a", first) + Tuple("b", second)));
  }

  TempDir dir_;
};

TEST_F(StoreStatisticsTest, PicturesOfOneSizeHaveAShape) {
  WriteTar(dir_.Path("pictures"),
           {{"a/1.png", Png(2, 3, {1, 2, 3})}, {"a/2.png", Png(2, 3, {4, 5, 6})}});
  EXPECT_EQ(ShapeOf("imagefolder", dir_.Path("pictures")), "shape    3, 3, 2");
}

TEST_F(StoreStatisticsTest, LabelsOfClassFoldersHaveTheirNames) {
  WriteTar(dir_.Path("pictures"),
           {{"cat/1.png", Png(1, 1, {1, 2, 3})}, {"dog/2.png", Png(1, 1, {4, 5, 6})}});
  std::ostringstream text;
  text << Measure(OpenStore("imagefolder", {.path = dir_.Path("pictures")}).get());
  EXPECT_TRUE(text.str().ends_with(
      "\nlabel    records  class\n0        1        cat\n1        1        dog\n"))
      << text.str();
}

TEST_F(StoreStatisticsTest, PicturesOfSeveralSizesHaveARangeOfEachSide) {
  WriteTar(dir_.Path("pictures"), {{"a/1.png", Png(4, 2, {1, 2, 3})},
                                   {"a/2.png", Png(7, 1, {1, 2, 3})},
                                   {"b/3.png", Png(5, 6, {1, 2, 3})}});
  EXPECT_EQ(ShapeOf("imagefolder", dir_.Path("pictures")),
            "shape    3 channels, sizes from 4 x 1 to 7 x 6 pixels");
}

TEST_F(StoreStatisticsTest, OtherRecordsHaveARangeOfTheirShapes) {
  EXPECT_EQ(ShapeOfTwo(Pixels(0, "abcd", {1, 4}), Pixels(0, "abcdef", {3, 2})),
            "shape    from 1, 2 to 3, 4");
}

TEST_F(StoreStatisticsTest, ShapesOfUnlikeNumbersOfSidesHaveNoRange) {
  const std::string flat = Pixels(0, "abcd", {4}), square = Pixels(0, "abcd", {2, 2});
  const std::string none = Pixels(0, "abcd");
  EXPECT_EQ(ShapeOfTwo(flat, square), "shape    not one for all records");
  EXPECT_EQ(ShapeOfTwo(flat, none), "shape    not one for all records");
  EXPECT_EQ(ShapeOfTwo(none, square), "shape    not one for all records");
  EXPECT_EQ(ShapeOfTwo(none, none), "shape    not given");
}

// Returns the lines between the statistics of all numbers and those of labels.
std::string ChannelsOf(const std::string& backend, const StoreOptions& options) {
  std::stringstream text;
  text << Measure(OpenStore(backend, options).get());
  const std::string all = text.str();
  const size_t begin = all.find("\n\n", all.find("\nstd ")) + 2;
  const size_t end = all.find("\nlabel ");
  return begin < end ? all.substr(begin, end - begin) : "";
}

TEST_F(StoreStatisticsTest, ColumnsHaveRowsAndFieldsToPaste) {
  const std::string table = dir_.Write("a.csv", "x,class,\"y, z\"\n1,0,5\n3,1,5\n");
  EXPECT_EQ(ChannelsOf("textfile", {.path = table, .header = true, .label_column = "class"}),
            "channel  min              max              mean             std\n"
            "0        1                3                2                1                x\n"
            "1        5                5                5                0                y, z\n\n"
            "channel_mean: [2, 5]\nchannel_std: [1, 1]\n");
}

TEST_F(StoreStatisticsTest, ALongNameOfAColumnIsCutBetweenCharacters) {
  std::string name, cut;  // of characters of two bytes
  for (int i = 0; i < 30; ++i) name += "\u00e9";
  for (int i = 0; i < 18; ++i) cut += "\u00e9";
  const std::string table = dir_.Write("a.csv", name + ",class\n1,0\n3,1\n");
  const std::string channels =
      ChannelsOf("textfile", {.path = table, .header = true, .label_column = "class"});
  EXPECT_NE(channels.find(" " + cut + "...\n"), std::string::npos) << channels;
}

TEST_F(StoreStatisticsTest, PicturesHaveARowForEachColour) {
  WriteTar(dir_.Path("pictures"),
           {{"a/1.png", Png(2, 3, {1, 2, 3})}, {"b/2.png", Png(1, 6, {3, 6, 3})}});
  const std::string channels = ChannelsOf("imagefolder", {.path = dir_.Path("pictures")});
  EXPECT_NE(channels.find("channel_mean: [2, 4, 3]\nchannel_std: [1, 2, 1]\n"), std::string::npos)
      << channels;
}

TEST_F(StoreStatisticsTest, AWideTableHasRowsForItsFirstAndLastColumns) {
  std::string line = "0";
  for (int i = 0; i < 101; ++i) line += "," + std::to_string(i);
  const std::string channels = ChannelsOf("textfile", {.path = dir_.Write("wide", line + "\n")});
  EXPECT_EQ(std::count(channels.begin(), channels.end(), '\n'), 1 + 8 + 1 + 8);
  EXPECT_NE(channels.find("\n... 85 more channels\n93 "), std::string::npos) << channels;
}

TEST_F(StoreStatisticsTest, RecordsOfSeveralSizesHaveNoChannels) {
  const std::string path =
      dir_.Write("two", Tuple("a", Pixels(0, "abcd")) + Tuple("b", Pixels(0, "ab")));
  EXPECT_EQ(ChannelsOf("kvfile", {.path = path}), "");
}

}  // namespace
}  // namespace singa::store_statistics
