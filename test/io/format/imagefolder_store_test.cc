#include <gtest/gtest.h>

#include "io/image_files.h"
#include "io/picture/image_decoder.h"
#include "io/store/store.h"
#include "io/store/value_parser.h"
#include "io/store_files.h"
#include "io/temp_dir.h"
#include "singa/base/error.h"

namespace singa {
namespace {

class ImageFolderTest : public ::testing::Test {
 protected:
  std::unique_ptr<Store> Open(const std::string& path, int channels = 3) {
    return OpenStore("imagefolder", {.path = path, .channels = channels});
  }
  void WriteFolder(const Files& files) {
    for (const auto& [name, bytes] : files) {
      const std::filesystem::path path = dir_.Path("set/" + name);
      std::filesystem::create_directories(path.parent_path());
      dir_.Write("set/" + name, bytes);
    }
  }
  std::string Tar(const Files& files) {
    WriteTar(dir_.Path("set.tar"), files);
    return dir_.Path("set.tar");
  }

  TempDir dir_;
  const Files files_ = {{"dog/b.jpg", Jpeg(5, 4, {250, 10, 20})},
                        {"cat/a.PNG", Png(3, 2, {1, 2, 3})},
                        {"dog/a.jpeg", Jpeg(2, 2, {0, 0, 0})},
                        {"dog/notes.txt", "not a picture"}};
};

void ExpectFiles(Store* store) {
  ASSERT_EQ(store->size(), 3);  // cat/a.PNG, dog/a.jpeg, dog/b.jpg
  const Sample& cat = store->Read(0);
  EXPECT_EQ(cat.label, 0);
  EXPECT_EQ(std::vector<int>(cat.shape.begin(), cat.shape.end()), (std::vector<int>{3, 2, 3}));
  EXPECT_EQ(std::vector<int>(cat.pixel.begin(), cat.pixel.end()),
            (std::vector<int>{1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3}));
  const Sample& dog = store->Read(2);
  EXPECT_EQ(dog.label, 1);
  EXPECT_EQ(dog.size(), 3 * 4 * 5);
  EXPECT_NEAR(dog.pixel[0], 250, 4);
  EXPECT_NEAR(dog.pixel[20], 10, 4);
  EXPECT_NEAR(dog.pixel[59], 20, 4);
}

TEST_F(ImageFolderTest, ReadsAFolder) {
  WriteFolder(files_);
  ExpectFiles(Open(dir_.Path("set")).get());
}

TEST_F(ImageFolderTest, ReadsATar) { ExpectFiles(Open(Tar(files_)).get()); }

TEST_F(ImageFolderTest, ReadsATarWithLongNamesAndAFolderAround) {
  Files files;
  for (const auto& [name, bytes] : files_)
    files.emplace_back("train/" + std::string(150, 'x') + "/" + name, bytes);
  ExpectFiles(Open(Tar(files)).get());
}

TEST_F(ImageFolderTest, MakesGreyPictures) {
  const auto store = Open(Tar({{"a/x.png", Png(2, 1, {200, 200, 200})}}), 1);
  const Sample& sample = store->Read(0);
  EXPECT_EQ(sample.size(), 2);
  EXPECT_NEAR(sample.pixel[0], 200, 2);
}

// The samples are cyan, magenta, yellow, black; 255 means no ink, as in Photoshop's files.
TEST_F(ImageFolderTest, ReadsJpegFilesForPrint) {
  const std::string jpeg = JpegOf(2, 1, TJPF_CMYK, {200, 100, 50, 128, 255, 255, 255, 255});
  const auto colour = Open(Tar({{"a/x.jpg", jpeg}}));
  const Sample& sample = colour->Read(0);
  const int expected[] = {100, 255, 50, 255, 25, 255};  // ink times black / 255, planar
  ASSERT_EQ(sample.size(), 6);
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(sample.pixel[i], expected[i], 6) << i;
  const auto grey = Open(Tar({{"a/x.jpg", jpeg}}), 1);
  EXPECT_NEAR(grey->Read(0).pixel[0], 0.299 * 100 + 0.587 * 50 + 0.114 * 25, 6);
}

TEST_F(ImageFolderTest, FollowsLinksToFolders) {
  WriteFolder(files_);
  std::filesystem::rename(dir_.Path("set/cat"), dir_.Path("elsewhere"));
  std::filesystem::create_directory_symlink(dir_.Path("elsewhere"), dir_.Path("set/cat"));
  ExpectFiles(Open(dir_.Path("set")).get());
}

TEST_F(ImageFolderTest, NamesTheFileThatIsDamaged) {
  const std::string jpeg = Jpeg(40, 40, {9, 9, 9}), png = Png(4, 4, {1, 2, 3});
  const auto store = Open(Tar({{"a/1.jpg", jpeg.substr(0, jpeg.size() / 2)},
                               {"a/2.jpg", "GIF89a"},
                               {"a/3.png", png.substr(0, png.size() - 20)},
                               {"a/4.png", png.substr(0, 20)}}));
  for (int i = 0; i < 4; ++i) try {
      store->Read(i);
      ADD_FAILURE() << i << " was read";
    } catch (const DataError& error) {
      EXPECT_NE(std::string(error.what()).find(StrCat("set.tar/a/", i + 1)), std::string::npos)
          << error.what();
    }
}

TEST_F(ImageFolderTest, RefusesHeadersOfGiants) {
  std::string png = Png(4, 4, {1, 2, 3});
  for (int i : {16, 20}) png.replace(i, 4, std::string("\x00\x00\xfd\xe8", 4));  // 65,000 x 65,000
  EXPECT_THROW(Open(Tar({{"a/x.png", png}}))->Read(0), DataError);
  std::string jpeg = Jpeg(16, 16, {1, 2, 3});
  const size_t frame = jpeg.find("\xff\xc0");
  ASSERT_NE(frame, jpeg.npos);
  jpeg.replace(frame + 5, 4, "\xfd\xe8\xfd\xe8");
  EXPECT_THROW(Open(Tar({{"a/x.jpg", jpeg}}))->Read(0), DataError);
}

TEST_F(ImageFolderTest, RefusesAPngThatItsBytesCannotHold) {
  std::string png = Png(4, 4, {1, 2, 3});
  for (int i : {16, 20}) png.replace(i, 4, std::string("\x00\x00\x1f\x40", 4));  // 8,000 x 8,000
  const std::string checksum = BigEndian(
      static_cast<uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(png.data() + 12), 17)));
  png.replace(29, 4, checksum);
  EXPECT_ERROR(Open(Tar({{"a/x.png", png}}))->Read(0), kExitBadData, "8000 x 8000", "cannot be in");
}

