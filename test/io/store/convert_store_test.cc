#include "io/store/convert_store.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <sstream>

#include "io/image_files.h"
#include "io/mean_record.h"
#include "io/store/readable_records.h"
#include "io/store/store_statistics.h"
#include "io/store_files.h"
#include "io/temp_dir.h"
#include "singa/base/error.h"

namespace singa {
namespace {

class ConvertStoreTest : public ::testing::Test {
 protected:
  ConvertStoreTest() {
    images_ = dir_.Write("a-images-idx3", Idx({2, 1, 2}, std::string("\0\xff\1\2", 4)));
    labels_ = dir_.Write("a-labels-idx1", Idx({2}, std::string("\7\0", 2)));
  }
  std::unique_ptr<Store> Idx2() {
    return OpenStore("idx", {.path = images_, .label_path = labels_});
  }
  std::unique_ptr<Store> Lines(const std::string& text) {
    return OpenStore("textfile", {.path = dir_.Write("lines", text)});
  }
  std::unique_ptr<Store> TurnedPictures() {
    WriteTar(dir_.Path("pictures"),
             {{"a/1.png", Png(2, 1, {1, 2, 3})}, {"a/2.png", Png(1, 2, {1, 2, 3})}});
    return OpenStore("imagefolder", {.path = dir_.Path("pictures")});
  }
  std::unique_ptr<Store> LeaveOut(std::unique_ptr<Store> store, const ReadableOptions& options) {
    Store* judge = store.get();
    return LeaveOutBadRecords(std::move(store), judge, options);
  }
  // Converts to a new file and returns its path.
  std::string Convert(Store* from, const std::string& format, WriterOptions options = {}) {
    options.path = dir_.Path("out");
    if (options.label_path.empty()) options.label_path = dir_.Path("out-labels");
    ConvertStore(from, format, options, &files_);
    return options.path;
  }

