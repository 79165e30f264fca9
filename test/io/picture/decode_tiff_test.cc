// The files are made by hand. libtiff's own tools read them alike.
#include <gtest/gtest.h>

#include "io/picture/optional_decoders.h"
#include "io/refusal.h"
#include "io/tiff_files.h"

namespace singa::decode_tiff {
namespace {

using Bytes = std::vector<uint8_t>;
using Words = std::vector<uint16_t>;

class DecodeTiffTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!DecodeTiff.decode) GTEST_SKIP() << "this build is without libtiff";
  }
  static Raster Decode(const std::string& file) {
    Raster raster;
    DecodeTiff(BytesOf(file), &raster);
    return raster;
  }
  static std::string Refusal(const TiffFile& file) {
    return RefusalOf([&] { Decode(TiffOf(file)); });
  }
};

std::string TextOf(const Bytes& bytes) { return {bytes.begin(), bytes.end()}; }

TEST_F(DecodeTiffTest, ReadsGreys) {
  TiffFile file{
      .width = 3, .height = 2, .rows_per_strip = 2, .blocks = {TextOf({1, 2, 3, 4, 5, 6})}};
  const Raster raster = Decode(TiffOf(file));
  EXPECT_EQ(raster.channels, 1);
  EXPECT_EQ(raster.height, 2);
  EXPECT_EQ(raster.width, 3);
  EXPECT_EQ(raster.orientation, 1);
  EXPECT_EQ(raster.bytes, (Bytes{1, 2, 3, 4, 5, 6}));
  file.photometric = 0;
  EXPECT_EQ(Decode(TiffOf(file)).bytes, (Bytes{254, 253, 252, 251, 250, 249}));
}

TEST_F(DecodeTiffTest, ReadsColoursInStripsAndInPlanes) {
  TiffFile file{.width = 2, .height = 2, .samples = 3, .photometric = 2};
  file.blocks = {TextOf({1, 2, 3, 4, 5, 6}), TextOf({7, 8, 9, 10, 11, 12})};
  const Bytes want = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  EXPECT_EQ(Decode(TiffOf(file)).bytes, want);
  file.more[284] = {2};  // planes
  file.rows_per_strip = 2;
  file.blocks = {TextOf({1, 4, 7, 10}), TextOf({2, 5, 8, 11}), TextOf({3, 6, 9, 12})};
  EXPECT_EQ(Decode(TiffOf(file)).bytes, want);
}

TEST_F(DecodeTiffTest, ReadsSixteenBitsOfEitherByteOrder) {
  TiffFile file{.width = 2, .bits = 16, .blocks = {TextOf({0x34, 0x12, 0xfe, 0xff})}};
  EXPECT_EQ(Decode(TiffOf(file)).words, (Words{0x1234, 0xfffe}));
  EXPECT_TRUE(Decode(TiffOf(file)).bytes.empty());
  file.big_endian = true;
  file.blocks = {TextOf({0x12, 0x34, 0xff, 0xfe})};
  EXPECT_EQ(Decode(TiffOf(file)).words, (Words{0x1234, 0xfffe}));
}

TEST_F(DecodeTiffTest, ReadsTilesThatReachBeyondThePicture) {
  TiffFile file{.width = 20, .height = 18, .tile = 16};
  for (const char first : {'a', 'b', 'c', 'd'}) file.blocks.emplace_back(16 * 16, first);
  const Raster raster = Decode(TiffOf(file));
  const std::string text(raster.bytes.begin(), raster.bytes.end());
  ASSERT_EQ(text.size(), 20u * 18);
  EXPECT_EQ(text.substr(15 * 20, 20), std::string(16, 'a') + "bbbb");
  EXPECT_EQ(text.substr(17 * 20, 20), std::string(16, 'c') + "dddd");
}

TEST_F(DecodeTiffTest, ReadsAPaletteAndLeavesTransparencyOut) {
  TiffFile file{.width = 2, .photometric = 3, .blocks = {TextOf({0, 255})}};
  for (uint32_t c = 0; c < 3; ++c)
    for (uint32_t i = 0; i < 256; ++i) file.more[320].push_back((c == 1 ? 255 - i : i) * 257);
  EXPECT_EQ(Decode(TiffOf(file)).bytes, (Bytes{0, 255, 0, 255, 0, 255}));
  file = {.width = 2, .samples = 4, .photometric = 2};
  file.more[338] = {2};  // the fourth sample is transparency
  file.blocks = {TextOf({1, 2, 3, 99, 4, 5, 6, 99})};
  EXPECT_EQ(Decode(TiffOf(file)).bytes, (Bytes{1, 2, 3, 4, 5, 6}));
}

TEST_F(DecodeTiffTest, ReadsPackBits) {
  // Three bytes as they are, then one byte three times.
  const TiffFile file{.width = 3,
                      .height = 2,
                      .compression = 32773,
                      .rows_per_strip = 2,
                      .blocks = {TextOf({2, 1, 2, 3, 254, 7})}};
  EXPECT_EQ(Decode(TiffOf(file)).bytes, (Bytes{1, 2, 3, 7, 7, 7}));
}

TEST_F(DecodeTiffTest, TellsItsOrientation) {
  EXPECT_EQ(Decode(TiffOf({.blocks = {"x"}, .more = {{274, {6}}}})).orientation, 6);
}