TEST_F(ImageFolderTest, RefusesAJpegThatItsBytesCannotHold) {
  std::string jpeg = Jpeg(16, 16, {1, 2, 3});
  const size_t frame = jpeg.find("\xff\xc0");
  ASSERT_NE(frame, jpeg.npos);
  jpeg.replace(frame + 5, 4, "\x1f\x40\x1f\x40");  // 8,000 x 8,000
  EXPECT_ERROR(Open(Tar({{"a/x.jpg", jpeg}}))->Read(0), kExitBadData, "8000 x 8000",
               "cannot be in");
}

TEST_F(ImageFolderTest, RefusesAJpegOfTooManyScans) {
  std::string jpeg = Jpeg(8000, 8000, {1, 2, 3});
  for (int i = 0; i < 16; ++i) jpeg += "\xff\xda";
  EXPECT_ERROR(Open(Tar({{"a/x.jpg", jpeg}}))->Read(0), kExitBadData, "17 scans");
}

TEST_F(ImageFolderTest, KnowsTheNamesOfItsClasses) {
  EXPECT_EQ(Open(Tar(files_))->classes(), (std::vector<std::string>{"cat", "dog"}));
}

TEST_F(ImageFolderTest, GivesFilesAsTheyAre) {
  const auto store = OpenStore("imagefolder", {.path = Tar(files_), .raw_files = true});
  const Sample& sample = store->Read(1);
  EXPECT_EQ(std::string(sample.pixel.begin(), sample.pixel.end()), files_[2].second);
  EXPECT_EQ(sample.label, 1);
  EXPECT_TRUE(sample.shape.empty());
}

TEST_F(ImageFolderTest, ATarThatShrinksUnderTheReaderIsAnError) {
  const std::string path = Tar(files_);
  const auto store = Open(path);
  std::filesystem::resize_file(path, 600);
  EXPECT_THROW(store->Read(2), FileError);
}

TEST_F(ImageFolderTest, CountsWhatItLeavesOutAndNamesTheFirstFew) {
  Files files = files_;
  for (const char* name :
       {"dog/a.heic", "dog/b.gif", "dog/c", "dog/d.TGA", "dog/e.jp2", "cat/f.ppm"})
    files.emplace_back(name, "no JPEG");
  WriteFolder(files);
  for (const std::string& path : {dir_.Path("set"), Tar(files)}) {
    const LeftOut left_out = Open(path)->left_out();
    EXPECT_EQ(left_out.count, 6);
    EXPECT_EQ(left_out.first, (std::vector<std::string>{"cat/f.ppm", "dog/a.heic", "dog/b.gif",
                                                        "dog/c", "dog/d.TGA"}));
    EXPECT_EQ(LeftOutText(left_out),
              "6 files: cat/f.ppm, dog/a.heic, dog/b.gif, dog/c, dog/d.TGA and 1 more");
  }
}

}  // namespace
}  // namespace singa
