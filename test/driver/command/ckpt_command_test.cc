#include "driver/command/ckpt_command.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "io/checkpoint/params_file.h"
#include "io/checkpoint/retention.h"
#include "io/checkpoint/sample.h"
#include "singa/proto/common.pb.h"

namespace singa {
namespace {

struct Result {
  int code;
  std::string out, err;
};

Result Ckpt(const std::vector<std::string>& args) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Result result;
  try {
    result.code = CkptCommand(args);
  } catch (const Error& error) {
    result.code = error.code();
    result.err = error.what();
  }
  result.out = testing::internal::GetCapturedStdout();
  result.err += testing::internal::GetCapturedStderr();
  return result;
}

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

void Damage(const std::string& dir) {
  std::string bytes = ReadAll(dir + "/model.safetensors");
  bytes.back() ^= 1;
  WriteAll(dir + "/model.safetensors", bytes);
}

TEST(CkptCommand, ListsWithBestAndDamage) {
  const TempFolder workspace;
  for (int step : {10, 20}) Write(workspace, step);
  Damage(Write(workspace, 30));
  PosixFileSystem disk;
  SetBest(disk, workspace.path(), 10);
  for (const std::string& path : {workspace.path(), workspace / "checkpoint"}) {
    const Result result = Ckpt({"ls", path});
    EXPECT_EQ(result.code, 0);
    EXPECT_TRUE(Has(result.out, "207  ok\n")) << result.out;
    EXPECT_TRUE(Has(result.out, "207  ok, best\n")) << result.out;
    EXPECT_TRUE(Has(result.out, "DAMAGED")) << result.out;
    EXPECT_LT(result.out.find("\n30 "), result.out.find("\n20 "));
    EXPECT_TRUE(Has(result.err, "model.safetensors: tensor")) << result.err;
  }
}

TEST(CkptCommand, ListsOneCheckpoint) {
  const TempFolder workspace;
  const Result result = Ckpt({"ls", Write(workspace, 10)});
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 2);
}

TEST(CkptCommand, VerifyNamesWhatIsDamaged) {
  const TempFolder workspace;
  const std::string intact = Write(workspace, 10), damaged = Write(workspace, 20);
  Damage(damaged);
  EXPECT_EQ(Ckpt({"verify", intact}).code, 0);
  EXPECT_EQ(Ckpt({"verify", intact}).out, intact + ": intact\n");
  EXPECT_EQ(Ckpt({"verify", damaged}).code, kExitBadData);
  EXPECT_TRUE(Has(Ckpt({"verify", damaged}).out,
                  "/step20/model.safetensors: tensor \"w1\": its CRC32C does not match"));
  const Result all = Ckpt({"verify", workspace.path()});
  EXPECT_EQ(all.code, kExitBadData);
  EXPECT_TRUE(Has(all.out, intact + ": intact\n"));
}

TEST(CkptCommand, NothingToVerifyOrListIs66) {
  const TempFolder workspace;
  for (const char* command : {"ls", "verify"}) {
    EXPECT_EQ(Ckpt({command, workspace.path()}).code, kExitNoInput);
    EXPECT_EQ(Ckpt({command, workspace / "none"}).code, kExitNoInput);
  }
}

TEST(CkptCommand, ExportsSafetensorsThatLoad) {
  const TempFolder workspace;
  const std::string out = workspace / "out.safetensors";
  EXPECT_EQ(Ckpt({"export", Write(workspace, 10, 3), out}).code, 0);
  const ParamsFile file = LoadParams(out);
  EXPECT_EQ(file.kind(), ParamsFile::Kind::kSafetensors);
  const auto& w = file.params().at("w1").values;
  EXPECT_EQ(std::vector<float>(w.begin(), w.end()), NumberedModel(10, 3).w);
  EXPECT_EQ(Ckpt({"verify", out}).code, 0);
}

TEST(CkptCommand, ExportsWhatV03Reads) {
  const TempFolder workspace;
  const std::string out = workspace / "step10-worker0";
  EXPECT_EQ(Ckpt({"export", "-format", "blobprotos", Write(workspace, 10, 3), out}).code, 0);
  BlobProtos message;
  ASSERT_TRUE(message.ParseFromString(ReadAll(out)));
  ASSERT_EQ(message.name_size(), 3);
  EXPECT_EQ(message.name(2), "0#w1");
  EXPECT_EQ(message.version(2), 10);
  EXPECT_EQ(message.blob(2).shape(0), 20);
  EXPECT_EQ(message.blob(2).data(199), NumberedModel(10, 3).w[199]);
}

TEST(CkptCommand, AFailedExportLeavesNothing) {
  const TempFolder workspace;
  const std::string dir = Write(workspace, 10);
  std::filesystem::create_directory(workspace / "out.safetensors");
  EXPECT_EQ(Ckpt({"export", dir, workspace / "out.safetensors"}).code, kExitCantCreate);
  EXPECT_EQ(Ckpt({"export", dir, workspace / "none/out.safetensors"}).code, kExitCantCreate);
  EXPECT_EQ(PosixFileSystem().List(workspace.path()),
            (std::vector<std::string>{"checkpoint", "out.safetensors"}));
}

TEST(CkptCommand, AMistakeNamesTheWordThatIsWrong) {
  EXPECT_EQ(Ckpt({}).err, "singa ckpt needs one of ls, verify, export, import");
  EXPECT_EQ(Ckpt({"list"}).err, "no command singa ckpt list; there are ls, verify, export, import");
  EXPECT_EQ(Ckpt({"lss"}).err, "no command singa ckpt lss; did you mean \"ls\"?");
  EXPECT_EQ(Ckpt({"export", "-fromat", "x", "a", "b"}).err,
            "no flag -fromat; did you mean \"format\"?");
  EXPECT_EQ(Ckpt({"export", "a"}).err, "needs 2 operands, got 1: singa ckpt export PATH OUT");
  EXPECT_EQ(Ckpt({"export", "-format", "onnx", "a", "b"}).err,
            "-format must be safetensors or blobprotos, is \"onnx\"");
}

TEST(CkptCommand, MistakesAreUsageErrors) {
  const std::vector<std::vector<std::string>> mistakes = {{},
                                                          {"rm"},
                                                          {"ls"},
                                                          {"ls", "a", "b"},
                                                          {"verify"},
                                                          {"export", "a"},
                                                          {"export", "a", "b.npz"},
                                                          {"export", "-format", "onnx", "a", "b"},
                                                          {"export", "a", "b", "--format"},
                                                          {"ls", "-format=blobprotos", "a"},
                                                          {"ls", "-v", "a"}};
  for (const auto& args : mistakes) {
    const Result result = Ckpt(args);
    EXPECT_EQ(result.code, kExitUsage);
    EXPECT_EQ(result.out, "");
  }
}

}  // namespace
}  // namespace singa
