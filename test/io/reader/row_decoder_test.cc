#include "io/reader/row_decoder.h"

#include <gtest/gtest.h>

#include <cmath>

#include "io/store_files.h"
#include "io/temp_dir.h"
#include "singa/base/error.h"

namespace singa {
namespace {

class RowDecoderTest : public ::testing::Test {
 protected:
  // Returns the row made from the pixels 0, 1, 2, ...
  std::vector<float> Decode(const std::vector<int64_t>& shape, const Normalisation& norm) {
    int64_t n = 1;
    for (int64_t d : shape) n *= d;
    std::string pixel;
    for (int64_t i = 0; i < n; ++i) pixel += static_cast<char>(i);
    const StoreOptions options{.path = dir_.Write("store", Tuple("k", Pixels(0, pixel)))};
    const RowDecoder decoder(shape, norm, "kvfile", options);
    const auto store = OpenStore("kvfile", options);
    std::vector<float> row(n);
    decoder.Decode(store->Read(0), *store, 0, row.data());
    return row;
  }
  std::string FloatFile(const std::string& name, const std::vector<float>& data) {
    return dir_.Write(name, Tuple(name, Floats(data)));
  }

  TempDir dir_;
};

TEST_F(RowDecoderTest, SubtractsTheMeanThenDivides) {
  EXPECT_EQ(Decode({4}, {.mean_value = 1, .std_value = 2}), (std::vector<float>{-.5f, 0, .5f, 1}));
}

TEST_F(RowDecoderTest, FilesWinOverValues) {
  const Normalisation norm{9, 9, FloatFile("mean", {1, 1, 2, 2}), FloatFile("std", {1, 2, 4, 8})};
  EXPECT_EQ(Decode({4}, norm), (std::vector<float>{-1, 0, 0, .125f}));
}

TEST_F(RowDecoderTest, StoresColoursChannelsLast) {
  EXPECT_EQ(Decode({3, 1, 2}, {}), (std::vector<float>{0, 2, 4, 1, 3, 5}));
  EXPECT_EQ(Decode({1, 2, 2}, {}), (std::vector<float>{0, 1, 2, 3}));
  EXPECT_EQ(Decode({2, 3}, {}), (std::vector<float>{0, 1, 2, 3, 4, 5}));
}

TEST_F(RowDecoderTest, ChannelsAreNormalisedAfterAllNumbers) {
  const Normalisation norm = {
      .mean_value = 1, .std_value = 2, .channel_mean = {0, 1, 2}, .channel_std = {1, .5f, .25f}};
  // (x - 1) / 2 of 0 to 5 is -.5, 0, .5, 1, 1.5, 2; two numbers a channel
  EXPECT_EQ(Decode({3, 1, 2}, norm), (std::vector<float>{-.5f, -1, -2, 0, 0, 0}));
  EXPECT_EQ(Decode({3, 2}, norm), (std::vector<float>{-.5f, 0, -1, 0, -2, 0}));
  EXPECT_EQ(Decode({3}, norm), (std::vector<float>{-.5f, -2, -6}));
  EXPECT_EQ(Decode({1, 1, 2}, {.channel_mean = {1}}), (std::vector<float>{-1, 0}));
}

TEST_F(RowDecoderTest, AMeanFileHasNoTargets) {
  StoreOptions options = {.path = dir_.Write("lines", "9,1,2\n"), .format = ValueFormat::kCsv};
  options.targets = 1;
  const RowDecoder decoder({2}, {.mean_file = dir_.Write("mean", "1,1\n")}, "textfile", options);
  EXPECT_EQ(decoder.mean(), (std::vector<float>{1, 1}));
}

TEST_F(RowDecoderTest, ReadsMeanFilesPlanarToo) {
  EXPECT_EQ(Decode({3, 1, 2}, {.mean_file = FloatFile("mean", {0, 0, 1, 1, 2, 2})}),
            (std::vector<float>{0, 1, 2, 1, 2, 3}));
}

TEST_F(RowDecoderTest, RefusesMeansAndDeviationsThatAreNotFinite) {
  const std::string file = FloatFile("norm", {1, 2, 3, std::nanf("")});
  EXPECT_ERROR(Decode({4}, {.mean_file = file}), kExitBadData, file, "record 0", "number 4 is nan");
  EXPECT_ERROR(Decode({4}, {.std_file = file}), kExitBadData, file, "record 0", "number 4 is nan");
}

TEST_F(RowDecoderTest, RefusesAPictureThatIsTurned) {
  const StoreOptions options{.path = dir_.Write("store", Tuple("k", Pixels(0, "abcdef")))};
  const RowDecoder decoder({1, 2, 3}, {}, "kvfile", options);
  const auto store = OpenStore("kvfile", options);
  const std::array<int32_t, 3> turned = {1, 3, 2};
  Sample sample = store->Read(0);
  sample.shape = turned;
  float row[6];
  decoder.Decode(sample, *store, 0, row);  // reads numbers, even if the record has pixels
  sample.decoded = true;
  EXPECT_ERROR(decoder.Decode(sample, *store, 0, row), kExitBadData, "store",
               "is a picture of 2 x 3 pixels, the shape says 3 x 2; set short_side: 3 to scale "
               "pictures");
}

TEST_F(RowDecoderTest, RefusesAMeanOfAnotherSize) {
  const std::string mean = FloatFile("mean", {1, 2});
  EXPECT_ERROR(Decode({4}, {.mean_file = mean}), kExitBadData, mean, "record 0", "2 numbers");
}

TEST_F(RowDecoderTest, RefusesAStdWithAZero) {
  const std::string file = FloatFile("std", {1, 2, 0, 1});
  EXPECT_ERROR(Decode({4}, {.std_file = file}), kExitBadData, file, "zero");
}

TEST_F(RowDecoderTest, ReadsTheMeanOfCsvFromALineWithoutLabel) {
  StoreOptions options{.path = dir_.Write("a", "7,1,2\n"), .format = ValueFormat::kCsv};
  const RowDecoder decoder({2}, {.mean_file = dir_.Write("mean", "1,1\n")}, "textfile", options);
  const auto store = OpenStore("textfile", options);
  float row[2];
  decoder.Decode(store->Read(0), *store, 0, row);
  EXPECT_EQ(row[1], 1);
}

}  // namespace
}  // namespace singa
