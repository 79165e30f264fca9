#include <gtest/gtest.h>

#include <set>

#include "io/store/store.h"
#include "singa/base/error.h"

namespace singa {
namespace {

std::unique_ptr<Store> Open(std::vector<int64_t> shape, int64_t records, int64_t classes) {
  return OpenStore("synthetic",
                   {.shape = std::move(shape), .records = records, .classes = classes});
}

std::vector<uint8_t> Bytes(Store* store, int64_t index) {
  const Sample& sample = store->Read(index);
  return {sample.pixel.begin(), sample.pixel.end()};
}

TEST(SyntheticStore, HasRecordsOfTheShapeAskedFor) {
  const auto store = Open({3, 5, 7}, 12, 2);
  EXPECT_EQ(store->size(), 12);
  const Sample& sample = store->Read(11);
  EXPECT_EQ(sample.size(), 105);
  EXPECT_EQ(std::vector<int>(sample.shape.begin(), sample.shape.end()),
            (std::vector<int>{3, 5, 7}));
}

TEST(SyntheticStore, GivesTheSameRecordInAnyOrder) {
  const auto one = Open({40}, 100, 10), other = Open({40}, 100, 10);
  const std::vector<uint8_t> seventh = Bytes(one.get(), 7);
  const int32_t label = one->Read(7).label;
  EXPECT_NE(Bytes(one.get(), 8), seventh);
  EXPECT_EQ(Bytes(other.get(), 7), seventh);
  EXPECT_EQ(other->Read(7).label, label);
}

TEST(SyntheticStore, HasUniformBytesAndLabelsOfEveryClass) {
  const auto store = Open({1000}, 200, 4);
  std::set<int32_t> labels;
  double sum = 0;
  for (int64_t i = 0; i < 200; ++i) {
    const Sample& sample = store->Read(i);
    labels.insert(sample.label);
    for (uint8_t byte : sample.pixel) sum += byte;
  }
  EXPECT_EQ(labels, (std::set<int32_t>{0, 1, 2, 3}));
  EXPECT_NEAR(sum / 200'000, 127.5, 0.7);  // 4 standard errors of 74 / sqrt(200000)
}

TEST(SyntheticStore, NeedsAShape) { EXPECT_THROW(Open({}, 1, 1), ConfigError); }

}  // namespace
}  // namespace singa
