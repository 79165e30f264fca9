#include "io/checkpoint/params_file.h"

#include <gtest/gtest.h>

#include "io/checkpoint/safetensors_writer.h"
#include "io/checkpoint/sample.h"
#include "singa/proto/common.pb.h"

namespace singa {
namespace {

namespace fs = std::filesystem;

std::vector<float> Values(const ParamsFile& file, const std::string& name) {
  const auto& values = file.params().at(name).values;
  return {values.begin(), values.end()};
}

ExitCode CodeOf(const std::string& path) {
  try {
    LoadParams(path);
  } catch (const Error& error) {
    return error.code();
  }
  return kExitOk;
}

std::string WhyRefused(const TempFolder& folder, const std::string& bytes) {
  WriteAll(folder / "a", bytes);
  try {
    LoadParams(folder / "a");
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

TEST(ParamsFile, ReadsACheckpoint) {
  const TempFolder workspace;
  const ParamsFile file = LoadParams(Write(workspace, 6000, 2));
  EXPECT_EQ(file.kind(), ParamsFile::Kind::kCheckpoint);
  EXPECT_EQ(Values(file, "w1"), NumberedModel(6000, 2).w);
  EXPECT_EQ(file.params().at("w1").shape, Shape({20, 10}));
  EXPECT_EQ(file.params().at("w1").version, 6000);
  EXPECT_EQ(file.params().count("updater/w1/history"), 0u);
}

TEST(ParamsFile, ReadsTheFolderWhereV03HadAFilePerWorker) {
  const TempFolder workspace;
  const std::string dir = Write(workspace, 6000, 2);
  const ParamsFile file = LoadParams(dir + "-worker0");
  EXPECT_EQ(file.path(), dir);
  EXPECT_EQ(Values(file, "b1"), NumberedModel(6000, 2).b);
}

TEST(ParamsFile, ReadsAFileOfV03WherePresent) {
  const TempFolder workspace;
  const std::string path = Write(workspace, 6000) + "-worker0";
  WriteAll(path, TwoBlobs().SerializeAsString());
  const ParamsFile file = LoadParams(path);
  EXPECT_EQ(file.kind(), ParamsFile::Kind::kBlobProtos);
  EXPECT_EQ(file.params().size(), 2u);
  EXPECT_EQ(file.params().at("w1").shape, Shape({2, 3}));
  EXPECT_EQ(file.params().at("b1").version, 101);
  EXPECT_EQ(Values(file, "b1"), (std::vector<float>{10, 11}));
}

TEST(ParamsFile, ReadsAPlainSafetensorsFile) {
  const TempFolder workspace;
  const ParamsFile file = LoadParams(Write(workspace, 10, 4) + "/model.safetensors");
  EXPECT_EQ(file.kind(), ParamsFile::Kind::kSafetensors);
  EXPECT_EQ(Values(file, "w1"), NumberedModel(10, 4).w);
}

TEST(ParamsFile, ReadsWhateverALinkNames) {
  const TempFolder workspace;
  Write(workspace, 10, 4);
  fs::create_directory_symlink("step10", workspace / "checkpoint/best");
  EXPECT_EQ(Values(LoadParams(workspace / "checkpoint/best"), "w1"), NumberedModel(10, 4).w);
  EXPECT_EQ(Values(LoadParams(workspace / "checkpoint/best/"), "w1"), NumberedModel(10, 4).w);
}

TEST(ParamsFile, TurnsOtherFloatsIntoFloat32AndLeavesIntegersOut) {
  const TempFolder folder;
  const std::string header = R"({"bf":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]},)"
                             R"("d":{"dtype":"F64","shape":[1],"data_offsets":[4,12]},)"
                             R"("h":{"dtype":"F16","shape":[5],"data_offsets":[12,22]},)"
                             R"("n":{"dtype":"I64","shape":[],"data_offsets":[22,30]},)"
                             R"("odd":{"dtype":"F32","shape":[1],"data_offsets":[30,34]}})";
  const uint16_t bf[] = {0x3f80, 0xc000}, h[] = {0x3c00, 0xc000, 0x0001, 0x7c00, 0x7bff};
  const double d = 0.1;
  const float odd = 7;
  const int64_t n = 3;
  const uint64_t size = header.size();
  std::string bytes;
  const auto add = [&](const auto& x) {
    bytes.append(reinterpret_cast<const char*>(&x), sizeof x);
  };
  add(size);
  bytes += header;
  add(bf), add(d), add(h), add(n), add(odd);
  WriteAll(folder / "a.safetensors", bytes);
  const ParamsFile file = LoadParams(folder / "a.safetensors");
  EXPECT_EQ(Values(file, "bf"), (std::vector<float>{1, -2}));
  EXPECT_EQ(Values(file, "d"), std::vector<float>{0.1f});
  EXPECT_EQ(Values(file, "h"),
            (std::vector<float>{1, -2, 0x1p-24f, std::numeric_limits<float>::infinity(), 65504}));
  EXPECT_EQ(Values(file, "odd"), std::vector<float>{7});
  EXPECT_EQ(file.left_out(), std::vector<std::string>{"n"});
}

TEST(ParamsFile, NothingThereIsNoInput) {
  const TempFolder folder;
  EXPECT_EQ(CodeOf(folder / "none"), kExitNoInput);
  EXPECT_EQ(CodeOf(folder / "step10-worker0"), kExitNoInput);
  EXPECT_EQ(CodeOf("/dev/null"), kExitNoInput);
}

TEST(ParamsFile, OfAWorkspaceItIsTheNewestCheckpointThatIsIntact) {
  const TempFolder workspace;
  Write(workspace, 10, 1);
  Write(workspace, 20, 2);
  WriteAll(Write(workspace, 30, 3) + "/model.safetensors", "x");
  for (const std::string& path : {workspace.path(), workspace / "checkpoint"}) {
    const ParamsFile file = LoadParams(path);
    EXPECT_EQ(Values(file, "w1"), NumberedModel(20, 2).w);
    EXPECT_TRUE(file.path().ends_with("/step20")) << file.path();
  }
}

TEST(ParamsFile, AWorkspaceWithoutACheckpointIsNoInput) {
  const TempFolder workspace;
  for (const char* inner : {"", "/checkpoint"}) {
    fs::create_directory(workspace.path() + inner);
    try {
      LoadParams(workspace.path() + inner);
      FAIL();
    } catch (const FileError& error) {
      EXPECT_EQ(error.code(), kExitNoInput);
      EXPECT_NE(std::string(error.what()).find("holds no checkpoint yet"), std::string::npos);
    }
  }
}

TEST(ParamsFile, ADamagedCheckpointIsRefused) {
  const TempFolder workspace;
  const std::string dir = Write(workspace, 10);
  WriteAll(dir + "/model.safetensors", "x");
  EXPECT_EQ(CodeOf(dir), kExitBadData);
  EXPECT_EQ(CodeOf(workspace.path()), kExitBadData);
}

TEST(ParamsFile, AnEmptyFileOfV03HoldsNoParams) {
  const TempFolder folder;
  WriteAll(folder / "step6000-worker1", "");
  EXPECT_TRUE(LoadParams(folder / "step6000-worker1").params().empty());
}

TEST(ParamsFile, AnyOtherEmptyFileIsRefused) {
  const TempFolder folder;
  EXPECT_EQ(WhyRefused(folder, ""), folder / "a" + ": is empty");
  WriteAll(folder / "a.safetensors", "");
  EXPECT_EQ(CodeOf(folder / "a.safetensors"), kExitBadData);
}

TEST(ParamsFile, AFileOfV03HasAParamOnce) {
  const TempFolder folder;
  BlobProtos message = TwoBlobs();
  message.set_name(1, "w1");
  EXPECT_NE(WhyRefused(folder, message.SerializeAsString()).find("\"w1\" occurs twice"),
            std::string::npos);
}

}  // namespace
}  // namespace singa
