#include "io/picture/bmp_decoder.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "io/refusal.h"

namespace singa::bmp_decoder {
namespace {

using Bytes = std::vector<uint8_t>;

std::string Little(uint32_t number, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(number >> 8 * i);
  return text;
}

struct BmpFile {
  int32_t width = 1, height = 1;
  uint32_t bits = 24, compression = 0, header = 40, colours = 0;
  Bytes middle = {};  // masks or palette
  Bytes rows = {};    // each filled up to 4 bytes
};

std::string BmpOf(const BmpFile& file) {
  const auto pixels_at = static_cast<uint32_t>(14 + file.header + file.middle.size());
  std::string text = "BM" + Little(0, 4) + Little(0, 4) + Little(pixels_at, 4) +
                     Little(file.header, 4) + Little(static_cast<uint32_t>(file.width), 4) +
                     Little(static_cast<uint32_t>(file.height), 4) + Little(1, 2) +
                     Little(file.bits, 2) + Little(file.compression, 4) + Little(0, 4) +
                     Little(0, 4) + Little(0, 4) + Little(file.colours, 4) + Little(0, 4);
  text.resize(14 + file.header);
  text.append(file.middle.begin(), file.middle.end());
  return text.append(file.rows.begin(), file.rows.end());
}

Raster Decode(const std::string& file) {
  Raster raster;
  DecodeBmp(BytesOf(file), &raster);
  return raster;
}
std::string Refusal(const std::string& file) {
  return RefusalOf([&] { Decode(file); });
}

const Bytes kMasks = {0, 0, 0xff, 0, 0, 0xff, 0, 0, 0xff, 0, 0, 0};  // of red, green and blue

TEST(BmpDecoder, AFileIsKnownByItsHeaders) {
  const std::string file = BmpOf({.rows = {1, 2, 3, 0}});
  EXPECT_TRUE(IsBmp(BytesOf(file.substr(0, 18))));
  EXPECT_FALSE(IsBmp(BytesOf(file.substr(0, 17))));
  EXPECT_FALSE(IsBmp(BytesOf("BMW is the name of a firm")));
}

TEST(BmpDecoder, TheLastRowComesFirstAndBlueBeforeRed) {
  const Raster raster = Decode(BmpOf(
      {.width = 2, .height = 2, .rows = {1, 2, 3, 4, 5, 6, 0, 0, 7, 8, 9, 10, 11, 12, 0, 0}}));
  EXPECT_EQ(raster.height, 2);
  EXPECT_EQ(raster.width, 2);
  EXPECT_EQ(raster.channels, 3);
  EXPECT_EQ(raster.bytes, (Bytes{9, 8, 7, 12, 11, 10, 3, 2, 1, 6, 5, 4}));
}

TEST(BmpDecoder, ANegativeHeightBeginsWithTheTop) {
  EXPECT_EQ(Decode(BmpOf({.height = -2, .bits = 32, .rows = {1, 2, 3, 99, 4, 5, 6, 99}})).bytes,
            (Bytes{3, 2, 1, 6, 5, 4}));
}

TEST(BmpDecoder, ReadsAPalette) {
  BmpFile file{.width = 3, .bits = 8, .colours = 2};
  file.middle = {1, 2, 3, 0, 250, 251, 252, 0};
  file.rows = {0, 1, 1, 0};
  EXPECT_EQ(Decode(BmpOf(file)).bytes, (Bytes{3, 2, 1, 252, 251, 250, 252, 251, 250}));
  file.rows[2] = 2;
  EXPECT_EQ(Refusal(BmpOf(file)), "damaged BMP: a pixel is colour 2 of a palette of 2");
  file.colours = 0;  // all 256
  EXPECT_EQ(Refusal(BmpOf(file)), "damaged BMP: its palette is not whole");
}

TEST(BmpDecoder, ReadsMasksThatNameTheUsualBytes) {
  BmpFile file{.bits = 32, .compression = 3, .middle = kMasks, .rows = {1, 2, 3, 4}};
  EXPECT_EQ(Decode(BmpOf(file)).bytes, (Bytes{3, 2, 1}));
  file.middle[0] = 1;
  EXPECT_NE(Refusal(BmpOf(file)).find("not bytes in the order"), std::string::npos);
}

TEST(BmpDecoder, RefusesOtherKinds) {
  EXPECT_EQ(Refusal(BmpOf({.bits = 4, .rows = {0, 0, 0, 0}})),
            "is a BMP of 4 bits a pixel; 8, 24 and 32 are read");
  EXPECT_EQ(Refusal(BmpOf({.bits = 8, .compression = 1})),
            "is a compressed BMP (kind 1), which is not read");
}

TEST(BmpDecoder, RefusesFilesThatAreDamagedOrTooLarge) {
  const std::string whole = BmpOf({.width = 2, .rows = {1, 2, 3, 4, 5, 6, 0, 0}});
  for (size_t size = 18; size < whole.size(); ++size)
    EXPECT_EQ(Refusal(whole.substr(0, size)).rfind("damaged BMP: ", 0), 0u) << size;
  EXPECT_NE(Refusal(BmpOf({.width = 0})).find("0 x 1"), std::string::npos);
  EXPECT_NE(Refusal(BmpOf({.width = -1})).find("-1 x 1"), std::string::npos);
  EXPECT_NE(Refusal(BmpOf({.width = 1 << 30, .height = INT32_MIN})).find("at most"),
            std::string::npos);
}

}  // namespace
}  // namespace singa::bmp_decoder
