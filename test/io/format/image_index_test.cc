#include "io/format/image_index.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "io/image_files.h"
#include "io/temp_dir.h"
#include "singa/base/error.h"

namespace singa {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

// An index does not read pictures, so their bytes are no pictures.
class ImageIndexTest : public ::testing::Test {
 protected:
  std::string Folder(const Files& files) const {
    for (const auto& [name, bytes] : files) {
      fs::create_directories(fs::path(dir_.Path("set/" + name)).parent_path());
      dir_.Write("set/" + name, bytes);
    }
    return dir_.Path("set");
  }
  std::string Tar(const Files& files, bool compressed = false) const {
    WriteTar(dir_.Path("set.tar"), files, compressed);
    return dir_.Path("set.tar");
  }
  static Texts NamesOf(const ImageIndex& index) {
    Texts names;
    for (const ImagePlace& place : index.places) names.push_back(place.name);
    return names;
  }
  void ExpectBadTar(const std::string& path, const std::string& what) const {
    EXPECT_ERROR(IndexImageTar(path), kExitBadData, what);
  }

  const TempDir dir_;
  const Files files_ = {
      {"dog/b.jpg", "bb"}, {"cat/a.PNG", "a"}, {"dog/a.jpeg", "aaa"}, {"dog/notes.txt", "n"}};
};

TEST_F(ImageIndexTest, HasThePicturesOfAFolderInTheOrderOfTheirNames) {
  const ImageIndex index = IndexImageFolder(Folder(files_));
  EXPECT_EQ(NamesOf(index), (Texts{"cat/a.PNG", "dog/a.jpeg", "dog/b.jpg"}));
  EXPECT_EQ(index.classes, (Texts{"cat", "dog"}));
  EXPECT_EQ(index.places[0].label, 0);
  EXPECT_EQ(index.places[2].label, 1);
  EXPECT_EQ(index.left_out.count, 0);
}

TEST_F(ImageIndexTest, HasThePlacesOfThePicturesInATar) {
  const std::string path = Tar(files_);
  const ImageIndex index = IndexImageTar(path);
  EXPECT_EQ(NamesOf(index), (Texts{"cat/a.PNG", "dog/a.jpeg", "dog/b.jpg"}));
  EXPECT_EQ(index.places[1].label, 1);
  EXPECT_EQ(TempDir::Read(path).substr(index.places[1].offset, index.places[1].size), "aaa");
}

TEST_F(ImageIndexTest, AClassIsTheFirstFolderBelowAFolder) {
  const ImageIndex index = IndexImageFolder(Folder({{"cat/more/deep/a.png", ""}}));
  EXPECT_EQ(index.classes, Texts{"cat"});
  EXPECT_EQ(NamesOf(index), Texts{"cat/more/deep/a.png"});
}

TEST_F(ImageIndexTest, AClassIsTheInnermostFolderOfATar) {
  const ImageIndex index = IndexImageTar(Tar({{"./set/train/cat/a.png", "a"}}));
  EXPECT_EQ(index.classes, Texts{"cat"});
}

TEST_F(ImageIndexTest, OfATarLeavesOutPicturesAtAnotherDepthThanMost) {
  Files files = files_;
  files.emplace_back("dog/more/x.png", "x");
  const ImageIndex index = IndexImageTar(Tar(files));
  EXPECT_EQ(index.places.size(), 3u);
  EXPECT_EQ(index.left_out.first, Texts{"dog/more/x.png (in a folder at another depth than most)"});
}

TEST_F(ImageIndexTest, ReadsNothingBesideItsClassFolders) {
  Files files = files_;
  for (const char* name : {"top.png", ".hidden/x.png", "__MACOSX/dog/x.png", "dog/._a.jpg"})
    files.emplace_back(name, "x");
  const ImageIndex of_folder = IndexImageFolder(Folder(files)), of_tar = IndexImageTar(Tar(files));
  EXPECT_EQ(of_folder.places.size(), 3u);
  EXPECT_EQ(of_folder.left_out.first, Texts{"top.png (in no class folder)"});
  EXPECT_EQ(of_tar.places.size(), 3u);
  EXPECT_EQ(of_tar.left_out.first, Texts{"top.png (in no class folder)"});
}

TEST_F(ImageIndexTest, LeavesOutFilesThatAreNotDecoded) {
  Files files = files_;
  files.emplace_back("dog/a.gif", "GIF89a");
  EXPECT_EQ(IndexImageFolder(Folder(files)).left_out.first, Texts{"dog/a.gif"});
  EXPECT_EQ(IndexImageTar(Tar(files)).left_out.first, Texts{"dog/a.gif"});
}

TEST_F(ImageIndexTest, AnEmptyClassFolderHasALabel) {
  fs::create_directory(Folder(files_) + "/cow");
  const ImageIndex index = IndexImageFolder(dir_.Path("set"));
  EXPECT_EQ(index.classes, (Texts{"cat", "cow", "dog"}));
  EXPECT_EQ(index.places[2].label, 2);
  EXPECT_EQ(index.left_out.first, Texts{"cow/ (no picture)"});
}

TEST_F(ImageIndexTest, FollowsLinksToFolders) {
  const std::string set = Folder(files_);
  fs::rename(set + "/cat", dir_.Path("elsewhere"));
  fs::create_directory_symlink(dir_.Path("elsewhere"), set + "/cat");
  EXPECT_EQ(NamesOf(IndexImageFolder(set))[0], "cat/a.PNG");
}

// A skipped class would change the labels of later classes.
TEST_F(ImageIndexTest, ALinkToNothingIsAnError) {
  const std::string set = Folder(files_);
  for (const char* link : {"emu", "cat/gone.jpg"}) {
    fs::create_symlink(dir_.Path("gone"), set + "/" + link);
    EXPECT_ERROR(IndexImageFolder(set), kExitBadData, link, "is a link to nothing");
    fs::remove(set + "/" + link);
  }
}

TEST_F(ImageIndexTest, AnEditorsLockMayLinkToNothing) {
  const std::string set = Folder(files_);
  fs::create_symlink("somebody@host.7", set + "/cat/.#notes");
  EXPECT_EQ(IndexImageFolder(set).places.size(), 3u);
}

TEST_F(ImageIndexTest, AFolderIsReadOnce) {
  const std::string set = Folder(files_);
  for (const char* to : {"", "/cat"}) {
    fs::create_directory_symlink(set + to, set + "/cat/again");
    EXPECT_ERROR(IndexImageFolder(set), kExitBadData, "cat/again",
                 "is a link to a folder that is read already");
    fs::remove(set + "/cat/again");
  }
  fs::create_directory_symlink(set + "/dog", set + "/emu");
  EXPECT_ERROR(IndexImageFolder(set), kExitBadData, "set/", "that is read already");
}

TEST_F(ImageIndexTest, WithoutAPictureThereIsNoIndex) {
  fs::create_directory(dir_.Path("empty"));
  EXPECT_ERROR(
      IndexImageFolder(dir_.Path("empty")), kExitBadData,
      "holds no picture (.jpg, .jpeg, .png, .webp, .bmp, .tif and .tiff) in a folder of its "
      "class");
  ExpectBadTar(
      Tar({{"x.png", "x"}}),
      "in a folder of its class; it leaves out 1 file: x.png (in no class folder); if it is "
      "the folder of one class, give the folder above it");
  ExpectBadTar(Tar({{"a/x.gif", "GIF89a"}}), "it leaves out 1 file: a/x.gif");
}

TEST_F(ImageIndexTest, WhatIsNotThereIsNoInput) {
  EXPECT_ERROR(IndexImageFolder(dir_.Path("none")), kExitNoInput, "none");
  EXPECT_ERROR(IndexImageTar(dir_.Path("none")), kExitNoInput, "none");
}

TEST_F(ImageIndexTest, AFileOfSomethingElseIsNoTar) {
  ExpectBadTar(dir_.Write("a", "no tar at all"), "is no whole tar: ");
}

TEST_F(ImageIndexTest, ACompressedTarIsRefused) {
  ExpectBadTar(Tar(files_, true),
               "is compressed: its pictures cannot be read in any order; unpack it");
}

TEST_F(ImageIndexTest, ANameStaysInTheArchive) {
  ExpectBadTar(Tar({{"a/../../etc/x.png", "x"}}),
               "the name \"a/../../etc/x.png\" leads out of the archive");
  ExpectBadTar(Tar({{"/a/x.png", "x"}}), "the name \"/a/x.png\" leads out of the archive");
}

TEST_F(ImageIndexTest, APictureInATarIsNoLink) {
  ExpectBadTar(Tar({{"a/x.png", "x"}, {"a/y.png", "-> a/x.png"}}), "\"a/y.png\" is a link");
  ExpectBadTar(Tar({{"a/x.png", "x"}, {"a/y.png", "=> a/x.png"}}), "\"a/y.png\" is a link");
}

TEST_F(ImageIndexTest, ATarThatIsCutOffInAPictureIsRefused) {
  const std::string whole = TempDir::Read(Tar({{"a/x.png", "0123456789"}}));
  const size_t picture = whole.find("0123456789");
  ExpectBadTar(dir_.Write("cut", whole.substr(0, picture + 5)),
               StrCat("\"a/x.png\" goes beyond the end, at ", picture + 5, " bytes: cut off?"));
}

TEST_F(ImageIndexTest, ATarThatIsCutOffBehindAPictureIsRefused) {
  const std::string whole = TempDir::Read(Tar(files_));
  const size_t second = whole.find("cat/a.PNG");
  ExpectBadTar(dir_.Write("cut", whole.substr(0, second)),
               StrCat("has no end mark (a block of zeros) after its last entry, at ", second,
                      " bytes: cut off?"));
}

TEST_F(ImageIndexTest, OneBlockOfTheEndMarkIsEnough) {
  const std::string whole = TempDir::Read(Tar({{"a/x.png", "x"}}));
  const size_t mark = whole.find_last_not_of('\0') / 512 * 512 + 512;
  EXPECT_EQ(IndexImageTar(dir_.Write("cut", whole.substr(0, mark + 512))).places.size(), 1u);
}

TEST_F(ImageIndexTest, WhatFollowsTheEndMarkIsNotRead) {
  const std::string whole = TempDir::Read(Tar(files_));
  EXPECT_EQ(IndexImageTar(dir_.Write("long", whole + "garbage")).places.size(), 3u);
  EXPECT_EQ(IndexImageTar(dir_.Write("long", whole + std::string(10000, '\0'))).places.size(), 3u);
}

}  // namespace
}  // namespace singa
