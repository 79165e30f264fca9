// Tests imports of other programs' parameters for a job's net, and exports under their names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "base/file/file_system.h"
#include "driver/command/ckpt_command.h"
#include "io/checkpoint/params_file.h"
#include "io/checkpoint/safetensors_writer.h"
#include "io/temp_dir.h"
#include "support/driver/captured_command.h"
#include "support/driver/small_job.h"

namespace singa::ckpt_import {
namespace {

using testing::HasSubstr;
using Words = std::vector<std::string>;
using Floats = std::vector<float>;

// The net has the params w, (2, 4), and b, (2).
class CkptImportTest : public testing::Test {
 protected:
  // Writes tensors of these names and shapes, each with the numbers from 0 on. Returns the file.
  std::string Tensors(const std::vector<std::pair<std::string, Shape>>& tensors) const {
    std::vector<StoredTensor> stored;
    for (const auto& [name, shape] : tensors) stored.push_back(Stored(name, shape, kNumbers));
    const std::string path = dir_.Path("in.safetensors");
    const auto out = PosixFileSystem().Create(path);
    WriteSafetensors(stored, out.get());
    out->Close();
    return path;
  }
  static CapturedCommand Ckpt(const Words& words) {
    return CapturedCommand([&] { return CkptCommand(words); });
  }
  // Imports a file into folder_, by this map unless it is "".
  CapturedCommand Import(const std::string& file, const std::string& map = "") const {
    Words words = {"import", "-conf", conf_, file, folder_};
    if (!map.empty()) words.insert(words.end(), {"-map", dir_.Write("map", map)});
    return Ckpt(words);
  }
  Floats Imported(const std::string& name) const {
    const ParamsFile file = LoadParams(folder_);
    const auto& values = file.params().at(name).values;
    return {values.begin(), values.end()};
  }

