// Tests the traits of kinds of stores before a store is opened.
#include <gtest/gtest.h>

#include "io/store/store.h"
#include "io/temp_dir.h"

namespace singa {
namespace {

TEST(StoreTraits, SayWhereLabelsAre) {
  EXPECT_TRUE(TraitsOf("idx").label_file);
  EXPECT_FALSE(TraitsOf("kvfile").label_file);
}

TEST(StoreTraits, SayWhetherRecordsMayBeImageFiles) {
  EXPECT_EQ(TraitsOf("kvfile").encoded, Encoded::kAsSaid);
  EXPECT_EQ(TraitsOf("imagefolder").encoded, Encoded::kIgnored);
  EXPECT_EQ(TraitsOf("cifar10").encoded, Encoded::kRefused);
}

TEST(StoreTraits, SayWhetherClassesAreFolders) {
  EXPECT_TRUE(TraitsOf("imagefolder").class_folders);
  EXPECT_TRUE(TraitsOf("imagelist").picture_files);
  EXPECT_FALSE(TraitsOf("imagelist").class_folders);
}

TEST(StoreTraits, OfAnUnknownNameAreTheDefaults) {
  EXPECT_FALSE(TraitsOf("").any_format);
  EXPECT_FALSE(TraitsOf("none").no_file);
}

TEST(StoreTraits, SayWhetherAStoreIsIndexedAtOnce) {
  TempDir dir;
  EXPECT_EQ(TraitsOf("idx").is_quick("images"), true);
  EXPECT_EQ(TraitsOf("idx").is_quick("images.gz"), std::nullopt);  // this depends on its bytes
  EXPECT_EQ(TraitsOf("imagefolder").is_quick(dir.Path("")), true);
  EXPECT_EQ(TraitsOf("imagefolder").is_quick(dir.Path("pictures.tar")), std::nullopt);
  EXPECT_EQ(TraitsOf("kvfile").is_quick, nullptr);
}

}  // namespace
}  // namespace singa
