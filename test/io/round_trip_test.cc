// Converts records from each written format to each other format and back.
#include <gtest/gtest.h>

#include "io/format/guess_backend.h"
#include "io/image_files.h"
#include "io/store/convert_store.h"
#include "io/store/store_writer.h"
#include "io/temp_dir.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr int kRoundTripRecords = 12;
const std::vector<std::string> kFormats = {"cifar10", "idx",  "imagefolder",
                                           "kvfile",  "lmdb", "textfile"};

// Returns records of 3 x 32 x 32 bytes. Their labels never decrease, as in folders.
std::vector<std::string> Records() {
  std::vector<std::string> records(kRoundTripRecords);
  uint32_t state = 1;
  for (std::string& record : records)
    for (int i = 0; i < 3072; ++i) record += static_cast<char>((state = state * 1664525 + 1) >> 24);
  return records;
}
int LabelOf(int record) { return record * 10 / kRoundTripRecords; }

class RoundTrip : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  std::unique_ptr<Store> Open(const std::string& format, const std::string& name) {
    StoreOptions options{.path = dir_.Path(name)};
    if (format == "idx") options.label_path = dir_.Path(name + "-labels");
    return OpenStore(format, options);
  }
  WriterOptions Options(const std::string& name) {
    return {.path = dir_.Path(name), .label_path = dir_.Path(name + "-labels")};
  }
  TempDir dir_;
  PosixFileSystem files_;
};

void ExpectRecords(Store* store) {
  const std::vector<std::string> records = Records();
  ASSERT_EQ(store->size(), kRoundTripRecords);
  for (int i = 0; i < kRoundTripRecords; ++i) {
    const Sample& sample = store->Read(i);
    EXPECT_EQ(sample.label, LabelOf(i));
    std::string bytes(sample.pixel.begin(), sample.pixel.end());
    for (float x : sample.data) bytes += static_cast<char>(static_cast<uint8_t>(x));
    EXPECT_TRUE(bytes == records[i]) << "record " << i;
  }
}

TEST_P(RoundTrip, KeepsEveryRecord) {
  const auto& [via, back] = GetParam();
  std::string batch;
  const std::vector<std::string> records = Records();
  for (int i = 0; i < kRoundTripRecords; ++i) batch += static_cast<char>(LabelOf(i)) + records[i];
  dir_.Write("source", batch);
  ConvertStore(Open("cifar10", "source").get(), via, Options("via"), &files_);
  ExpectRecords(Open(via, "via").get());
  WriterOptions options = Options("back");
  options.shape = {3, 32, 32};  // a textfile does not have it
  ConvertStore(Open(via, "via").get(), back, options, &files_);
  ExpectRecords(Open(back, "back").get());
  EXPECT_EQ(GuessBackend(dir_.Path("back")), back);
}

INSTANTIATE_TEST_SUITE_P(All, RoundTrip,
                         ::testing::Combine(::testing::ValuesIn(kFormats),
                                            ::testing::ValuesIn(kFormats)),
                         [](const auto& pair) {
                           return std::get<0>(pair.param) + "_" + std::get<1>(pair.param);
                         });

class WriterTest : public ::testing::Test {
 protected:
  std::unique_ptr<Store> Lines(const std::string& text) {
    return OpenStore("textfile", {.path = dir_.Write("lines", text)});
  }
  void Convert(Store* from, const std::string& format, WriterOptions options = {}) {
    options.path = dir_.Path("out");
    ConvertStore(from, format, options, &files_);
  }
  void ExpectNothingLeft() {
    EXPECT_EQ(files_.List(dir_.Path("")), (std::vector<std::string>{"lines"}));
  }
  TempDir dir_;
  PosixFileSystem files_;
};

TEST_F(WriterTest, FoldersSortAsLabels) {
  Convert(Lines("10,1,2\n9,3,4\n").get(), "imagefolder", {.shape = {1, 2}});
  const auto store = OpenStore("imagefolder", {.path = dir_.Path("out"), .channels = 1});
  EXPECT_EQ(store->classes(), (std::vector<std::string>{"00009", "00010"}));
  EXPECT_EQ(store->Where(0), dir_.Path("out") + "/00009/00000001.png");
  EXPECT_EQ(store->Read(0).pixel[0], 3);
  EXPECT_EQ(store->Read(1).pixel[1], 2);
}