  TempDir dir_;
  std::string images_, labels_;
  PosixFileSystem files_;
};

TEST_F(ConvertStoreTest, WritesTheKvFileOfV03) {
  const std::string out = Convert(Idx2().get(), "kvfile");
  EXPECT_EQ(TempDir::Read(out), Tuple("00000000", Pixels(7, std::string("\0\xff", 2), {1, 2})) +
                                    Tuple("00000001", Pixels(0, "\1\2", {1, 2})));
}

// A record has 817 bytes, as v0.3's create_data made them from MNIST.
TEST_F(ConvertStoreTest, WritesMnistRecordsOf817Bytes) {
  images_ = dir_.Write("i", Idx({1, 28, 28}, std::string(784, 'x')));
  labels_ = dir_.Write("l", Idx({1}, "\5"));
  const std::string bytes = TempDir::Read(Convert(Idx2().get(), "kvfile"));
  EXPECT_EQ(bytes.size(), 817u);
  EXPECT_EQ(bytes.substr(24, 9), "\x08\x1c\x08\x1c\x10\x05\x1a\x90\x06");
}

TEST_F(ConvertStoreTest, WritesCsv) {
  EXPECT_EQ(TempDir::Read(Convert(Idx2().get(), "textfile")), "7,0,255\n0,1,2\n");
}

TEST_F(ConvertStoreTest, WritesFloatsThatReadTheSame) {
  const std::string text = "1,0.1,-3e-05\n2,1e+20,3\n";
  EXPECT_EQ(TempDir::Read(Convert(Lines(text).get(), "textfile")), text);
  const auto kv = OpenStore("kvfile", {.path = Convert(Lines(text).get(), "kvfile")});
  EXPECT_EQ(kv->Read(0).data[0], 0.1f);
}

TEST_F(ConvertStoreTest, WritesIdx) {
  Convert(Lines("7,0,255\n0,1,2\n").get(), "idx", {.shape = {1, 2}});
  EXPECT_EQ(TempDir::Read(dir_.Path("out")), TempDir::Read(images_));
  EXPECT_EQ(TempDir::Read(dir_.Path("out-labels")), TempDir::Read(labels_));
}

TEST_F(ConvertStoreTest, LeavesLabelsOut) {
  EXPECT_EQ(TempDir::Read(Convert(Idx2().get(), "textfile", {.has_label = false})), "0,255\n1,2\n");
}

TEST_F(ConvertStoreTest, KeepsNegativeLabelsWhereTheFormatHasThem) {
  const std::string lines = "-1,2\n4,3\n";
  for (const char* format : {"kvfile", "lmdb"}) {
    const auto copy = OpenStore(format, {.path = Convert(Lines(lines).get(), format)});
    EXPECT_EQ(copy->Read(0).label, -1) << format;
    std::filesystem::remove_all(dir_.Path("out"));
  }
  EXPECT_EQ(TempDir::Read(Convert(Lines(lines).get(), "textfile")), lines);
  EXPECT_ERROR(Convert(Lines(lines).get(), "idx"), kExitBadData, "record 0",
               "the label -1 is none");
}

TEST_F(ConvertStoreTest, NamesTheRecordThatDoesNotFit) {
  EXPECT_ERROR(Convert(Lines("1,2\n1,2.5\n").get(), "idx"), kExitBadData, ":2: record 1", "2.5");
  EXPECT_ERROR(Convert(Lines("1,2\n300,2\n").get(), "idx"), kExitBadData, "label 300");
  EXPECT_ERROR(Convert(Lines("1,2\n1,2,3\n").get(), "kvfile"), kExitBadData, "record 1",
               "2 numbers");
  EXPECT_ERROR(Convert(Lines("label: 1 data: 1\ndata: 1\n").get(), "textfile"), kExitBadData,
               "record 1", "no label");
  EXPECT_ERROR(Convert(Lines("data: 1\nlabel: 1 data: 1\n").get(), "textfile"), kExitBadData,
               "record 1", "has a label");
}

TEST_F(ConvertStoreTest, TakesNoShapeThatItsNumbersDoNotFit) {
  for (const char* shape :
       {"shape: -1 shape: -2", "shape: 2147483647 shape: 2147483647", "shape: 1"}) {
    const std::string good = "shape: 1 shape: 2 label: 0 data: 1 data: 2\n";
    const auto store = Lines(StrCat(shape, " label: 0 data: 1 data: 2\n", good));
    EXPECT_ERROR(Convert(store.get(), "kvfile"), kExitBadData, "record 0", "holds 2 numbers");
    EXPECT_ERROR(WriteMeanRecord(store.get(), {}, dir_.Path("mean"), &files_), kExitBadData,
                 "record 0", "holds 2 numbers");
    EXPECT_TRUE(Measure(store.get()).shape.empty());
    const auto copy = OpenStore("kvfile", {.path = Convert(store.get(), "kvfile", {.shape = {2}})});
    EXPECT_EQ(RecordShape(copy.get(), 1), std::vector<int>{2});
  }
}

TEST_F(ConvertStoreTest, LeavesNothingBehindAfterAnError) {
  dir_.Write("out", "old");
  EXPECT_ERROR(Convert(Lines("1,2\n1,2.5\n").get(), "idx"), kExitBadData);
  EXPECT_EQ(TempDir::Read(dir_.Path("out")), "old");
  EXPECT_EQ(files_.List(dir_.Path("")),
            (std::vector<std::string>{"a-images-idx3", "a-labels-idx1", "lines", "out"}));
}

TEST_F(ConvertStoreTest, RefusesFormatsThatNobodyWrites) {
  EXPECT_ERROR(Convert(Idx2().get(), "hdfsfile"), kExitConfig, "hdfsfile",
               "cifar10, idx, imagefolder, kvfile, lmdb, textfile");
  EXPECT_ERROR(Convert(Idx2().get(), "idx", {.shape = {1, 1, 1, 2}}), kExitConfig, "3 sizes");
}

TEST_F(ConvertStoreTest, TargetsStayWithTheirRecords) {
  const std::string lines = "0.5,-1,7,8\n2.25,3,9,10\n";
  StoreOptions options = {.path = dir_.Write("targets", lines), .format = ValueFormat::kCsv};
  options.targets = 2;
  Convert(OpenStore("textfile", options).get(), "kvfile");
  const auto records = OpenStore("kvfile", {.path = dir_.Path("out")});
  EXPECT_EQ(std::vector<float>(records->Read(1).targets.begin(), records->Read(1).targets.end()),
            (std::vector<float>{2.25f, 3}));
  EXPECT_EQ(Measure(records.get()).targets.size(), 2u);
  EXPECT_DOUBLE_EQ(Measure(records.get()).targets[0].mean, 1.375);
  ConvertStore(records.get(), "textfile", {.path = dir_.Path("back")}, &files_);
  EXPECT_EQ(TempDir::Read(dir_.Path("back")), lines);
  EXPECT_ERROR(ConvertStore(records.get(), "lmdb", {.path = dir_.Path("lmdb")}, &files_),
               kExitBadData, "record 0", "has targets, which a lmdb cannot hold");
}

TEST_F(ConvertStoreTest, ALineHasNoLabelBesideTargets) {
  RecordProto record;
  record.set_label(3);
  record.add_data(1);
  record.add_target(2);
  const auto records =
      OpenStore("kvfile", {.path = dir_.Write("both", Tuple("k", record.SerializeAsString()))});
  EXPECT_ERROR(Convert(records.get(), "textfile"), kExitBadData, "record 0",
               "has a label and targets");
}

TEST_F(ConvertStoreTest, MeasuresAStore) {
  const auto store = Lines("1,1,2\n1,3,4\n0,5,9\n");
  const StoreStatistics s = Measure(store.get());
  EXPECT_EQ(s.records, 3);
  EXPECT_EQ(s.least_size, 2);
  EXPECT_EQ(s.labels.at(1), 2);
  EXPECT_EQ(s.max, 9);
  EXPECT_DOUBLE_EQ(s.mean, 4);
  EXPECT_DOUBLE_EQ(s.std, std::sqrt(40. / 6));
  std::ostringstream out;
  out << s;
  EXPECT_EQ(out.str(),
            "records  3\nnumbers  2\nshape    not given\nmin      1\nmax      9\nmean     4\n"
            "std      2.5819889\n\n"
            "channel  min              max              mean             std\n"
            "0        1                5                3                1.6329932\n"
            "1        2                9                5                2.9439203\n\n"
            "channel_mean: [3, 5]\nchannel_std: [1.6329932, 2.9439203]\n\n"
            "label    records\n0        1\n1        2\n");
}

// The mean has 12,317 bytes for images of 3 x 32 x 32, as SINGA 0.3's image_mean.bin.
TEST_F(ConvertStoreTest, WritesTheMeanOfV03) {
  std::string batch;
  for (int record = 0; record < 2; ++record) {
    batch += static_cast<char>(record);
    for (int i = 0; i < 3072; ++i) batch += static_cast<char>(record == 0 ? i : 255 - i % 256);
  }
  const auto cifar = OpenStore("cifar10", {.path = dir_.Write("batch", batch)});
  WriteMeanRecord(cifar.get(), {}, dir_.Path("mean"), &files_);
  EXPECT_EQ(std::filesystem::file_size(dir_.Path("mean")), 12317u);
  const auto mean = OpenStore("kvfile", {.path = dir_.Path("mean"), .has_label = false});
  const Sample& sample = mean->Read(0);
  ASSERT_EQ(sample.size(), 3072);
  for (float number : sample.data) EXPECT_EQ(number, 127.5f);
  EXPECT_EQ(sample.shape[2], 32);
  EXPECT_ERROR(WriteMeanRecord(TurnedPictures().get(), {}, dir_.Path("no"), &files_), kExitBadData,
               "picture of 1 x 2 pixels, the first record has 2 x 1");
  EXPECT_THROW(WriteMeanRecord(Lines("0,1,2\n0,1,2,3\n").get(), {}, dir_.Path("no"), &files_),
               DataError);
  EXPECT_FALSE(std::filesystem::exists(dir_.Path("no")));
}

TEST_F(ConvertStoreTest, LeavesOutWhatCannotBeRead) {
  const std::string lines = "1,2\n1,x\n3,4\ny\n";
  testing::internal::CaptureStderr();
  const auto good = LeaveOut(Lines(lines), {.max_bad = 2});
  const std::string warnings = testing::internal::GetCapturedStderr();
  for (const char* place : {":2: record 1", ":4: record 3"})
    EXPECT_NE(warnings.find(place), std::string::npos) << warnings;
  EXPECT_EQ(TempDir::Read(Convert(good.get(), "textfile")), "1,2\n3,4\n");
  EXPECT_NE(good->Where(1).find("record 2"), std::string::npos);
  EXPECT_ERROR(LeaveOut(Lines(lines), {.max_bad = 1}), kExitBadData, ":4: record 3");
  EXPECT_ERROR(LeaveOut(Lines("x\n"), {.max_bad = 9}), kExitBadData, "no record that can be read");
}

TEST_F(ConvertStoreTest, LeavesOutRecordsOfAnotherShape) {
  const std::string lines = "1,2\n1,2,3\nlabel: 1\n3,4\n";
  EXPECT_EQ(LeaveOut(Lines(lines), {.max_bad = 9})->size(), 3);  // all but the empty one
  const auto good = LeaveOut(Lines(lines), {.max_bad = 2, .same_shape = true});
  EXPECT_EQ(TempDir::Read(Convert(good.get(), "textfile")), "1,2\n3,4\n");
  const auto longer = LeaveOut(Lines(lines), {.max_bad = 3, .same_shape = true, .shape = {2}});
  EXPECT_EQ(longer->size(), 1);
}

// Files that are kept are judged by their decoded content.
TEST_F(ConvertStoreTest, LeavesOutFilesThatCannotBeDecoded) {
  const std::string png = Png(2, 1, {1, 2, 3});
  WriteTar(dir_.Path("set"), {{"a/1.png", png.substr(0, 40)}, {"a/2.png", png}, {"a/3.png", ""}});
  const auto decoded = OpenStore("imagefolder", {.path = dir_.Path("set")});
  auto files = OpenStore("imagefolder", {.path = dir_.Path("set"), .raw_files = true});
  const auto good = LeaveOutBadRecords(std::move(files), decoded.get(), {.max_bad = 2});
  ASSERT_EQ(good->size(), 1);
  EXPECT_EQ(good->Read(0).size(), static_cast<int64_t>(png.size()));
}

}  // namespace
}  // namespace singa
