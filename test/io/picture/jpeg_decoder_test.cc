// Tests JPEG files by themselves. imagefolder_store_test.cc tests them in stores.
#include "io/picture/jpeg_decoder.h"

#include <gtest/gtest.h>

#include "io/image_files.h"
#include "io/png_files.h"
#include "io/refusal.h"

namespace singa::jpeg_decoder {
namespace {

Raster Decode(const std::string& file, int channels = 3) {
  JpegDecoder decoder;
  Raster raster;
  decoder.Decode(BytesOf(file), channels, &raster);
  return raster;
}
// Returns the text of the error.
std::string Refusal(const std::string& file) {
  return RefusalOf([&] { Decode(file); });
}
// Returns a segment of a file, with its marker and length.
std::string Segment(char marker, const std::string& content) {
  return std::string("\xff") + marker + BigEndian(content.size() + 2).substr(2) + content;
}
std::string ExifSegment(uint8_t orientation) {
  return Segment('\xe1', std::string("Exif\0\0", 6) + Exif(orientation));
}

class JpegDecoderTest : public testing::Test {
 protected:
  // Returns the orientation of a file that begins with these segments.
  int OrientationOf(const std::string& segments) const {
    std::string file = file_;
    return Decode(file.insert(2, segments)).orientation;
  }
  const std::string file_ = Jpeg(16, 8, {250, 10, 20});
};

TEST_F(JpegDecoderTest, AFileIsKnownByItsFirstThreeBytes) {
  EXPECT_TRUE(IsJpeg(BytesOf(file_.substr(0, 3))));
  EXPECT_FALSE(IsJpeg(BytesOf(file_.substr(0, 2))));
  EXPECT_FALSE(IsJpeg(BytesOf("\xff\xd8\xfe")));
}

TEST_F(JpegDecoderTest, IsDecodedToColourOrGrey) {
  const Raster colour = Decode(file_), grey = Decode(file_, 1);
  EXPECT_EQ(colour.height, 8);
  EXPECT_EQ(colour.width, 16);
  EXPECT_EQ(colour.channels, 3);
  ASSERT_EQ(colour.bytes.size(), 16u * 8 * 3);
  EXPECT_NEAR(colour.bytes[0], 250, 4);
  EXPECT_NEAR(colour.bytes[1], 10, 4);
  EXPECT_NEAR(colour.bytes[2], 20, 4);
  EXPECT_EQ(grey.channels, 1);
  ASSERT_EQ(grey.bytes.size(), 16u * 8);
  EXPECT_NEAR(grey.bytes[0], 0.299 * 250 + 0.587 * 10 + 0.114 * 20, 4);
}

TEST_F(JpegDecoderTest, ARasterIsUsedAgain) {
  JpegDecoder decoder;
  Raster raster;
  raster.words = {1, 2, 3};
  raster.orientation = 6;
  decoder.Decode(BytesOf(file_), 3, &raster);
  decoder.Decode(BytesOf(Jpeg(2, 2, {0, 0, 0})), 1, &raster);
  EXPECT_EQ(raster.bytes.size(), 4u);
  EXPECT_TRUE(raster.words.empty());
  EXPECT_EQ(raster.orientation, 1);
}

TEST_F(JpegDecoderTest, TheFirstExifOfTheFileCounts) {
  EXPECT_EQ(OrientationOf(""), 1);
  EXPECT_EQ(OrientationOf(ExifSegment(6)), 6);
  EXPECT_EQ(OrientationOf(ExifSegment(6) + ExifSegment(3)), 6);
  EXPECT_EQ(OrientationOf(Segment('\xfe', "a comment") + ExifSegment(6)), 6);
  EXPECT_EQ(OrientationOf(Segment('\xe1', "http://ns.adobe.com") + ExifSegment(6)), 6);
  EXPECT_EQ(OrientationOf("\xff\xff\xff" + ExifSegment(6)), 6);  // fill bytes
}

TEST_F(JpegDecoderTest, AnExifThatIsDamagedTurnsNothing) {
  EXPECT_EQ(OrientationOf(Segment('\xe1', std::string("Exif\0\0", 6))), 1);
  EXPECT_EQ(OrientationOf(Segment('\xe1', std::string("Exif\0\0MM", 8))), 1);
}

TEST_F(JpegDecoderTest, AFileThatIsCutOffIsDamaged) {
  for (const size_t size : {4, 20})
    EXPECT_EQ(Refusal(file_.substr(0, size)), "damaged JPEG: it does not say its size") << size;
  EXPECT_EQ(Refusal(file_.substr(0, file_.size() / 2)).rfind("damaged JPEG: ", 0), 0u);
}

// The frame's header gives the precision, the height and the width.
TEST_F(JpegDecoderTest, SamplesHaveEightBits) {
  std::string file = file_;
  const size_t frame = file.find("\xff\xc0");
  ASSERT_NE(frame, file.npos);
  file[frame + 4] = 12;
  const std::string text = Refusal(file);
  EXPECT_NE(text, "");
  EXPECT_TRUE(text.find("of a kind that is not read") != text.npos ||
              text.rfind("damaged JPEG: ", 0) == 0)
      << text;
}

TEST_F(JpegDecoderTest, APictureHasASizeThatItsBytesCanHold) {
  std::string file = file_;
  const size_t frame = file.find("\xff\xc0");
  ASSERT_NE(frame, file.npos);
  file.replace(frame + 5, 4, "\x1f\x40\x1f\x40");
  EXPECT_NE(Refusal(file).find("8000 x 8000"), std::string::npos) << Refusal(file);
}

// A picture of 4,096 x 4,096 may have 64 scans.
TEST_F(JpegDecoderTest, ManyScansOfALargePictureAreRefused) {
  std::string file = file_;
  const size_t frame = file.find("\xff\xc0");
  ASSERT_NE(frame, file.npos);
  file.replace(frame + 5, 4, std::string("\x10\0\x10\0", 4));
  file += std::string(4096 * 4096 / 512, 'x');  // as many bytes as its pixels need
  for (int scan = 0; scan < 64; ++scan) file += "\xff\xda";
  EXPECT_EQ(Refusal(file),
            "is a JPEG of 65 scans of 16777216 pixels each; at most 1073741824 are decoded");
}

}  // namespace
}  // namespace singa::jpeg_decoder
