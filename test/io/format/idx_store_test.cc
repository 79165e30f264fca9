#include "io/format/idx_store.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>

#include "io/store_files.h"
#include "io/temp_dir.h"
#include "singa/base/error.h"

namespace singa {
namespace {

class IdxStore : public ::testing::Test {
 protected:
  std::unique_ptr<Store> Open(const std::string& images, const std::string& labels) {
    return OpenStore(
        "idx", {.path = dir_.Write("images", images), .label_path = dir_.Write("labels", labels)});
  }

  TempDir dir_;
  const std::string images_ = Idx({3, 2, 2}, "abcdefghijkl");
  const std::string labels_ = Idx({3}, std::string("\x07\x00\x09", 3));
};

TEST_F(IdxStore, ReadsImagesAndLabels) {
  const auto store = Open(images_, labels_);
  ASSERT_EQ(store->size(), 3);
  const Sample& last = store->Read(2);
  EXPECT_EQ(last.pixel[0], 'i');
  EXPECT_EQ(last.label, 9);
  EXPECT_EQ(last.shape.size(), 2u);
  EXPECT_EQ(store->Read(0).label, 7);
}

TEST_F(IdxStore, KnowsGzipByContent) {
  const auto store = Open(Gzip(images_), Gzip(labels_));
  EXPECT_EQ(store->Read(1).pixel[3], 'h');
  EXPECT_EQ(store->Read(2).label, 9);
}

TEST_F(IdxStore, RefusesAFileCutAnywhere) {
  for (size_t n = 0; n < images_.size(); ++n)
    EXPECT_ERROR(Open(images_.substr(0, n), labels_), kExitBadData, dir_.Path("images"));
  for (size_t n = 0; n < labels_.size(); ++n)
    EXPECT_ERROR(Open(images_, labels_.substr(0, n)), kExitBadData, dir_.Path("labels"));
}

TEST_F(IdxStore, RefusesAGzipFileCutAnywhere) {
  const std::string gz = Gzip(images_);
  for (size_t n = 0; n < gz.size(); ++n)
    EXPECT_ERROR(Open(gz.substr(0, n), labels_), kExitBadData, dir_.Path("images"));
}

TEST_F(IdxStore, RefusesADamagedGzipFile) {
  const std::string gz = Gzip(images_);
  const size_t padded = gz.size() - 9;  // the byte before the checksum has unused bits
  for (size_t i = 10; i < gz.size(); ++i) {
    if (i == padded) continue;
    std::string damaged = gz;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    EXPECT_ERROR(Open(damaged, labels_), kExitBadData, dir_.Path("images"));
  }
}

TEST_F(IdxStore, RefusesBytesBeyondTheHeadersCount) {
  EXPECT_ERROR(Open(images_ + "x", labels_), kExitBadData, "has 29 bytes", "says 28");
  EXPECT_ERROR(Open(Gzip(images_ + "x"), labels_), kExitBadData, "more bytes");
  EXPECT_ERROR(Open(images_, Gzip(labels_ + "xyz")), kExitBadData, "more bytes");
}

TEST_F(IdxStore, RefusesWhatIsNoIdx) {
  EXPECT_ERROR(Open("P5 28 28 255 and so on", labels_), kExitBadData, "no IDX file");
  std::string floats = images_;
  floats[2] = 13;
  EXPECT_ERROR(Open(floats, labels_), kExitBadData, "type 13");
  std::string rank = images_;
  rank[3] = 9;
  EXPECT_ERROR(Open(rank, labels_), kExitBadData, "rank");
  EXPECT_ERROR(Open(labels_, labels_), kExitBadData, "labels, not images");
  EXPECT_ERROR(Open(images_, images_), kExitBadData, "labels must have the IDX rank 1");
  EXPECT_ERROR(Open(Idx({0, 2, 2}, ""), labels_), kExitBadData, "dimension 0");
}

TEST_F(IdxStore, AllocatesNothingForSizesThatCannotBe) {
  EXPECT_ERROR(Open(Idx({0x7fffffff, 0x7fff, 0x7fff}, "abc"), labels_), kExitBadData,
               "header says");
  EXPECT_ERROR(Open(Idx({0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff}, "abc"), labels_),
               kExitBadData, "2 GiB");
  EXPECT_ERROR(Open(Gzip(Idx({0x7fffffff, 0x7fff, 0x7fff}, "abc")), labels_), kExitBadData,
               "cannot be in");
}

TEST_F(IdxStore, HoldsNoMoreThanFourGigabytesOfAGzip) {
  std::string noise(5'000'000, '\0');
  uint32_t state = 1;
  for (char& byte : noise) byte = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  EXPECT_ERROR(Open(Gzip(Idx({5000, 1000, 1000}, noise)), labels_), kExitBadData,
               "5000000016 bytes", "at most 4294967296");
}

TEST_F(IdxStore, WantsAsManyLabelsAsImages) {
  EXPECT_ERROR(Open(images_, Idx({2}, "ab")), kExitBadData, dir_.Path("labels"), "2 labels",
               "3 images");
}

TEST_F(IdxStore, NeedsNoLabelsWhereThereAreNone) {
  const auto store = OpenStore("idx", {.path = dir_.Write("images", images_), .has_label = false});
  EXPECT_FALSE(store->Read(0).has_label());
}

TEST_F(IdxStore, NamesTheMissingFile) {
  EXPECT_ERROR(OpenStore("idx", {.path = dir_.Path("none"), .label_path = "x"}), kExitNoInput,
               dir_.Path("none"));
}

TEST_F(IdxStore, ReadsMnist) {
  const char* data = std::getenv("SINGA_DATA");
  if (!data) GTEST_SKIP() << "SINGA_DATA is not set: MNIST is not tested";
  const std::string mnist = std::string(data) + "/mnist/";
  const auto start = std::chrono::steady_clock::now();
  const auto store = OpenStore("idx", {.path = mnist + "train-images-idx3-ubyte.gz",
                                       .label_path = mnist + "train-labels-idx1-ubyte.gz"});
  const std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - start;
  RecordProperty("open_ms", std::to_string(ms.count()));
  ASSERT_EQ(store->size(), 60000);
  EXPECT_EQ(store->Read(0).label, 5);
  EXPECT_EQ(store->Read(59999).label, 8);
  EXPECT_EQ(store->Read(0).pixel.size(), 784u);
}

}  // namespace
}  // namespace singa
