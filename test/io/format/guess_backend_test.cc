#include "io/format/guess_backend.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "io/image_files.h"
#include "io/store_files.h"
#include "io/temp_dir.h"
#include "singa/base/error.h"

namespace singa {
namespace {

class GuessBackendTest : public ::testing::Test {
 protected:
  // Returns the guess for a file with these bytes.
  std::string Guess(const std::string& bytes, const std::string& name = "file") const {
    return GuessBackend(dir_.Write(name, bytes));
  }
  // Makes a folder with an empty file of each name. Returns its path.
  std::string Folder(const std::vector<std::string>& names) const {
    std::filesystem::remove_all(dir_.Path("folder"));
    std::filesystem::create_directory(dir_.Path("folder"));
    for (const std::string& name : names) dir_.Write("folder/" + name, "");
    return dir_.Path("folder");
  }
  static std::string BlackPicture(int label) {
    return std::string(1, static_cast<char>(label)) + std::string(3072, '\0');
  }

  const TempDir dir_;
};

TEST_F(GuessBackendTest, KnowsEachFormatByItsContent) {
  EXPECT_EQ(Guess(Idx({2, 1, 2}, "abcd")), "idx");
  EXPECT_EQ(Guess(Gzip(Idx({1}, "a"))), "idx");
  EXPECT_EQ(Guess(Tuple("00000000", "value")), "kvfile");
  EXPECT_EQ(Guess("1,2,3,4,5,6\n"), "textfile");
}

TEST_F(GuessBackendTest, KnowsAListOfPicturesByItsFirstLine) {
  EXPECT_EQ(Guess("\xEF\xBB\xBF\r\nmy dogs/a.jpg 3\nb.jpg 1\n"), "imagelist");
  EXPECT_EQ(Guess("a.png 0.5 1"), "imagelist");
  EXPECT_EQ(Guess("3 a.png\n"), "imagelist");  // a name with a blank, without a label
  EXPECT_EQ(Guess("1 2 3\na.png 4\n"), "textfile");
}

TEST_F(GuessBackendTest, AnEmptyFileIsText) { EXPECT_EQ(Guess(""), "textfile"); }

TEST_F(GuessBackendTest, KnowsATarByItsMagic) {
  std::string tar(1024, '\0');
  tar.replace(257, 5, "ustar");
  EXPECT_EQ(Guess(tar), "imagefolder");
}

TEST_F(GuessBackendTest, KnowsLmdbByItsMagic) {
  std::string lmdb(152, 'x');
  lmdb.replace(16, 4, "\xDE\xC0\xEF\xBE");
  EXPECT_EQ(Guess(lmdb), "lmdb");
  EXPECT_EQ(Guess(lmdb.substr(0, 151)), "textfile");
}

TEST_F(GuessBackendTest, KnowsABatchOfCifar10ByItsSizeAndLabels) {
  EXPECT_EQ(Guess(std::string(1, 9) + std::string(3072, '\xff')), "cifar10");
  EXPECT_EQ(Guess(std::string(1, 'A') + std::string(3072, '\xff')), "textfile");
}

// Its first bytes could be a kvfile's lengths.
TEST_F(GuessBackendTest, ABlackPictureIsCifar10) {
  EXPECT_EQ(Guess(BlackPicture(3) + BlackPicture(3)), "cifar10");
  EXPECT_EQ(Guess(BlackPicture(3) + BlackPicture(3).substr(0, 100)), "kvfile");
}

TEST_F(GuessBackendTest, ATupleThatEndsInTheFileIsAKvfileOfAnySize) {
  const std::string tuple = Tuple("00000000", std::string(3073 - 24, 'x'));
  EXPECT_EQ(Guess(tuple + tuple), "kvfile");
}

TEST_F(GuessBackendTest, AWholeIdxIsNoCifar10) {
  const std::string borders = Idx({48, 32, 32}, std::string(48 * 32 * 32, '\0'));
  ASSERT_EQ(borders.size() % 3073, 0u);
  EXPECT_EQ(Guess(borders), "idx");
}

TEST_F(GuessBackendTest, ADamagedIdxIsKnownByItsFirstBytes) {
  EXPECT_EQ(Guess(Idx({2, 1, 2}, "abc")), "idx");
  EXPECT_EQ(Guess(Idx({1u << 31, 1u << 31, 1u << 31}, "abc")), "idx");
  EXPECT_EQ(Guess(std::string("\0\0\x0d\1\0\0\0\1abcd", 12)), "idx");  // of floats
}

TEST_F(GuessBackendTest, ADamagedKvfileIsKnownByItsFirstLength) {
  EXPECT_EQ(Guess(Tuple("00000000", "value").substr(0, 20)), "kvfile");
}

TEST_F(GuessBackendTest, APictureIsNoStore) {
  EXPECT_ERROR(Guess(Png(2, 1, {1, 2, 3}), "a.png"), kExitBadData, "a.png",
               "is a picture by its name, not a store of records; pictures are read from .jpg, "
               ".jpeg, .png, .webp, .bmp, .tif and .tiff files");
}

TEST_F(GuessBackendTest, AStoreMayHaveTheNameOfAPicture) {
  EXPECT_EQ(Guess(Idx({2, 1, 2}, "abcd"), "a.png"), "idx");
}

TEST_F(GuessBackendTest, AFileThatIsNotThereIsNoInput) {
  EXPECT_ERROR(GuessBackend(dir_.Path("none")), kExitNoInput, "none");
}

TEST_F(GuessBackendTest, KnowsAFolderByTheNamesInIt) {
  EXPECT_EQ(GuessBackend(Folder({"shard.dat"})), "kvfile");
  EXPECT_EQ(GuessBackend(Folder({"data.mdb"})), "lmdb");
  EXPECT_EQ(GuessBackend(Folder({"data_batch_1.bin", "readme.html"})), "cifar10");
  EXPECT_EQ(GuessBackend(Folder({"readme.html"})), "imagefolder");
  EXPECT_EQ(GuessBackend(Folder({})), "imagefolder");
}

TEST_F(GuessBackendTest, OfAFolderOfIdxFilesNamesOne) {
  EXPECT_ERROR(
      GuessBackend(Folder({"train-images-idx3-ubyte", "t10k-images-idx3-ubyte"})), kExitBadData,
      "is a folder with files of idx; name one of them: ", "/folder/t10k-images-idx3-ubyte");
}

TEST_F(GuessBackendTest, AnErrorSaysThatTheFormatWasGuessed) {
  EXPECT_EQ(GuessText("idx", ""),
            "; read as idx, as its content seems to be: -from FORMAT names another format");
  EXPECT_EQ(GuessText("idx", "-no_labels leaves labels out"),
            "; read as idx, as its content seems to be: -from FORMAT names another format; "
            "-no_labels leaves labels out");
}

TEST_F(GuessBackendTest, LabelsLieBesideTheirImages) {
  const std::string labels = dir_.Write("train-labels-idx1-ubyte", "");
  EXPECT_EQ(GuessLabelPath(dir_.Path("train-images-idx3-ubyte")), labels);
  EXPECT_EQ(GuessLabelPath(dir_.Path("t10k-images-idx3-ubyte")), "");
  EXPECT_EQ(GuessLabelPath(dir_.Path("train")), "");
}

TEST_F(GuessBackendTest, OnlyTheFilesOwnNameIsAnother) {
  std::filesystem::create_directory(dir_.Path("images-idx3"));
  const std::string labels = dir_.Write("images-idx3/labels-idx1", "");
  EXPECT_EQ(GuessLabelPath(dir_.Path("images-idx3/images-idx3")), labels);
}

}  // namespace
}  // namespace singa
