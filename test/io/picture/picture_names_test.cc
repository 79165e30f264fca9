#include "io/picture/picture_names.h"

#include <gtest/gtest.h>

namespace singa {
namespace {

TEST(PictureNames, TheEndingSaysWhatIsDecoded) {
  for (const char* name : {"a.jpg", "x/a.JPEG", "a.b.Png", "a.WebP", "a.bmp", "a.tif", "a.TIFF"})
    EXPECT_TRUE(HasPictureName(name)) << name;
  for (const char* name : {"a.gif", "a", "a.jpg.gz", "png"}) EXPECT_FALSE(HasPictureName(name));
}

TEST(PictureNames, OtherFormatsArePicturesToo) {
  for (const char* name : {"a.jpg", "a.webp", "a.GIF", "a.heic", "a.jfif"})
    EXPECT_TRUE(HasNameOfAnyPicture(name)) << name;
  for (const char* name : {"a.txt", "a", "a.bin"}) EXPECT_FALSE(HasNameOfAnyPicture(name)) << name;
}

TEST(PictureNames, NotesAndWhatSystemsLeaveLieBesideTheData) {
  for (const char* name : {".DS_Store", "x/.hidden.png", "Thumbs.db", "desktop.ini", "README",
                           "ReadMe.first", "LICENSE-x.txt", "boxes.xml", "SHA256SUMS"})
    EXPECT_TRUE(LiesBesideData(name)) << name;
  for (const char* name : {"a.png", "a.webp", "0001", "readme.png", "a.bin", "notes"})
    EXPECT_FALSE(LiesBesideData(name)) << name;
}

}  // namespace
}  // namespace singa