TEST_F(DecodeTiffTest, RefusesOtherKinds) {
  EXPECT_EQ(Refusal({.width = 8, .bits = 1, .blocks = {"x"}}),
            "is a TIFF of 1 bits a sample; unsigned samples of 8 and 16 bits are read");
  EXPECT_NE(Refusal({.bits = 32, .blocks = {"abcd"}, .more = {{339, {3}}}}).find("not unsigned"),
            std::string::npos);
  EXPECT_NE(Refusal({.compression = 3, .blocks = {"x"}}).find("of compression 3"),
            std::string::npos);
  EXPECT_NE(Refusal({.samples = 9, .blocks = {"123456789"}}).find("of 9 samples"),
            std::string::npos);
}

TEST_F(DecodeTiffTest, RefusesFilesThatAreDamagedOrTooLarge) {
  EXPECT_NE(Refusal({.width = 60000, .height = 60000, .blocks = {"x"}}).find("60000 x 60000"),
            std::string::npos);
  const std::string cut =
      Refusal({.width = 9, .height = 200, .rows_per_strip = 200, .blocks = {"x"}});
  EXPECT_EQ(cut.rfind("damaged TIFF: ", 0), 0u) << cut;
  const std::string whole = TiffOf({.width = 4, .blocks = {"abcd"}});
  // The last 4 bytes are the place of the next picture, which is not read.
  for (size_t size = 4; size <= whole.size() - 5; ++size)
    EXPECT_EQ(RefusalOf([&] { Decode(whole.substr(0, size)); }).rfind("damaged TIFF", 0), 0u)
        << size;
}

TEST_F(DecodeTiffTest, NamesTheStripOfAPlaneThatIsMissing) {
  TiffFile file{.width = 2, .height = 2, .samples = 3, .photometric = 2, .rows_per_strip = 2};
  file.more[284] = {2};  // planes
  for (const uint16_t compression : {1, 32773}) {
    file.compression = compression;
    file.blocks = {TextOf({1, 4, 7, 10}), TextOf({2, 5, 8, 11})};
    if (compression != 1)
      for (std::string& block : file.blocks)
        block.insert(block.begin(), 3);  // four bytes as they are
    EXPECT_EQ(Refusal(file), "damaged TIFF: strip 3 of 3 is missing") << compression;
  }
}

TEST_F(DecodeTiffTest, NamesTheStripOrTileThatLacksBytes) {
  TiffFile file{.width = 4, .height = 2, .blocks = {"abcd", "ef"}};
  EXPECT_EQ(Refusal(file), "damaged TIFF: strip 2 of 2 has 2 bytes, needs 4");
  file.blocks = {"abcd"};
  EXPECT_EQ(Refusal(file), "damaged TIFF: strip 2 of 2 is missing");
  file = {.width = 20, .height = 3, .tile = 16, .blocks = {std::string(256, 'a')}};
  EXPECT_EQ(Refusal(file), "damaged TIFF: tile 2 of 2 is missing");
  file.blocks.push_back("b");
  EXPECT_EQ(Refusal(file), "damaged TIFF: tile 2 of 2 has 1 byte, needs 256");
}

TEST_F(DecodeTiffTest, NamesTheStripThatEndsBehindTheFile) {
  TiffFile file{.width = 4, .height = 2, .compression = 32773, .rows_per_strip = 1};
  file.blocks = {TextOf({3, 1, 2, 3, 4}), TextOf({3, 5, 6, 7, 8})};
  file.more[279] = {5, 60000};  // sizes of the strips
  EXPECT_EQ(Refusal(file), "damaged TIFF: strip 2 of 2 reaches beyond the end of the file");
  file.more[279] = {5, 1};
  EXPECT_EQ(Refusal(file).rfind("damaged TIFF: strip 2 of 2: ", 0), 0u);
}

TEST_F(DecodeTiffTest, RefusesAFileWithoutStripsOrWithHugeSides) {
  EXPECT_EQ(Refusal({.width = 4}).rfind("damaged TIFF: ", 0), 0u);
  constexpr uint32_t kHuge = 1000000000;
  for (const uint32_t rows : {1u, kHuge}) {
    for (const uint32_t width : {1u, kHuge}) {
      const TiffFile file{
          .width = width, .height = kHuge, .rows_per_strip = rows, .blocks = {"abcd"}};
      const std::string refusal = Refusal(file);
      EXPECT_TRUE(refusal.rfind("damaged TIFF: ", 0) == 0 ||
                  refusal.rfind("is a picture of ", 0) == 0)
          << rows << ", " << width << ": " << refusal;
    }
  }
}

TEST_F(DecodeTiffTest, AHugeTileTakesNoMemory) {
  EXPECT_NE(Refusal({.width = 4, .tile = 1u << 30, .blocks = {"abcd"}}).find("are not read"),
            std::string::npos);
}

TEST_F(DecodeTiffTest, ManyTilesFarBeyondThePictureTakeNoTime) {
  const TiffFile file{
      .height = 1 << 20, .compression = 8, .tile = 1 << 14, .blocks = {std::string(1000, 'x')}};
  EXPECT_EQ(Refusal(file),
            "is a TIFF of 64 tiles of 16384 x 16384; at most 268435456 pixels are decoded");
}

TEST_F(DecodeTiffTest, PrintsNothing) {
  testing::internal::CaptureStderr();
  Refusal(
      {.width = 9, .height = 200, .rows_per_strip = 200, .blocks = {"x"}, .more = {{65000, {1}}}});
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace singa::decode_tiff
