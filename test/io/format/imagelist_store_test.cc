// Tests backend "imagelist": pictures that a text names.
#include <gtest/gtest.h>

#include <filesystem>

#include "io/image_files.h"
#include "io/store/store.h"
#include "io/temp_dir.h"
#include "singa/base/error.h"

namespace singa {
namespace {

class ImageListStoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(dir_.Path("set/a b"));
    dir_.Write("set/a b/1.png", Png(3, 2, {1, 2, 3}));
    dir_.Write("set/2.jpg", Jpeg(5, 4, {250, 10, 20}));
  }
  StoreOptions List(const std::string& lines) const {
    return {.path = dir_.Write("set/list.txt", lines)};
  }
  static std::unique_ptr<Store> Open(const StoreOptions& options) {
    return OpenStore("imagelist", options);
  }

  const TempDir dir_;
};

TEST_F(ImageListStoreTest, ReadsPicturesBesideTheList) {
  const auto store =
      Open(List("\xEF\xBB\xBF"
                "a b/1.png 7\r\n\n2.jpg 0\na b/1.png 2"));
  ASSERT_EQ(store->size(), 3);
  const Sample& png = store->Read(0);
  EXPECT_EQ(png.label, 7);
  EXPECT_TRUE(png.decoded);
  EXPECT_EQ(std::vector<int>(png.shape.begin(), png.shape.end()), (std::vector<int>{3, 2, 3}));
  EXPECT_EQ(png.pixel[6], 2);
  EXPECT_EQ(store->Read(1).label, 0);
  EXPECT_EQ(store->Read(1).size(), 3 * 4 * 5);
  EXPECT_EQ(store->Read(2).label, 2);  // a picture may be listed twice
  EXPECT_TRUE(store->classes().empty());
}

TEST_F(ImageListStoreTest, FindsPicturesBelowTheRoot) {
  const std::string list = dir_.Write("list.txt", "/2.jpg 1\n");
  EXPECT_EQ(Open({.path = list, .root_folder = dir_.Path("set")})->Read(0).label, 1);
  EXPECT_ERROR(Open({.path = list})->Read(0), kExitBadData, "/2.jpg: No such file or directory");
  dir_.Write("list.txt", dir_.Path("set/2.jpg") + " 1\n");
  EXPECT_EQ(Open({.path = list})->Read(0).label, 1);
}

TEST_F(ImageListStoreTest, GivesTargets) {
  StoreOptions options = List("2.jpg 1 0 0.5\n");
  options.targets = 3;
  options.has_label = false;
  const auto store = Open(options);
  const Sample& sample = store->Read(0);
  EXPECT_EQ(std::vector<float>(sample.targets.begin(), sample.targets.end()),
            (std::vector<float>{1, 0, 0.5}));
  EXPECT_FALSE(sample.has_label());
}

TEST_F(ImageListStoreTest, GivesFilesAsTheyAre) {
  StoreOptions options = List("2.jpg 1\n");
  options.raw_files = true;
  const auto store = Open(options);
  EXPECT_FALSE(store->Read(0).decoded);
  EXPECT_EQ(store->Read(0).pixel[0], 0xFF);
  EXPECT_EQ(store->Read(0).label, 1);
}

TEST_F(ImageListStoreTest, NamesListLineAndPicture) {
  dir_.Write("set/3.png", "GIF89a");
  const auto store = Open(List("\n2.jpg 1\n3.png 1\nnone.png 1\n2.jpg\na b 1\n"));
  EXPECT_ERROR(store->Read(1), kExitBadData, "list.txt:3: ", "set/3.png: ");
  EXPECT_ERROR(store->Read(2), kExitBadData,
               "list.txt:4: ", "set/none.png: No such file or directory");
  EXPECT_ERROR(store->Read(3), kExitBadData, "list.txt:5: record 3: has no label");
  EXPECT_ERROR(store->Read(4), kExitBadData, "set/a b: is a folder, not a file");  // a folder
  EXPECT_EQ(store->NameOf(2), dir_.Path("set/none.png"));
  EXPECT_EQ(store->NameOf(3), dir_.Path("set/list.txt") + ":3");
}

TEST_F(ImageListStoreTest, AdvisesTargetsForALineOfSeveralLabels) {
  EXPECT_ERROR(Open(List("a b/1.png 0 1\n"))->Read(0), kExitBadData,
               "set/a b/1.png 0: No such file or directory; a line has one label, or num_targets");
}

TEST_F(ImageListStoreTest, KnowsTheRangeOfItsLabels) {
  const LabelRange labels = Open(List("x.png 3\nbad\ny.png -1\nz.png 8\n"))->Labels();
  EXPECT_EQ(labels.least, -1);
  EXPECT_EQ(labels.of_least, 2);
  EXPECT_EQ(labels.greatest, 8);
  EXPECT_EQ(labels.of_greatest, 3);
}

TEST_F(ImageListStoreTest, RefusesAListWithoutALine) {
  EXPECT_ERROR(Open(List("\n \n")), kExitBadData, "list.txt: names no picture");
  EXPECT_ERROR(Open({.path = dir_.Path("none")}), kExitNoInput, "none");
}

}  // namespace
}  // namespace singa
