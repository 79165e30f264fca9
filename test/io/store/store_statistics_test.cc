#include "io/store/store_statistics.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace singa::store_statistics
