// Compares with golden numbers of OpenCV 5.0's imread with IMREAD_ANYDEPTH, red first. For 8 bits
// Pillow 13's convert("RGB") and convert("L") are the same.
#include "io/picture/image_decoder.h"

#include <gtest/gtest.h>

#include "io/image_files.h"
#include "io/png_files.h"
#include "io/value_error.h"

namespace singa {
namespace {

using Numbers = std::vector<float>;

Numbers Decoded(const std::string& file, int channels, std::array<int32_t, 3>* shape = nullptr) {
  ImageDecoder decoder(channels);
  const Image& image = decoder.Decode({reinterpret_cast<const uint8_t*>(file.data()), file.size()});
  if (shape) *shape = image.shape;
  if (!image.numbers.empty()) return image.numbers;
  return {image.pixels.begin(), image.pixels.end()};
}

void ExpectNear(const Numbers& got, const Numbers& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-3) << i;
}

TEST(ImageDecoder, GivesSamplesAsStoredWhateverTheirGamma) {
  const std::string chunks[] = {"", Chunk("gAMA", BigEndian(100000)),
                                Chunk("sRGB", std::string(1, '\0')),
                                Chunk("gAMA", BigEndian(45455)) + Chunk("bKGD", PngText({0, 200}))};
  for (const std::string& before : chunks) {
    const std::string file = PngOf({.width = 3, .rows = {0, 0, 96, 255}, .before = before});
    EXPECT_EQ(Decoded(file, 1), (Numbers{0, 96, 255}));
    EXPECT_EQ(Decoded(file, 3), (Numbers{0, 96, 255, 0, 96, 255, 0, 96, 255}));
  }
}

TEST(ImageDecoder, KeepsSixteenBits) {
  const std::string grey =
      PngOf({.width = 4, .bits = 16, .rows = {0, 0, 0, 0x60, 0x60, 0x60, 0x61, 0xff, 0xff}});
  const float next = 96 + 1 / 257.f;
  ExpectNear(Decoded(grey, 1), {0, 96, next, 255});
  EXPECT_GT(Decoded(grey, 1)[2], Decoded(grey, 1)[1]);
  ExpectNear(Decoded(grey, 3), {0, 96, next, 255, 0, 96, next, 255, 0, 96, next, 255});
  // The 16-bit samples are 1000, 30000, 65535.
  const std::string colour =
      PngOf({.bits = 16, .colours = kColour, .rows = {0, 0x03, 0xe8, 0x75, 0x30, 0xff, 0xff}});
  ExpectNear(Decoded(colour, 3), {1000 / 257.f, 30000 / 257.f, 255});
  ExpectNear(Decoded(colour, 1), {(0.299f * 1000 + 0.587f * 30000 + 0.114f * 65535) / 257});
}

TEST(ImageDecoder, LeavesTransparencyOut) {
  const std::string colour =
      PngOf({.width = 2, .colours = kColourAlpha, .rows = {0, 10, 20, 30, 0, 200, 100, 50, 128}});
  EXPECT_EQ(Decoded(colour, 3), (Numbers{10, 200, 20, 100, 30, 50}));
  EXPECT_EQ(Decoded(colour, 1), (Numbers{18, 124}));
  EXPECT_EQ(Decoded(PngOf({.width = 2, .colours = kGreyAlpha, .rows = {0, 77, 0, 200, 128}}), 1),
            (Numbers{77, 200}));
  const std::string wide = PngOf({.width = 2,
                                  .bits = 16,
                                  .colours = kGreyAlpha,
                                  .rows = {0, 0x12, 0x12, 0, 0, 0xab, 0xab, 0, 5}});
  ExpectNear(Decoded(wide, 1), {0x12, 0xab});
  // The chunk tRNS names the transparent colour.
  EXPECT_EQ(
      Decoded(
          PngOf({.width = 3, .rows = {0, 0, 96, 255}, .before = Chunk("tRNS", PngText({0, 96}))}),
          1),
      (Numbers{0, 96, 255}));
  EXPECT_EQ(Decoded(PngOf({.colours = kColour,
                           .rows = {0, 10, 20, 30},
                           .before = Chunk("tRNS", PngText({0, 10, 0, 20, 0, 30}))}),
                    3),
            (Numbers{10, 20, 30}));
}

TEST(ImageDecoder, MakesColoursOfAPalette) {
  const std::string palette =
      Chunk("PLTE", PngText({10, 20, 30, 40, 50, 60, 70, 80, 90, 255, 0, 128}));
  for (const std::string& alpha : {std::string(), Chunk("tRNS", PngText({0, 128}))}) {
    const std::string file = PngOf(
        {.width = 4, .bits = 2, .colours = kPalette, .rows = {0, 0x1b}, .before = palette + alpha});
    EXPECT_EQ(Decoded(file, 3), (Numbers{10, 40, 70, 255, 20, 50, 80, 0, 30, 60, 90, 128}));
    EXPECT_EQ(Decoded(file, 1), (Numbers{18, 48, 78, 91}));
  }
}

TEST(ImageDecoder, SpreadsGreysOfFewBits) {
  EXPECT_EQ(Decoded(PngOf({.width = 9, .bits = 1, .rows = {0, 0xaa, 0x80}}), 1),
            (Numbers{255, 0, 255, 0, 255, 0, 255, 0, 255}));
  EXPECT_EQ(Decoded(PngOf({.width = 4, .bits = 2, .rows = {0, 0x1b}}), 1),
            (Numbers{0, 85, 170, 255}));
  EXPECT_EQ(Decoded(PngOf({.width = 4, .bits = 4, .rows = {0, 0x0f, 0x5a}}), 1),
            (Numbers{0, 255, 85, 170}));
}

// Adam7 of 2 x 2 has (0, 0) in pass 1, (0, 1) in pass 6, and row 1 in pass 7.
TEST(ImageDecoder, ReadsInterlacedFiles) {
  EXPECT_EQ(
      Decoded(PngOf({.width = 2, .height = 2, .rows = {0, 1, 0, 2, 0, 3, 4}, .interlaced = true}),
              1),
      (Numbers{1, 2, 3, 4}));
  ExpectNear(Decoded(PngOf({.width = 2,
                            .height = 2,
                            .bits = 16,
                            .rows = {0, 1, 1, 0, 2, 2, 0, 3, 3, 4, 4},
                            .interlaced = true}),
                     1),
             {1, 2, 3, 4});
}

TEST(ImageDecoder, TurnsPicturesAsTheirExifSays) {
  const Numbers turned[] = {{1, 2, 3, 4, 5, 6}, {3, 2, 1, 6, 5, 4}, {6, 5, 4, 3, 2, 1},
                            {4, 5, 6, 1, 2, 3}, {1, 4, 2, 5, 3, 6}, {4, 1, 5, 2, 6, 3},
                            {6, 3, 5, 2, 4, 1}, {3, 6, 2, 5, 1, 4}, {1, 2, 3, 4, 5, 6}};
  for (uint8_t orientation = 1; orientation <= 9; ++orientation) {
    const std::string chunk = Chunk("eXIf", Exif(orientation));
    for (const bool before : {true, false}) {
      PngFile file = {.width = 3, .height = 2, .rows = {0, 1, 2, 3, 0, 4, 5, 6}};
      (before ? file.before : file.after) = chunk;
      std::array<int32_t, 3> shape{};
      EXPECT_EQ(Decoded(PngOf(file), 1, &shape), turned[orientation - 1]) << int{orientation};
      const bool lies = orientation >= 5 && orientation <= 8;
      EXPECT_EQ(shape, (std::array<int32_t, 3>{1, lies ? 3 : 2, lies ? 2 : 3}));
    }
  }
}

TEST(ImageDecoder, TurnsJpegFilesAsTheirExifSays) {
  PngBytes pixels(16 * 8 * 3, 0);  // the left half is white
  for (int i = 0; i < 16 * 8 * 3; ++i) pixels[i] = i % 48 < 24 ? 255 : 0;
  std::string file = JpegOf(16, 8, TJPF_RGB, pixels);
  const std::string block = std::string("Exif\0\0", 6) + Exif(6);
  file.insert(2, "\xff\xe1" + BigEndian(block.size() + 2).substr(2) + block);
  std::array<int32_t, 3> shape{};
  const Numbers numbers = Decoded(file, 3, &shape);
  EXPECT_EQ(shape, (std::array<int32_t, 3>{3, 16, 8}));  // the upper half is white
  ASSERT_EQ(numbers.size(), 3u * 16 * 8);
  EXPECT_NEAR(numbers[8 * 8 - 1], 255, 2);
  EXPECT_NEAR(numbers[8 * 8], 0, 2);
}

TEST(ImageDecoder, RefusesAPngThatIsDamaged) {
  const std::string file = PngOf({.width = 3, .bits = 16, .rows = {0, 1, 2, 3, 4, 5, 6}});
  for (size_t size = 8; size < file.size(); ++size)
    EXPECT_THROW(Decoded(file.substr(0, size), 3), ValueError) << size;
  for (size_t at = 8; at + 12 < file.size(); ++at) {
    std::string other = file;
    other[at] = static_cast<char>(other[at] ^ 0x20);
    EXPECT_THROW(Decoded(other, 3), ValueError) << at;
  }
  // The first file has too few rows, and the second has no palette.
  EXPECT_THROW(Decoded(PngOf({.height = 2, .rows = {0, 1}}), 1), ValueError);
  EXPECT_THROW(Decoded(PngOf({.colours = kPalette, .rows = {0, 1}}), 1), ValueError);
}

}  // namespace
}  // namespace singa