  static constexpr float kNumbers[] = {0, 1, 2, 3, 4, 5, 6, 7};
  const TempDir dir_;
  const std::string conf_ =
      dir_.Write("job.conf", SmallJob(dir_.Path("ws"), "train_steps: 1").DebugString());
  const std::string folder_ = dir_.Path("imported");
};

TEST_F(CkptImportTest, ParamsMatchByName) {
  const CapturedCommand run = Import(Tensors({{"w", {2, 4}}, {"b", {2}}, {"more", {1}}}));
  EXPECT_EQ(run.code, kExitOk) << run.err;
  EXPECT_THAT(run.err, HasSubstr("not in the net: more\n"));
  EXPECT_THAT(run.err, HasSubstr("wrote " + folder_ + ": 2 params\n"));
  EXPECT_EQ(Imported("w"), (Floats{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST_F(CkptImportTest, SizesOfOneMayDiffer) {
  EXPECT_EQ(Import(Tensors({{"w", {2, 1, 4}}, {"b", {2}}})).code, kExitOk);
  EXPECT_TRUE(LoadParams(folder_).params().at("w").shape == Shape({2, 4}));
}

TEST_F(CkptImportTest, ParamsThatTheFileLacksAreNamed) {
  const CapturedCommand run = Import(Tensors({{"w", {2, 4}}}));
  EXPECT_EQ(run.code, kExitOk) << run.err;
  EXPECT_THAT(run.err, HasSubstr("not in the file, so they start as the job says: b\n"));
}

TEST_F(CkptImportTest, AMapRenamesAndTransposesThereAndBack) {
  const std::string map = "fc.weight w 4,2 transpose\nfc.bias b\n";
  const CapturedCommand run = Import(Tensors({{"fc.weight", {4, 2}}, {"fc.bias", {2}}}), map);
  EXPECT_EQ(run.code, kExitOk) << run.err;
  EXPECT_EQ(Imported("w"), (Floats{0, 2, 4, 6, 1, 3, 5, 7}));
  EXPECT_EQ(Imported("b"), (Floats{0, 1}));
  const std::string out = dir_.Path("out.safetensors");
  ASSERT_EQ(Ckpt({"export", "-map", dir_.Path("map"), folder_, out}).code, kExitOk);
  const ParamsFile file = LoadParams(out);
  const ParamsFile::Entry& weight = file.params().at("fc.weight");
  EXPECT_TRUE(weight.shape == Shape({4, 2}));
  EXPECT_EQ(Floats(weight.values.begin(), weight.values.end()), (Floats{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST_F(CkptImportTest, AllProblemsAreListedAndNothingIsWritten) {
  const CapturedCommand run =
      Import(Tensors({{"w", {2, 4}}, {"b", {2}}}), "gone x\nw y 4,2\nb z transpose\n");
  EXPECT_EQ(run.code, kExitBadData);
  EXPECT_THAT(run.err, HasSubstr("line 1: there is no param \"gone\""));
  EXPECT_THAT(run.err, HasSubstr("line 2: \"w\" has the shape "));
  EXPECT_THAT(run.err, HasSubstr("line 3: only a matrix can be transposed; \"z\" has the shape "));
  EXPECT_THAT(run.err, HasSubstr("no param is one of the net's: it has "));
  EXPECT_FALSE(std::filesystem::exists(folder_));
}

TEST_F(CkptImportTest, AParamOfAnotherShapeIsRefused) {
  const CapturedCommand shape = Import(Tensors({{"w", {4, 2}}, {"b", {2}}}));
  EXPECT_EQ(shape.code, kExitBadData);
  EXPECT_THAT(shape.err, HasSubstr("param \"w\" has the shape "));
}

TEST_F(CkptImportTest, TwoParamsOfOneNameAreRefused) {
  const CapturedCommand twice = Import(Tensors({{"w", {2, 4}}, {"b", {2}}}), "w b\n");
  EXPECT_EQ(twice.code, kExitBadData);
  EXPECT_THAT(twice.err, HasSubstr("two params get the name \"b\""));
}

TEST_F(CkptImportTest, AnExportInAnotherShapeMustHaveTheNumbers) {
  ASSERT_EQ(Import(Tensors({{"w", {2, 4}}, {"b", {2}}})).code, kExitOk);
  const CapturedCommand run = Ckpt({"export", "-map", dir_.Write("map", "weight w 3,3\n"), folder_,
                                    dir_.Path("out.safetensors")});
  EXPECT_EQ(run.code, kExitBadData);
  EXPECT_THAT(run.err, HasSubstr("line 1: \"w\" has the shape "));
  EXPECT_THAT(run.err, HasSubstr(", which cannot become "));
}

TEST_F(CkptImportTest, AnExportLikeTheImportedFileEqualsIt) {
  const int64_t counts[] = {7};
  const std::string in = dir_.Path("in.safetensors"), out = dir_.Path("out.safetensors");
  const auto file = PosixFileSystem().Create(in);
  WriteSafetensors({Stored("count", {}, counts), Stored("fc.weight", {2, 1, 4}, kNumbers),
                    Stored("a", {2, 1}, kNumbers)},
                   file.get(), TensorOrder::kAsGiven);
  file->Close();
  ASSERT_EQ(Import(in, "fc.weight w\na b\n").code, kExitOk);
  const CapturedCommand run = Ckpt({"export", "-map", dir_.Path("map"), "-like", in, folder_, out});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  EXPECT_EQ(TempDir::Read(out), TempDir::Read(in));
}

TEST_F(CkptImportTest, AnExportTransposesWhatTheJobOfTheImportDoes) {
  std::string job = SmallJob(dir_.Path("ws"), "train_steps: 1").DebugString();
  job.replace(job.find("num_output: 2"), 0, "transpose: true ");
  dir_.Write("job.conf", job);
  const std::string in = Tensors({{"w", {2, 4}}, {"b", {2}}}), out = dir_.Path("out.safetensors");
  ASSERT_EQ(Import(in).code, kExitOk);
  const CapturedCommand blind = Ckpt({"export", "-like", in, folder_, out});
  EXPECT_EQ(blind.code, kExitBadData);
  EXPECT_THAT(blind.err, HasSubstr("; -conf JOB says which layers have transpose: true"));
  const CapturedCommand run = Ckpt({"export", "-like", in, "-conf", conf_, folder_, out});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  EXPECT_THAT(run.err, HasSubstr("transposed, as their layers say: w\n"));
  EXPECT_EQ(TempDir::Read(out), TempDir::Read(in));
}

TEST_F(CkptImportTest, AllThatAnExportLacksToBeLikeAFileIsListed) {
  ASSERT_EQ(Import(Tensors({{"w", {2, 4}}, {"b", {2}}})).code, kExitOk);
  std::filesystem::remove(dir_.Path("in.safetensors"));
  const std::string out = dir_.Path("out.safetensors");
  const CapturedCommand run =
      Ckpt({"export", "-like", Tensors({{"w", {4, 1}}, {"head", {2}}}), folder_, out});
  EXPECT_EQ(run.code, kExitBadData);
  for (const char* const text : {"no param becomes \"head\" of ", "there is no \"b\" in ",
                                 "param \"w\" has the shape (2, 4) here, in "})
    EXPECT_THAT(run.err, HasSubstr(text));
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST_F(CkptImportTest, ValuesThatAreNotFiniteAreRefused) {
  const float values[] = {1, NAN};
  const auto out = PosixFileSystem().Create(dir_.Path("nan.safetensors"));
  WriteSafetensors({Stored("b", {2}, values)}, out.get());
  out->Close();
  EXPECT_EQ(Import(dir_.Path("nan.safetensors")).code, kExitBadData);
  EXPECT_FALSE(std::filesystem::exists(folder_));
}

TEST_F(CkptImportTest, AFileOfV03NeedsNoImport) {
  ASSERT_EQ(Import(Tensors({{"w", {2, 4}}, {"b", {2}}})).code, kExitOk);
  const std::string old = dir_.Path("step1-worker0");
  ASSERT_EQ(Ckpt({"export", "-format", "blobprotos", folder_, old}).code, kExitOk);
  const CapturedCommand run = Ckpt({"import", "-conf", conf_, old, dir_.Path("again")});
  EXPECT_EQ(run.code, kExitBadData);
  EXPECT_THAT(run.err, HasSubstr("which checkpoint_path reads without import"));
}

TEST_F(CkptImportTest, WordsThatAreMissingOrWrongAreNamed) {
  const std::pair<Words, std::string> wrong[] = {
      {{"import", "in", folder_}, "-conf, the job whose net takes the parameters, is missing"},
      {{"import", "-conf", conf_, "in"}, "needs 2 operands, got 1"},
      {{"export", "-format", "blobprotos", "-map", "m", "in", "out"}, "-map is for safetensors"},
      {{"export", "-format", "blobprotos", "-like", "m", "in", "out"}, "-like is for safetensors"},
      {{"export", "-conf", conf_, "in", "out.safetensors"}, "-conf is for -like"}};
  for (const auto& [words, text] : wrong) {
    const CapturedCommand run = Ckpt(words);
    EXPECT_EQ(run.code, kExitUsage) << text;
    EXPECT_THAT(run.err, HasSubstr(text));
  }
}

}  // namespace
}  // namespace singa::ckpt_import
