// Tests the samples of a PNG as they are stored. image_decoder_test.cc compares whole pictures with
// golden numbers.
#include "io/picture/png_decoder.h"

#include <gtest/gtest.h>

#include "io/png_files.h"
#include "io/refusal.h"

namespace singa::png_decoder {
namespace {

using Bytes = std::vector<uint8_t>;
using Words = std::vector<uint16_t>;

Raster Decode(const std::string& file) {
  Raster raster;
  DecodePng(BytesOf(file), &raster);
  return raster;
}
// Returns the text of the error.
std::string Refusal(const std::string& file) {
  return RefusalOf([&] { Decode(file); });
}

TEST(PngDecoder, AFileIsKnownByItsFirstEightBytes) {
  const std::string file = PngOf({.rows = {0, 1}});
  EXPECT_TRUE(IsPng(BytesOf(file)));
  EXPECT_TRUE(IsPng(BytesOf(file.substr(0, 8))));
  EXPECT_FALSE(IsPng(BytesOf(file.substr(0, 7))));
  EXPECT_FALSE(IsPng(BytesOf("\x88" + file.substr(1))));
}

TEST(PngDecoder, SamplesOfAPixelAreSideBySide) {
  const Raster raster =
      Decode(PngOf({.width = 2, .colours = kColour, .rows = {0, 1, 2, 3, 4, 5, 6}}));
  EXPECT_EQ(raster.height, 1);
  EXPECT_EQ(raster.width, 2);
  EXPECT_EQ(raster.channels, 3);
  EXPECT_EQ(raster.bytes, (Bytes{1, 2, 3, 4, 5, 6}));
  EXPECT_TRUE(raster.words.empty());
  EXPECT_EQ(raster.orientation, 1);
}

TEST(PngDecoder, SixteenBitsAreWords) {
  const Raster raster =
      Decode(PngOf({.width = 2, .bits = 16, .rows = {0, 0x12, 0x34, 0xff, 0xfe}}));
  EXPECT_EQ(raster.channels, 1);
  EXPECT_EQ(raster.words, (Words{0x1234, 0xfffe}));
  EXPECT_TRUE(raster.bytes.empty());
}

TEST(PngDecoder, ARasterIsUsedAgain) {
  Raster raster;
  DecodePng(
      BytesOf(PngOf(
          {.width = 2, .bits = 16, .rows = {0, 1, 2, 3, 4}, .before = Chunk("eXIf", Exif(6))})),
      &raster);
  EXPECT_EQ(raster.orientation, 6);
  DecodePng(BytesOf(PngOf({.rows = {0, 9}})), &raster);
  EXPECT_EQ(raster.width, 1);
  EXPECT_EQ(raster.bytes, Bytes{9});
  EXPECT_TRUE(raster.words.empty());
  EXPECT_EQ(raster.orientation, 1);
}

TEST(PngDecoder, ChunksThatNobodyKnowsAreSkipped) {
  const std::string before = Chunk("teXt", "words") + Chunk("abCd", std::string(1000, 'x'));
  EXPECT_EQ(Decode(PngOf({.rows = {0, 9}, .before = before})).bytes, Bytes{9});
}

TEST(PngDecoder, AFileThatIsCutOffIsDamaged) {
  const std::string file = PngOf({.rows = {0, 1}});
  EXPECT_EQ(Refusal(file.substr(0, file.size() - 1)), "damaged PNG: cut off");
  EXPECT_EQ(Refusal(file.substr(0, 20)), "damaged PNG: cut off");
}

// libpng itself refuses a width of 0.
TEST(PngDecoder, APictureHasASizeThatItsBytesCanHold) {
  EXPECT_NE(Refusal(PngOf({.width = 0, .rows = {0}})), "");
  const std::string large = Refusal(PngOf({.width = 8000, .height = 8000, .rows = {0}}));
  EXPECT_NE(large.find("8000 x 8000"), std::string::npos) << large;
  EXPECT_NE(Refusal(PngOf({.width = 70'000, .height = 70'000, .rows = {0}})), "");
}

}  // namespace
}  // namespace singa::png_decoder
