#include <gtest/gtest.h>

#include "io/store/store.h"
#include "io/temp_dir.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// Returns a record whose pixels count up from `first`.
std::string Record(char label, char first) {
  std::string bytes(1, label);
  for (int i = 0; i < 3072; ++i) bytes += static_cast<char>(first + i);
  return bytes;
}

class Cifar10StoreTest : public ::testing::Test {
 protected:
  std::unique_ptr<Store> Open(const std::string& path) {
    return OpenStore("cifar10", {.path = path});
  }
  TempDir dir_;
};

TEST_F(Cifar10StoreTest, ReadsOneFile) {
  const auto store = Open(dir_.Write("test_batch.bin", Record(3, 1) + Record(9, 5)));
  ASSERT_EQ(store->size(), 2);
  const Sample& sample = store->Read(1);
  EXPECT_EQ(sample.label, 9);
  EXPECT_EQ(sample.pixel.size(), 3072u);
  EXPECT_EQ(sample.pixel[0], 5);
  EXPECT_EQ(std::vector<int>(sample.shape.begin(), sample.shape.end()),
            (std::vector<int>{3, 32, 32}));
}

TEST_F(Cifar10StoreTest, ReadsTheTrainingBatchesOfAFolderByName) {
  dir_.Write("data_batch_2.bin", Record(2, 0));
  dir_.Write("data_batch_1.bin", Record(0, 0) + Record(1, 0));
  dir_.Write("test_batch.bin", Record(7, 0));
  const auto store = Open(dir_.Path(""));
  ASSERT_EQ(store->size(), 3);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(store->Read(i).label, i);
  EXPECT_NE(store->Where(2).find("data_batch_2.bin: record 0"), std::string::npos);
}

TEST_F(Cifar10StoreTest, RefusesWhatIsNoBatch) {
  EXPECT_THROW(Open(dir_.Write("a", "")), DataError);
  EXPECT_THROW(Open(dir_.Write("b", Record(1, 0) + "x")), DataError);
  EXPECT_THROW(Open(dir_.Path("missing")), FileError);
  EXPECT_THROW(Open(dir_.Path("")), FileError);  // no data_batch*.bin
  EXPECT_THROW(Open(dir_.Write("c", Record(10, 0)))->Read(0), DataError);
}

}  // namespace
}  // namespace singa
