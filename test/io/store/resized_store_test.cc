// Compares with golden numbers of PIL 12's Image.resize with BILINEAR.
#include "io/store/resized_store.h"

#include <gtest/gtest.h>

#include "singa/base/error.h"

namespace singa {
namespace {

// TwoPlanes has one channel of 5 x 7 pixels, and its negative.
class TwoPlanes final : public Store {
 public:
  TwoPlanes() : pixels_(70) {
    for (int y = 0; y < 5; ++y)
      for (int x = 0; x < 7; ++x) {
        pixels_[y * 7 + x] = static_cast<uint8_t>((37 * y + 11 * x * x + 5 * x * y) % 256);
        pixels_[35 + y * 7 + x] = static_cast<uint8_t>(255 - pixels_[y * 7 + x]);
      }
    sample_ = {.pixel = pixels_, .shape = shape_, .label = 3};
  }
  int64_t size() const override { return 1; }
  const Sample& Read(int64_t) override { return sample_; }
  const std::string& name() const override { return name_; }
  LabelRange Labels() override {
    LabelRange range;
    range.Add(sample_.label, 0);
    return range;
  }
  Sample* sample() { return &sample_; }

 private:
  const std::string name_ = "planes";
  std::vector<uint8_t> pixels_;
  std::array<int32_t, 3> shape_ = {2, 5, 7};
  Sample sample_;
};

void ExpectResized(int32_t height, int32_t width, const std::vector<int>& golden) {
  const auto store = ResizePictures(std::make_unique<TwoPlanes>(), height, width);
  const Sample& sample = store->Read(0);
  EXPECT_EQ(sample.label, 3);
  EXPECT_EQ(std::vector<int32_t>(sample.shape.begin(), sample.shape.end()),
            (std::vector<int32_t>{2, height, width}));
  ASSERT_EQ(sample.pixel.size(), 2 * golden.size());
  for (size_t i = 0; i < golden.size(); ++i) {
    EXPECT_NEAR(sample.pixel[i], golden[i], 1) << i;
    EXPECT_NEAR(sample.pixel[golden.size() + i], 255 - golden[i], 1) << i;
  }
}

TEST(ResizedStore, MakesPicturesSmaller) {
  ExpectResized(3, 2, {62, 124, 119, 124, 162, 123});
  ExpectResized(5, 4, {7,   53, 123, 90,  46,  100, 180, 154, 86, 148,
                       103, 72, 126, 195, 160, 137, 165, 171, 93, 91});
}

TEST(ResizedStore, MakesGreyPicturesWithoutChannels) {
  std::array<int32_t, 2> shape = {5, 7};
  auto planes = std::make_unique<TwoPlanes>();
  planes->sample()->shape = shape;
  planes->sample()->pixel = planes->sample()->pixel.first(35);
  const auto store = ResizePictures(std::move(planes), 3, 2);
  EXPECT_EQ(RecordShape(store.get()), (std::vector<int32_t>{3, 2}));
  EXPECT_NEAR(store->Read(0).pixel[0], 62, 1);
}

TEST(ResizedStore, MakesPicturesLarger) {
  ExpectResized(8, 9, {0,   7,   26,  56,  99,  159, 89,  59,  140, 16,  25,  45,  77,  122, 184,
                       115, 87,  169, 39,  51,  73,  107, 154, 206, 146, 122, 195, 62,  76,  100,
                       137, 187, 117, 112, 108, 77,  86,  101, 128, 167, 219, 89,  113, 121, 39,
                       109, 126, 155, 198, 252, 124, 150, 161, 81,  132, 151, 183, 196, 140, 126,
                       108, 105, 123, 148, 169, 203, 192, 51,  126, 72,  58,  152});
}

TEST(ResizedStore, KeepsNumbersThatAreNoBytes) {
  const std::vector<float> numbers = {0.25f, 0.75f, 1.25f, 1.75f, 100.5f, 101.5f, 102.5f, 103.5f};
  const std::array<int32_t, 3> shape = {1, 2, 4};
  auto planes = std::make_unique<TwoPlanes>();
  planes->sample()->data = numbers;
  planes->sample()->shape = shape;
  const auto store = ResizePictures(std::move(planes), 1, 4);
  const Sample& sample = store->Read(0);
  ASSERT_EQ(sample.data.size(), 4u);  // means of two rows
  for (int i = 0; i < 4; ++i) EXPECT_FLOAT_EQ(sample.data[i], (numbers[i] + numbers[4 + i]) / 2);
}

TEST(ResizedStore, LeavesPicturesOfThatSizeAlone) {
  TwoPlanes planes;
  const auto store = ResizePictures(std::make_unique<TwoPlanes>(), 5, 7);
  const Sample &got = store->Read(0), &want = planes.Read(0);
  EXPECT_TRUE(std::equal(got.pixel.begin(), got.pixel.end(), want.pixel.begin(), want.pixel.end()));
}

TEST(ResizedStore, RefusesWhatIsNoPicture) {
  auto planes = std::make_unique<TwoPlanes>();
  planes->sample()->shape = planes->sample()->shape.first(2);
  EXPECT_THROW(ResizePictures(std::move(planes), 4, 4)->Read(0), DataError);
}

TEST(ResizedStore, RefusesMoreNumbersThanMemoryIsMeantFor) {
  const std::vector<uint8_t> pixels(1 << 20);
  const std::array<int32_t, 3> shape{1 << 20, 1, 1};
  auto planes = std::make_unique<TwoPlanes>();
  planes->sample()->pixel = pixels;
  planes->sample()->shape = shape;
  EXPECT_THROW(ResizePictures(std::move(planes), 224, 224)->Read(0), DataError);
}

TEST(ResizedStore, RefusesAShapeWithoutPixels) {
  const std::array<int32_t, 3> shape{8, 1788, 8};
  auto planes = std::make_unique<TwoPlanes>();
  planes->sample()->pixel = {};
  planes->sample()->shape = shape;
  EXPECT_THROW(ResizePictures(std::move(planes), 4, 4)->Read(0), DataError);
}

TEST(ResizedStore, RefusesAShapeThatItsPixelsDoNotFit) {
  for (const std::array<int32_t, 3>& shape :
       {std::array<int32_t, 3>{2, 1000, 1000}, {-2, -5, 7}, {2, 5, 6}, {0, 5, 7}}) {
    auto planes = std::make_unique<TwoPlanes>();
    planes->sample()->shape = shape;
    EXPECT_THROW(ResizePictures(std::move(planes), 4, 4)->Read(0), DataError) << shape[0];
  }
}

TEST(ResizedStore, TellsTheLabelsOfItsSource) {
  const LabelRange labels = ResizePictures(std::make_unique<TwoPlanes>(), 2, 2)->Labels();
  EXPECT_EQ(labels.of_greatest, 0);
  EXPECT_EQ(labels.greatest, 3);
}

}  // namespace
}  // namespace singa