TEST_F(WriterTest, FoldersKeepTheirNames) {
  const std::string tar = dir_.Path("tar");
  WriteTar(tar, {{"b/x.png", Png(1, 1, {1, 2, 3})}, {"\xc3\xa4/x.png", Png(1, 1, {4, 5, 6})}});
  Convert(OpenStore("imagefolder", {.path = tar}).get(), "imagefolder");
  const auto store = OpenStore("imagefolder", {.path = dir_.Path("out")});
  EXPECT_EQ(store->classes(), (std::vector<std::string>{"b", "\xc3\xa4"}));
  EXPECT_EQ(store->Read(1).pixel[2], 6);
}

TEST_F(WriterTest, LmdbKeepsFloatsAndShapes) {
  Convert(Lines("1,0.5,-3e-05\n2,1e+20,3\n").get(), "lmdb");
  const auto store = OpenStore("lmdb", {.path = dir_.Path("out")});
  const Sample& sample = store->Read(0);
  EXPECT_EQ(sample.data[1], -3e-05f);
  EXPECT_EQ(std::vector<int>(sample.shape.begin(), sample.shape.end()),
            (std::vector<int>{2, 1, 1}));
  EXPECT_EQ(files_.List(dir_.Path("out")), (std::vector<std::string>{"data.mdb"}));
}

TEST_F(WriterTest, LmdbGrowsOverManyTransactions) {
  std::string lines;
  for (int i = 0; i < 70000; ++i) lines += StrCat(i, ",", i, "\n");
  Convert(Lines(lines).get(), "lmdb");
  const auto store = OpenStore("lmdb", {.path = dir_.Path("out")});
  ASSERT_EQ(store->size(), 70000);
  for (int i : {0, 65535, 65536, 65537, 69999}) EXPECT_EQ(store->Read(i).label, i);
}

TEST_F(WriterTest, ReplacesADatabase) {
  Convert(Lines("1,2\n").get(), "lmdb");
  Convert(Lines("7,2\n").get(), "lmdb");
  EXPECT_EQ(OpenStore("lmdb", {.path = dir_.Path("out")})->Read(0).label, 7);
}

TEST_F(WriterTest, AnErrorLeavesNothingOfAnyFormat) {
  const std::string half = "0,1,2\n0,1,2.5\n";
  EXPECT_ERROR(Convert(Lines(half).get(), "imagefolder", {.shape = {1, 2}}), kExitBadData,
               "record 1", "2.5");
  ExpectNothingLeft();
  EXPECT_ERROR(Convert(Lines("0,1,2\n0,1,2,3\n").get(), "lmdb"), kExitBadData, "record 1");
  ExpectNothingLeft();
  std::string numbers;
  for (int i = 0; i < 3072; ++i) numbers += ",1";
  EXPECT_ERROR(Convert(Lines("9" + numbers + "\n10" + numbers + "\n").get(), "cifar10"),
               kExitBadData, "record 1", "from 0 to 9", "10");
  ExpectNothingLeft();
}

TEST_F(WriterTest, AnErrorKeepsTheFormerDatabase) {
  Convert(Lines("1,2\n").get(), "lmdb");
  EXPECT_ERROR(Convert(Lines("0,1,2\n0,1,2,3\n").get(), "lmdb"), kExitBadData);
  EXPECT_EQ(files_.List(dir_.Path("out")), (std::vector<std::string>{"data.mdb"}));
  EXPECT_EQ(OpenStore("lmdb", {.path = dir_.Path("out")})->Read(0).label, 1);
}

TEST_F(WriterTest, RefusesWhatAFormatHasNoPlaceFor) {
  EXPECT_ERROR(Convert(Lines("0,1,2\n").get(), "cifar10"), kExitConfig, "3 x 32 x 32", "of 2");
  EXPECT_ERROR(Convert(Lines("0,1,2\n").get(), "imagefolder"), kExitConfig, "-shape");
  EXPECT_ERROR(Convert(Lines("0,1,2\n").get(), "imagefolder", {.shape = {2, 1, 1}}), kExitConfig,
               "3,H,W");
  EXPECT_ERROR(
      Convert(Lines("0,1,2\n").get(), "imagefolder", {.shape = {1, 2}, .has_label = false}),
      kExitConfig, "labels");
  std::string wide = "0";
  for (int i = 0; i < 1000001; ++i) wide += ",1";
  EXPECT_ERROR(Convert(Lines(wide + "\n").get(), "imagefolder", {.shape = {1, 1000001}}),
               kExitBadData, "PNG", "record 0");
  EXPECT_ERROR(Convert(Lines("100000,1\n").get(), "imagefolder", {.shape = {1, 1}}), kExitBadData,
               "99999");
  EXPECT_ERROR(Convert(Lines("0,1,2\n").get(), "lmdb", {.shape = {1, 1, 1, 2}}), kExitConfig,
               "3 sizes");
  ExpectNothingLeft();
}

}  // namespace
}  // namespace singa
