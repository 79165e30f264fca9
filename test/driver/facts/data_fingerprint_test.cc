// Tests that other data has another fingerprint.
#include "driver/facts/data_fingerprint.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "io/temp_dir.h"

namespace singa::data_fingerprint {
namespace {

namespace fs = std::filesystem;

class DataFingerprintTest : public ::testing::Test {
 protected:
  void Write(const std::string& name, const std::string& text) {
    const fs::path path = dir_.Path(name);
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }
  uint32_t Of(const std::string& name) const { return DataFingerprint(dir_.Path(name)); }

  const TempDir dir_;
};

TEST_F(DataFingerprintTest, FilesDifferByTheirFirstBytesOrSize) {
  const std::string head(1 << 16, 'x');
  Write("one", head + "abc");
  Write("same", head + "xyz");
  Write("longer", head + "abcd");
  Write("other", "y" + head + "ab");
  EXPECT_EQ(Of("one"), Of("same")) << "only the first bytes are read";
  EXPECT_NE(Of("one"), Of("longer"));
  EXPECT_NE(Of("one"), Of("other"));
}

TEST_F(DataFingerprintTest, FoldersDifferByTheNamesAndSizesOfTheirFiles) {
  for (const std::string folder : {"one", "same", "renamed", "longer"}) {
    Write(folder + "/cats/1.jpg", "abc");
    Write(folder + "/dogs/2.jpg", "abcd");
  }
  EXPECT_NE(Of("one"), 0u);
  EXPECT_EQ(Of("one"), Of("same"));
  EXPECT_EQ(Of("one"), Of("one/")) << "a slash at the end does not count";
  fs::rename(dir_.Path("renamed/dogs"), dir_.Path("renamed/cows"));
  EXPECT_NE(Of("one"), Of("renamed"));
  Write("longer/cats/1.jpg", "abcd");
  EXPECT_NE(Of("one"), Of("longer"));
}

TEST_F(DataFingerprintTest, TheLockOfADatabaseDoesNotCount) {
  Write("read/data.mdb", "abc");
  Write("read/lock.mdb", "abc");
  Write("new/data.mdb", "abc");
  EXPECT_EQ(Of("read"), Of("new"));
}

TEST_F(DataFingerprintTest, WhatIsMissingOrNoFileHasNone) {
  EXPECT_EQ(Of("missing"), 0u);
  EXPECT_EQ(DataFingerprint("/dev/null"), 0u);
}

}  // namespace
}  // namespace singa::data_fingerprint
