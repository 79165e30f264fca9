// Tests the tar that the format imagefolder writes. round_trip_test.cc reads its records back.
#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>

#include "io/store/store_writer.h"
#include "io/temp_dir.h"
#include "io/value_error.h"
#include "singa/base/error.h"
#include "support/heard_log.h"

namespace singa::imagefolder_writer {
namespace {

using Names = std::vector<std::string>;

class ImageFolderWriterTest : public testing::Test {
 protected:
  std::unique_ptr<StoreWriter> New(WriterOptions options) {
    options.path = path_;
    return NewStoreWriter("imagefolder", options, &files_);
  }
  // Writes a grey picture of 1 x 2 for each label.
  void Write(const std::vector<int32_t>& labels, const Names& classes = {}) {
    const auto writer = New({.shape = {1, 2}, .records = std::ssize(labels), .classes = classes});
    for (const int32_t label : labels) writer->Write({.pixel = pixels_, .label = label});
    writer->Finish();
  }
  Names NamesInTar() const {
    Names names;
    archive* const tar = archive_read_new();
    archive_read_support_format_tar(tar);
    EXPECT_EQ(archive_read_open_filename(tar, path_.c_str(), 1 << 14), ARCHIVE_OK);
    for (archive_entry* entry; archive_read_next_header(tar, &entry) == ARCHIVE_OK;)
      names.emplace_back(archive_entry_pathname(entry));
    archive_read_free(tar);
    return names;
  }
  std::string Refusal(const WriterOptions& options) {
    try {
      New(options);
    } catch (const ConfigError& error) {
      return error.message();
    }
    return "";
  }

  const TempDir dir_;
  const std::string path_ = dir_.Path("set.tar");
  const std::vector<uint8_t> pixels_ = {1, 2};
  PosixFileSystem files_;
};

TEST_F(ImageFolderWriterTest, FoldersSortAsTheirLabels) {
  Write({0, 10, 2});
  EXPECT_EQ(NamesInTar(),
            (Names{"00000/00000000.png", "00010/00000001.png", "00002/00000002.png"}));
}

TEST_F(ImageFolderWriterTest, FoldersHaveTheNamesOfClasses) {
  Write({1, 0}, {"cat", "dog"});
  EXPECT_EQ(NamesInTar(), (Names{"dog/00000000.png", "cat/00000001.png"}));
}

TEST_F(ImageFolderWriterTest, LongNamesOfAnyBytesAreKept) {
  const std::string name = std::string(150, 'x') + "\xe9";
  Write({0}, {name});
  EXPECT_EQ(NamesInTar(), Names{name + "/00000000.png"});
}

TEST_F(ImageFolderWriterTest, TheFileAppearsWhenItIsComplete) {
  const auto writer = New({.shape = {1, 2}, .records = 1});
  writer->Write({.pixel = pixels_, .label = 0});
  EXPECT_FALSE(std::filesystem::exists(path_));
  writer->Finish();
  EXPECT_TRUE(std::filesystem::exists(path_));
}

TEST_F(ImageFolderWriterTest, AFileThatIsNotFinishedLeavesNothing) {
  New({.shape = {1, 2}, .records = 1})->Write({.pixel = pixels_, .label = 0});
  EXPECT_TRUE(std::filesystem::is_empty(dir_.path()));
}

TEST_F(ImageFolderWriterTest, WarnsOfLabelsWithoutARecord) {
  const HeardLog log;
  Write({0, 1, 1});
  EXPECT_FALSE(log.Has("has no record"));
  Write({0, 2});
  EXPECT_TRUE(log.Has("some label below 2 has no record"));
}

TEST_F(ImageFolderWriterTest, ALabelIsAtMost99999AndNotNegative) {
  const auto writer = New({.shape = {1, 2}, .records = 1});
  for (const int32_t label : {-1, 100'000}) {
    try {
      writer->Write({.pixel = pixels_, .label = label});
      ADD_FAILURE() << label;
    } catch (const ValueError& error) {
      EXPECT_EQ(std::string(error.what()), "imagefolder has labels from 0 to 99999; the label " +
                                               std::to_string(label) + " is none");
    }
  }
  EXPECT_NO_THROW(writer->Write({.pixel = pixels_, .label = 99'999}));
}

TEST_F(ImageFolderWriterTest, RecordsThatAreNoPicturesAreRefused) {
  EXPECT_EQ(Refusal({.shape = {1, 2}, .has_label = false}),
            "imagefolder needs labels: they are the names of its folders");
  const std::string shape = "imagefolder holds pictures: -shape must be H,W or 1,H,W or 3,H,W";
  for (const std::vector<int32_t>& other : {std::vector<int32_t>{}, {5}, {2, 4, 4}, {1, 1, 4, 4}})
    EXPECT_EQ(Refusal({.shape = other}), shape);
  EXPECT_EQ(Refusal({.shape = {10'000, 10'000}}),
            "imagefolder holds pictures of at most 67108864 pixels");
  EXPECT_EQ(Refusal({.shape = {3, 4, 4}}), "");
}

}  // namespace
}  // namespace singa::imagefolder_writer
