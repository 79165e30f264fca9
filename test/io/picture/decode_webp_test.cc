// The files are libwebp's own, of lossless pictures whose samples are known.
#include <gtest/gtest.h>

#include "io/picture/optional_decoders.h"
#include "io/refusal.h"

namespace singa::decode_webp {
namespace {

using Bytes = std::vector<uint8_t>;

// 3 x 2 pixels with the samples 0, 14, 28, ...
const Bytes kPicture = {0x24, 0,    0,    0,    0x2f, 0x02, 0x40, 0,    0,    0x2f,
                        0x20, 0x10, 0x48, 0x0c, 0x02, 0xd9, 0xdf, 0x70, 0x89, 0x51,
                        0x39, 0x87, 0xca, 0xfc, 0x27, 0xb6, 0xa1, 0xa6, 0x6d, 0x03,
                        0x36, 0xd4, 0xf9, 0x97, 0x53, 0x23, 0xfa, 0x1f, 0xd3, 0x0b};
// A black pixel, which is transparent, and (200, 100, 50), which is so by half.
const Bytes kTransparent = {0x13, 0,    0,    0,    0x2f, 0x01, 0,    0,    0x10, 0x0f, 0x30, 0x64,
                            0x83, 0x3c, 0x32, 0x03, 0x18, 0xf0, 0xa8, 0x40, 0x44, 0xff, 0x03, 0};

std::string TextOf(const Bytes& bytes) { return {bytes.begin(), bytes.end()}; }

// Returns a file of chunks, each a name of 4 letters, its size and its bytes.
std::string File(const std::string& chunks) {
  const auto size = static_cast<uint8_t>(4 + chunks.size());
  return "RIFF" + TextOf({size, 0, 0, 0}) + "WEBP" + chunks;
}

class DecodeWebpTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!DecodeWebp.decode) GTEST_SKIP() << "this build is without libwebp";
  }
  static Raster Decode(const std::string& file) {
    Raster raster;
    DecodeWebp(BytesOf(file), &raster);
    return raster;
  }
};

TEST_F(DecodeWebpTest, ReadsSamples) {
  const Raster raster = Decode(File("VP8L" + TextOf(kPicture)));
  EXPECT_EQ(raster.height, 2);
  EXPECT_EQ(raster.width, 3);
  EXPECT_EQ(raster.channels, 3);
  ASSERT_EQ(raster.bytes.size(), 18u);
  for (size_t i = 0; i < 18; ++i) EXPECT_EQ(raster.bytes[i], 14 * i) << i;
  EXPECT_EQ(raster.orientation, 1);
}

TEST_F(DecodeWebpTest, LeavesTransparencyOut) {
  EXPECT_EQ(Decode(File("VP8L" + TextOf(kTransparent))).bytes, (Bytes{0, 0, 0, 200, 100, 50}));
}

TEST_F(DecodeWebpTest, TurnsAsItsExifSays) {
  const std::string head = "VP8X" + TextOf({10, 0, 0, 0, 8, 0, 0, 0, 2, 0, 0, 1, 0, 0});
  const Bytes exif = {'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0,
                      3,   0,   0, 0,  1, 0, 6, 0, 0, 0, 0, 0,    0};
  const std::string pixels = "VP8L" + TextOf(kPicture);
  EXPECT_EQ(Decode(File(head + pixels + "EXIF" + TextOf({26, 0, 0, 0}) + TextOf(exif))).orientation,
            6);
  EXPECT_EQ(Decode(File(head + pixels + "EXIF" + TextOf({32, 0, 0, 0}) +
                        std::string("Exif\0\0", 6) + TextOf(exif)))
                .orientation,
            6);
}

TEST_F(DecodeWebpTest, RefusesAnimatedAndDamagedFiles) {
  const std::string head = "VP8X" + TextOf({10, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 1, 0, 0});
  const std::string file = File("VP8L" + TextOf(kPicture));
  EXPECT_EQ(RefusalOf([&] { Decode(File(head + "VP8L" + TextOf(kPicture))); }),
            "is an animated WebP; only still pictures are read");
  for (size_t size = 12; size + 8 < file.size(); ++size)
    EXPECT_EQ(RefusalOf([&] { Decode(file.substr(0, size)); }).rfind("damaged WebP", 0), 0u)
        << size;
}

}  // namespace
}  // namespace singa::decode_webp
