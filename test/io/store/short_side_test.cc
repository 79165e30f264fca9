#include "io/store/short_side.h"

#include <gtest/gtest.h>

#include "io/image_files.h"
#include "io/temp_dir.h"

namespace singa::short_side {
namespace {

// A decoded grey picture whose pixel (y, x) is 10 y + x.
class Ramp {
 public:
  Ramp(int32_t rows, int32_t columns) : shape_{1, rows, columns} {
    for (int32_t y = 0; y < rows; ++y)
      for (int32_t x = 0; x < columns; ++x) numbers_.push_back(static_cast<float>(10 * y + x));
  }
  Sample sample() const { return {.data = numbers_, .shape = shape_, .label = 3, .decoded = true}; }

 private:
  const std::array<int32_t, 3> shape_;
  std::vector<float> numbers_;
};

std::vector<int32_t> SizesOf(const Sample& sample) {
  return {sample.shape.begin(), sample.shape.end()};
}

TEST(ShortSide, CutsTheCentreOfAPictureThatHasTheShortSide) {
  const Ramp wide(3, 7);
  ShortSide fit(3, {1, 3, 3});
  const Sample got = fit.Fit(wide.sample());
  EXPECT_EQ(SizesOf(got), (std::vector<int32_t>{1, 3, 3}));
  EXPECT_EQ(got.label, 3);
  EXPECT_EQ(std::vector<float>(got.data.begin(), got.data.end()),
            (std::vector<float>{2, 3, 4, 12, 13, 14, 22, 23, 24}));
}

TEST(ShortSide, LeavesAPictureOfTheSizeAlone) {
  const Ramp square(4, 4);
  ShortSide fit(4, {4, 4});
  EXPECT_EQ(fit.Fit(square.sample()).data.data(), square.sample().data.data());
}

TEST(ShortSide, ScalesBothSidesByOneFactor) {
  const Ramp tall(16, 8);
  ShortSide fit(4, {1, 4, 4});  // to 8 x 4, of which rows 2 to 5 are cut out
  const Sample got = fit.Fit(tall.sample());
  ASSERT_EQ(SizesOf(got), (std::vector<int32_t>{1, 4, 4}));
  // Away from the edges a pixel is the mean of a symmetric part, the value at its centre.
  for (int y = 0; y < 4; ++y)
    for (int x = 1; x < 3; ++x)
      EXPECT_NEAR(got.data[y * 4 + x], 10 * (2 * (y + 2) + 0.5f) + 2 * x + 0.5f, 1e-4) << y << x;
}

// 5 x 7 pixels become 10 x 14: the part is what the whole picture has at its place.
TEST(ShortSide, ThePartIsThatOfTheWholePicture) {
  const Ramp picture(5, 7);
  Resampler resampler;
  const Sample whole = resampler.Scale(picture.sample(), {10, 14, 0, 0, 10, 14});
  const std::vector<float> all(whole.data.begin(), whole.data.end());
  ShortSide fit(10, {1, 4, 6});
  const Sample got = fit.Fit(picture.sample());
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 6; ++x) EXPECT_EQ(got.data[y * 6 + x], all[(y + 3) * 14 + x + 4]);
}

// The whole scaled picture would have 2^34 pixels.
TEST(ShortSide, APictureOfOneRowTakesNoMemoryForWhatIsCutOff) {
  std::vector<uint8_t> pixels(1 << 18, 7);
  const std::array<int32_t, 3> shape = {1, 1, 1 << 18};
  ShortSide fit(256, {1, 256, 256});
  const Sample got = fit.Fit({.pixel = pixels, .shape = shape, .decoded = true});
  EXPECT_EQ(std::vector<uint8_t>(got.pixel.begin(), got.pixel.end()),
            std::vector<uint8_t>(256 * 256, 7));
}

TEST(ShortSide, LeavesRecordsOfNumbersAlone) {
  const std::vector<float> numbers = {1, 2, 3};
  ShortSide fit(8, {1, 8, 8});
  EXPECT_EQ(fit.Fit({.data = numbers}).data.data(), numbers.data());
}

TEST(ShortSide, AStoreGivesPicturesOfOneSize) {
  const TempDir dir;
  const std::string path = dir.Path("set.tar");
  WriteTar(path, {{"a/x.png", Png(40, 20, {1, 2, 3})},
                  {"a/y.jpg", Jpeg(20, 60, {90, 90, 90})},
                  {"b/z.png", Png(7, 5, {4, 5, 6})}});
  const auto store =
      OpenStore("imagefolder", {.path = path, .short_side = 16, .shape = {3, 12, 16}});
  for (int64_t i = 0; i < store->size(); ++i)
    EXPECT_EQ(SizesOf(store->Read(i)), (std::vector<int32_t>{3, 12, 16})) << i;
  EXPECT_EQ(store->Read(2).pixel[0], 4);
  EXPECT_EQ(store->Read(2).label, 1);
  EXPECT_EQ(store->classes(), (std::vector<std::string>{"a", "b"}));
}

}  // namespace
}  // namespace singa::short_side
