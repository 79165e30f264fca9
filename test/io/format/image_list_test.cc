// Tests lines of image lists.
#include "io/format/image_list.h"

#include <gtest/gtest.h>

#include "io/refusal.h"

namespace singa {
namespace {

using FloatRow = std::vector<float>;

ListedPicture ParseListed(std::string_view line, bool has_label = true, int64_t targets = 0) {
  ListedPicture picture;
  ParseListedPicture(line, has_label, targets, ClassWords({}), &picture);
  return picture;
}

std::string ListErrorOf(std::string_view line, int64_t targets = 0) {
  return RefusalOf([&] { ParseListed(line, true, targets); });
}

TEST(ImageListTest, TheLastFieldIsTheLabel) {
  const ListedPicture picture = ParseListed(" dogs/a.jpg\t 3 \r");
  EXPECT_EQ(picture.name, "dogs/a.jpg");
  EXPECT_EQ(picture.label, 3);
  EXPECT_EQ(ParseListed("a.jpg -1").label, -1);
}

TEST(ImageListTest, ANameMayHaveBlanks) {
  EXPECT_EQ(ParseListed("my dogs/a 1.jpg 3").name, "my dogs/a 1.jpg");
  EXPECT_EQ(ParseListed("my dogs/a 1.jpg", false).name, "my dogs/a 1.jpg");
  EXPECT_EQ(ParseListed("my dogs/a 1.jpg 0.5 2", true, 2).name, "my dogs/a 1.jpg");
}

TEST(ImageListTest, TheLastFieldsAreTheTargets) {
  const ListedPicture picture = ParseListed("a.jpg 0.5 +1 -2e1", false, 3);
  EXPECT_EQ(picture.targets, (FloatRow{0.5, 1, -20}));
  EXPECT_EQ(picture.label, kNoLabel);
  EXPECT_EQ(picture.name, "a.jpg");
  EXPECT_EQ(ParseListed("a.jpg 1e-46", false, 1).targets, FloatRow{0});
}

TEST(ImageListTest, WithoutLabelsNumbersOrAWordBehindAPictureAreLeftOut) {
  EXPECT_EQ(ParseListed("a b.jpg 3", false).name, "a b.jpg");
  EXPECT_EQ(ParseListed("a.PNG 0.5 1", false).name, "a.PNG");
  EXPECT_EQ(ParseListed("a b.jpg dog", false).name, "a b.jpg");
  EXPECT_EQ(ParseListed("scan 3", false).name, "scan 3");  // not the name of a picture
}

TEST(ImageListTest, NamesWhatIsWrongWithALine) {
  EXPECT_EQ(ListErrorOf("a.jpg"), "has no label behind the name of its picture");
  EXPECT_EQ(
      ListErrorOf("a.jpg dog"),
      "the label behind the name must be an integer from -2147483647 to 2147483647, is \"dog\"; "
      "write classes as numbers from 0, or set class_names");
  EXPECT_EQ(
      ListErrorOf("a.jpg 1.5"),
      "the label behind the name must be an integer from -2147483647 to 2147483647, is \"1.5\"");
  EXPECT_NE(ListErrorOf("a.jpg +-5"), "");
  EXPECT_TRUE(ListErrorOf("a.jpg 1.0").ends_with("\"1.0\"; write classes as integers"));
  EXPECT_EQ(ListErrorOf("a.jpg 1", 2),
            "has 1 number behind the name of its picture; num_targets is 2");
  EXPECT_EQ(ListErrorOf("a.jpg 1 x", 2), "target 2 must be a finite number, is \"x\"");
  EXPECT_EQ(ListErrorOf("a.jpg nan 1", 2), "target 1 must be a finite number, is \"nan\"");
  EXPECT_EQ(ListErrorOf("a.jpg 1e99 1", 2), "target 1 must be a finite number, is \"1e99\"");
  EXPECT_EQ(ListErrorOf(std::string("a\0b.jpg 1", 9)), "its 7 bytes are no path: \"a?b.jpg\"");
  EXPECT_NE(ListErrorOf(std::string(5000, 'a') + " 1"), "");
}

TEST(ImageListTest, AdvisesWhenANameSeemsToHoldMoreThanAName) {
  EXPECT_EQ(MissingAdvice("a b/0.bmp 0"),
            "; a line has one label, or num_targets numbers (singa data: -targets)");
  EXPECT_EQ(MissingAdvice("a.bmp 0\rb.bmp"),
            "; lines seem to end with \\r alone; end them with \\n");
  EXPECT_EQ(MissingAdvice("\"a b.bmp\""), "; a name stands without quotes, also one with blanks");
  for (const char* name : {"a 1.bmp", "0.bmp", "7", "\""})
    EXPECT_EQ(MissingAdvice(name), "") << name;
}

TEST(ImageListTest, ALineIsToldFromOtherTexts) {
  for (const char* line :
       {"a.jpg 1", "a b.png 0.5 1", "dogs/a.webp", "/x/y.JPEG\t7\r", "a.jpg dog"})
    EXPECT_TRUE(IsListedPicture(line)) << line;
  for (const char* line : {"1,2,3", "1 2 3", "a.jpg,1", "word", "a.jpg is here", ""})
    EXPECT_FALSE(IsListedPicture(line)) << line;
}

}  // namespace
}  // namespace singa
