#include <cmath>
#include <set>

#include "io/store/store_writer.h"
#include "io/temp_dir.h"
#include "support/layer_test.h"

namespace singa {
namespace {

class ImagePreprocessTest : public LayerTest {};
SINGA_TEST_ON_ALL_DEVICES(ImagePreprocessTest);

std::string ImageConf(const std::string& fields) {
  return "type: kImagePreprocess rgbimage_conf { " + fields + " }";
}

// The numbers are 1, 2, 3, ..., because 0 is padding.
Input Counted(const Shape& shape) {
  Input input{.shape = shape};
  for (int64_t i = 0; i < shape.size(); ++i) input.data.push_back(static_cast<float>(i + 1));
  return input;
}

TEST_P(ImagePreprocessTest, TestsCutTheCentre) {
  const Values y = Feature(ImageConf("cropsize: 2 pad: 1 mirror: true scale: 0.5"),
                           {Counted({1, 2, 4, 4})}, {.phase = kTest});
  EXPECT_EQ(y, (Values{3, 3.5f, 5, 5.5f, 11, 11.5f, 13, 13.5f}));
}

TEST_P(ImagePreprocessTest, WithoutSettingsImagesStayAsTheyAre) {
  const Input x = Counted({2, 3, 3, 5});
  EXPECT_EQ(Feature(ImageConf(""), {x}), x.data);
  EXPECT_EQ(Feature(ImageConf("scale: 2"), {Counted({1, 2, 2})}), (Values{2, 4, 6, 8}));
}

// Place is the place of a cut in the counted image of (1, 1, h, w): its begin, and whether it is
// flipped.
struct Place {
  int64_t y, x;
  bool mirror;
  auto operator<=>(const Place&) const = default;
};

// Returns the place of a cut of 2 x 2 without padding from an image of width w.
Place PlaceOf(const float* cut, int64_t w) {
  const bool mirror = cut[0] > cut[1];
  const auto first = static_cast<int64_t>(mirror ? cut[1] : cut[0]) - 1;
  return {first / w, first % w, mirror};
}

TEST_P(ImagePreprocessTest, TrainingCutsAndFlipsEachRowByItself) {
  const int64_t n = 400;
  Input x{.shape = {n, 1, 3, 4}};
  for (int64_t i = 0; i < n; ++i)
    for (int j = 0; j < 12; ++j) x.data.push_back(static_cast<float>(j + 1));
  const Values y = Feature(ImageConf("cropsize: 2 mirror: true"), {x});
  std::map<Place, int> seen;
  for (int64_t i = 0; i < n; ++i) ++seen[PlaceOf(&y[i * 4], 4)];
  EXPECT_EQ(seen.size(), 2u * 3 * 2);  // 12 places, 33 times each on average
  for (const auto& [place, count] : seen) EXPECT_GT(count, 10);
  EXPECT_NE(y, Feature(ImageConf("cropsize: 2 mirror: true"), {x}, {.step = 1}));
}

TEST_P(ImagePreprocessTest, ARowsCutGoesWithItsNumberInTheBatch) {
  Input x = Counted({4, 1, 5, 5});
  const Values all = Feature(ImageConf("cropsize: 3 mirror: true"), {x});
  Input part{.shape = {2, 1, 5, 5}, .span = {2, 2, 4}};
  part.data.assign(x.data.begin() + 50, x.data.end());
  EXPECT_EQ(Feature(ImageConf("cropsize: 3 mirror: true"), {part}),
            Values(all.begin() + 18, all.end()));
}

TEST_P(ImagePreprocessTest, PaddingIsZeroAndReachesAllSides) {
  const int64_t n = 300;
  const Input x{.shape = {n, 2, 2, 2}, .data = Values(n * 8, 1.f)};
  const Values y = Feature(ImageConf("pad: 1"), {x});  // a cut of the image's own size
  std::set<int> sums;
  for (int64_t i = 0; i < n; ++i) {
    int sum = 0;
    for (int j = 0; j < 8; ++j) sum += static_cast<int>(y[i * 8 + j]);
    sums.insert(sum);
  }
  EXPECT_EQ(sums, (std::set<int>{2, 4, 8}));  // a corner, a side, all of the image
}

TEST_P(ImagePreprocessTest, ACutIsAPieceOfThePaddedImageInEachChannel) {
  const int64_t n = 60;
  const Input x = Counted({n, 3, 4, 5});
  const auto pixel = [&](int64_t image, int64_t c, int64_t h, int64_t w) {
    const bool inside = h >= 0 && h < 4 && w >= 0 && w < 5;
    return inside ? x.data[((image * 3 + c) * 4 + h) * 5 + w] : 0.f;
  };
  const Values y = Feature(ImageConf("cropsize: 4 pad: 1 mirror: true"), {x});
  std::set<int> seen;
  for (int64_t i = 0; i < n; ++i)
    for (int at = 0; at < 3 * 4 * 2; ++at) {  // rows, columns, flipped or not
      Values cut;
      for (int64_t j = 0; j < 3 * 4 * 4; ++j) {
        const int64_t w = at % 2 ? 3 - j % 4 : j % 4;
        cut.push_back(pixel(i, j / 16, j / 4 % 4 + at / 8 - 1, w + at / 2 % 4 - 1));
      }
      if (std::equal(cut.begin(), cut.end(), y.begin() + i * 48)) {
        seen.insert(at);
        break;
      }
      ASSERT_LT(at, 23) << "image " << i;
    }
  EXPECT_GT(seen.size(), 15u);
}

TEST_P(ImagePreprocessTest, SubtractsTheMeanBeforeItPads) {
  const TempDir dir;
  PosixFileSystem fs;
  const auto writer = NewStoreWriter(
      "kvfile", {.path = dir.Path("mean"), .shape = {2, 2, 1}, .records = 1, .has_label = false},
      &fs);
  const Values mean = {1, 2, 3, 4};
  writer->Write({.data = mean});
  writer->Finish();
  const std::string conf = ImageConf(StrCat("meanfile: '", dir.Path("mean"), "' scale: 10"));
  EXPECT_EQ(Feature(conf, {{.shape = {1, 2, 2, 1}, .data = {5, 5, 5, 5}}}),
            (Values{40, 30, 20, 10}));
  EXPECT_THROW(Feature(conf, {{.shape = {1, 3, 2, 1}}}), DataError);
}

TEST_P(ImagePreprocessTest, ARectangleWinsOverTheSquare) {
  const Input x = Counted({1, 1, 4, 5});
  EXPECT_EQ(Feature(ImageConf("cropsize: 2 crop_width: 3"), {x}, {.phase = kTest}),
            (Values{7, 8, 9, 12, 13, 14}));
  EXPECT_EQ(Feature(ImageConf("crop_height: 2 crop_width: 1"), {x}, {.phase = kTest}),
            (Values{8, 13}));
  EXPECT_EQ(Feature(ImageConf("crop_height: 1"), {x}, {.phase = kTest}), (Values{6, 7, 8, 9, 10}));
}

TEST_P(ImagePreprocessTest, TestsNeitherScaleNorChangeColours) {
  const Input x = Counted({1, 3, 4, 4});
  const std::string random = " area_min: 0.1 brightness: 1 contrast: 1 saturation: 1 hue: 0.5";
  EXPECT_EQ(Feature(ImageConf("cropsize: 2" + random), {x}, {.phase = kTest}),
            Feature(ImageConf("cropsize: 2"), {x}, {.phase = kTest}));
}

// The image is a plane, of which a linearly scaled part has the same slope in each direction.
TEST_P(ImagePreprocessTest, ScaledCropsArePartsOfManySizes) {
  const int64_t n = 200;
  Input x{.shape = {n, 1, 16, 16}};
  for (int64_t i = 0; i < n * 256; ++i)
    x.data.push_back(static_cast<float>(100 + i % 256 / 16 * 20 + i % 16));
  const Values y = Feature(ImageConf("cropsize: 4 area_min: 0.25 area_max: 0.5"), {x});
  std::set<int> heights;
  for (int64_t i = 0; i < n; ++i) {
    const float* const cut = &y[i * 16];
    const float right = cut[2] - cut[1], down = (cut[9] - cut[5]) / 20;
    heights.insert(static_cast<int>(std::lround(4 * down)));
    const float area = 16 * right * down;  // each step is a fourth of the part's side
    EXPECT_GT(area, 0.25f * 256 - 12) << i;
    EXPECT_LT(area, 0.5f * 256 + 12) << i;
    EXPECT_LT(right / down, 1.6f) << i;
    EXPECT_GT(right / down, 1 / 1.6f) << i;
  }
  EXPECT_GT(heights.size(), 3u);
}

TEST_P(ImagePreprocessTest, RandomSizesAndColoursGoWithTheRowsNumberInTheBatch) {
  const std::string conf = ImageConf(
      "cropsize: 3 mirror: true area_min: 0.2 brightness: 0.4 contrast: 0.4 saturation: 0.4 hue: "
      "0.1");
  Input x = Counted({4, 3, 5, 5});
  for (float& value : x.data) value *= 0.8f;
  const Values all = Feature(conf, {x});
  Input part{.shape = {2, 3, 5, 5}, .span = {2, 2, 4}};
  part.data.assign(x.data.begin() + 150, x.data.end());
  EXPECT_EQ(Feature(conf, {part}), Values(all.begin() + 54, all.end()));
  EXPECT_NE(all, Feature(conf, {x}, {.step = 1}));
}

TEST_P(ImagePreprocessTest, RejectsSettingsOfColoursAndScaledCrops) {
  const Shape image = {2, 3, 6, 5};
  const auto says = [&](const std::string& fields, const std::string& field,
                        const std::string& text) {
    EXPECT_CONFIG_ERROR_SAYS(Build(ImageConf(fields), image), "rgbimage_conf." + field, text);
  };
  says("crop_height: 7", "crop_height", "must be from 0 to 6, the source's height, is 7");
  says("crop_width: -1", "crop_width", "must be from 0 to 5, the source's width, is -1");
  says("area_min: 1.5", "area_min", "must be from 0 to 1");
  says("area_min: 0.5 area_max: 0.4", "area_max", "must be from 0.5 to 1");
  says("area_min: 0.5 aspect_max: 0.5", "aspect_max", "must be from 1 to 100");
  says("area_min: 0.5 pad: 1", "pad", "must be 0 with area_min");
  says("hue: 0.6", "hue", "must be from 0 to 0.5");
  says("contrast: nan", "contrast", "must be from 0 to 100");
  EXPECT_CONFIG_ERROR_SAYS(Build(ImageConf("saturation: 1"), {2, 1, 6, 5}),
                           "rgbimage_conf.saturation", "is for images of 3 channels");
}

TEST_P(ImagePreprocessTest, RejectsWhatDoesNotFit) {
  const Shape image = {2, 3, 6, 5};
  EXPECT_CONFIG_ERROR_SAYS(Build(ImageConf("cropsize: 6"), image), "rgbimage_conf.cropsize",
                           "from 0 to 5");
  EXPECT_CONFIG_ERROR(Build(ImageConf("cropsize: -1"), image), "rgbimage_conf.cropsize");
  EXPECT_CONFIG_ERROR(Build(ImageConf("pad: -1"), image), "rgbimage_conf.pad");
  EXPECT_CONFIG_ERROR(Build(ImageConf("pad: 2147483647"), image), "rgbimage_conf.pad");
  EXPECT_CONFIG_ERROR(Build(ImageConf("scale: nan"), image), "rgbimage_conf.scale");
  EXPECT_CONFIG_ERROR(Build(ImageConf(""), {2, 3}), "srclayers");
}

}  // namespace
}  // namespace singa
