// Tests the command around an import. ../onnx tests the nets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "driver/command/subcommand.h"
#include "driver/conf/check_job.h"
#include "io/checkpoint/params_file.h"
#include "io/store_files.h"
#include "io/temp_dir.h"
#include "support/driver/captured_command.h"
#include "support/driver/imported_graph.h"

namespace singa::import_command {
namespace {

using testing::HasSubstr;
using testing::Not;
using Words = std::vector<std::string>;

class ImportCommandTest : public testing::Test {
 protected:
  // Writes a model of a convolution and a ReLU. Returns its path.
  std::string Model() const {
    OnnxGraph graph = PictureGraph();
    graph.Add("Conv", {"x", graph.Floats("w", {1, 3, 2, 2}, std::vector<float>(12, 0.5f))}, {"c"});
    graph.Add("Relu", {"c"}, {"y"});
    return dir_.Write("net.onnx", graph.Serialize("net"));
  }
  // Imports a file into the folder `job`.
  CapturedCommand Import(const std::string& file, const Words& flags = {}) const {
    CommandLine line;
    line.args = {"onnx", file, folder_};
    line.args.insert(line.args.end(), flags.begin(), flags.end());
    return CapturedCommand([&] { return FindSubcommand("import")->run(line); });
  }

  const TempDir dir_;
  const std::string folder_ = dir_.Path("job");
};

TEST_F(ImportCommandTest, WritesAJobThatReadsItsValues) {
  const CapturedCommand run = Import(Model());
  EXPECT_EQ(run.code, kExitOk) << run.err;
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, HasSubstr("job: 4 layers, 1 param, 12 numbers\n"));
  EXPECT_THAT(run.err, HasSubstr("loss: kSoftmaxLoss, as the model does not say"));
  const auto checked = CheckJob(folder_ + "/job.conf", {});
  EXPECT_TRUE(checked->conf.ok()) << checked->conf.Render();
  EXPECT_EQ(checked->job.name(), "job");
  EXPECT_EQ(checked->job.cluster().workspace(), folder_ + "/run");
  ASSERT_EQ(checked->job.checkpoint_path_size(), 1);
  const ParamsFile values = LoadParams(checked->job.checkpoint_path(0));
  ASSERT_TRUE(values.params().contains("w"));
  EXPECT_EQ(values.params().at("w").values[11], 0.5f);
}

TEST_F(ImportCommandTest, TakesARecordsShapeLossAndStore) {
  const std::string store = dir_.Write("records.csv", "1,2\n");
  const CapturedCommand run =
      Import(Model(), {"-loss", "euclidean", "-shape", "3,8,8", "-mean", "1,2,3", "-std=0.5",
                       "-store", store, "-backend", "textfile"});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  EXPECT_THAT(run.err, Not(HasSubstr("loss:")));
  const std::string conf = TempDir::Read(folder_ + "/job.conf");
  for (const char* const text : {"kEuclideanLoss", "channel_mean", "std_value: 0.5", "textfile"})
    EXPECT_THAT(conf, HasSubstr(text));
  EXPECT_THAT(conf, Not(HasSubstr("noise")));
}

TEST_F(ImportCommandTest, TheFormatOfTheRecordsIsJudgedByTheirContent) {
  const std::string images = dir_.Write("t-images-idx3", Idx({2, 2, 2}, "abcdefgh"));
  const std::string labels = dir_.Write("t-labels-idx1", Idx({2}, std::string("\0\1", 2)));
  const std::string other = dir_.Write("other", Idx({2}, std::string("\0\1", 2)));
  const std::pair<Words, std::string> stores[] = {
      {{"-store", dir_.Write("a.txt", "0,1,2\n")}, "backend: \"textfile\"\n"},
      {{"-store", dir_.Write("a.bin", Tuple("a", Pixels(0, "abcd")))}, "backend: \"kvfile\"\n"},
      {{"-store", images}, StrCat("label_path: \"", labels, "\"\n")},
      {{"-store", images, "-labels", other}, StrCat("label_path: \"", other, "\"\n")}};
  for (const auto& [flags, text] : stores) {
    const CapturedCommand run = Import(Model(), flags);
    EXPECT_EQ(run.code, kExitOk) << run.err;
    EXPECT_THAT(run.err, Not(HasSubstr("noise")));
    EXPECT_THAT(TempDir::Read(folder_ + "/job.conf"), HasSubstr(text));
    std::filesystem::remove_all(folder_);
  }
}

TEST_F(ImportCommandTest, AJobWithoutRecordsSaysThatItReadsNoise) {
  EXPECT_THAT(Import(Model()).err,
              HasSubstr(StrCat("the job reads noise, from which it learns nothing: give -store "
                               "PATH, or in ",
                               folder_, "/job.conf set backend and path of your records")));
  EXPECT_THAT(TempDir::Read(folder_ + "/job.conf"),
              HasSubstr("# The job reads noise, from which it learns nothing: set backend"));
}

TEST_F(ImportCommandTest, AModelWithoutLayersLeavesNoFolder) {
  OnnxGraph graph = PictureGraph();
  graph.Add("TopK", {"x"}, {"y"});
  const CapturedCommand run = Import(dir_.Write("net.onnx", graph.Serialize("net")));
  EXPECT_EQ(run.code, kExitBadData);
  EXPECT_THAT(run.err, HasSubstr("1 node cannot become a layer: node"));
  EXPECT_FALSE(std::filesystem::exists(folder_));
}

TEST_F(ImportCommandTest, NeedsAFileAndANewFolder) {
  EXPECT_EQ(Import("/none.onnx").code, kExitNoInput);
  std::filesystem::create_directory(folder_);
  dir_.Write("job/mine", "text");
  const CapturedCommand run = Import(Model());
  EXPECT_EQ(run.code, kExitCantCreate);
  EXPECT_THAT(run.err, HasSubstr("exists already, and is not an empty folder"));
  EXPECT_EQ(TempDir::Read(dir_.Path("job/mine")), "text");
}

TEST_F(ImportCommandTest, AFolderThatCannotBeMadeIsAnError) {
  dir_.Write("file", "");
  CommandLine line;
  line.args = {"onnx", Model(), dir_.Path("file/job/")};
  const CapturedCommand run([&] { return FindSubcommand("import")->run(line); });
  EXPECT_EQ(run.code, kExitCantCreate);
  EXPECT_EQ(TempDir::Read(dir_.Path("file")), "");
}

TEST_F(ImportCommandTest, WordsThatAreWrongAreNamed) {
  const std::string model = Model(), images = dir_.Write("images", Idx({1, 2, 2}, "abcd"));
  const std::pair<Words, std::string> wrong[] = {
      {{"-loss", "l1"}, "-loss must be one of softmax, sigmoid, euclidean, none; is l1"},
      {{"-shape", "3,x"}, "-shape: \"x\" is not a valid number: sizes with commas"},
      {{"-shape", "3,0,8"}, "-shape must have sizes from 1 to 2147483647"},
      {{"-shape", "3,9,8"}, "-shape: is (3, 9, 8), input \"x\" has rows of (3, 8, 8)"},
      {{"-mean", "1,"}, "-mean: \"\" is not a valid number: numbers with commas"},
      {{"-mean", "inf"}, "-mean and -std must be finite numbers"},
      {{"-std", "1,0,1"}, "-std must not have a 0"},
      {{"-backend", "idx"}, "-backend needs -store, whose format it is"},
      {{"-store", model, "-backend", "none"}, "-backend: "},
      {{"-labels", model}, "-labels needs -store, whose labels they are"},
      {{"-store", dir_.Write("a.csv", "0,1\n"), "-labels", model}, "-labels is for records of idx"},
      {{"-store", images}, "is idx: name its labels with -labels FILE"},
      {{"more"}, "onnx needs 2 operands, got 3: singa import onnx NET.onnx DIR"}};
  for (const auto& [flags, text] : wrong) {
    const CapturedCommand run = Import(model, flags);
    EXPECT_EQ(run.code, kExitUsage) << text;
    EXPECT_THAT(run.err, HasSubstr(text));
  }
  EXPECT_EQ(Import(model, {"-store", "/none"}).code, kExitNoInput);
  EXPECT_FALSE(std::filesystem::exists(folder_));
}

TEST_F(ImportCommandTest, AnotherFormatIsRefused) {
  CommandLine line;
  line.args = {"torch", "net.pt", folder_};
  const CapturedCommand run([&] { return FindSubcommand("import")->run(line); });
  EXPECT_EQ(run.code, kExitUsage);
  EXPECT_THAT(run.err, HasSubstr("the format must be onnx, is torch: singa import onnx NET.onnx "
                                 "DIR"));
  line.args = {"onnx", "net.onnx"};
  const CapturedCommand one([&] { return FindSubcommand("import")->run(line); });
  EXPECT_EQ(one.code, kExitUsage);
  EXPECT_THAT(one.err, HasSubstr("onnx needs 2 operands, got 1: singa import onnx NET.onnx DIR"));
}

}  // namespace
}  // namespace singa::import_command
