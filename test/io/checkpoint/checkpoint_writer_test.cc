// Tests how a checkpoint comes into a workspace. crash_test.cc stops and fails each operation.
#include "io/checkpoint/checkpoint_writer.h"

#include <gtest/gtest.h>

#include "base/file/sha256.h"
#include "io/checkpoint/sample.h"
#include "singa/base/error.h"

namespace singa {
namespace {

namespace fs = std::filesystem;
using FileNames = std::vector<std::string>;

TEST(CheckpointWriter, MakesOneFolderOfThreeFiles) {
  const TempFolder workspace;
  PosixFileSystem disk;
  EXPECT_EQ(Write(workspace, 20), workspace / "checkpoint/step20");
  EXPECT_EQ(disk.List(workspace / "checkpoint"), FileNames{"step20"});
  EXPECT_EQ(disk.List(workspace / "checkpoint/step20"),
            (FileNames{"manifest.json", "model.safetensors", "state.safetensors"}));
}

TEST(CheckpointWriter, TheManifestHasTheSumsOfTheFiles) {
  const TempFolder workspace;
  const std::string dir = Write(workspace, 20);
  const Manifest manifest = ParseManifest(ReadAll(dir + "/manifest.json"), "f");
  for (const char* name : {"model.safetensors", "state.safetensors"}) {
    const std::string bytes = ReadAll(dir + "/" + name);
    EXPECT_EQ(manifest.files.at(name).bytes, static_cast<int64_t>(bytes.size()));
    EXPECT_EQ(manifest.files.at(name).sha256, Sha256Hex(bytes.data(), bytes.size()));
  }
  EXPECT_EQ(manifest.crc32c.count("w1"), 1u);
  EXPECT_EQ(manifest.crc32c.count("rng/key"), 1u);
}

TEST(CheckpointWriter, ASecondWriteOfAStepReplacesIt) {
  const TempFolder workspace;
  Write(workspace, 20, 1);
  Write(workspace, 20, 2);
  EXPECT_EQ(VersionOf(*NewestValid(workspace.path(), Ignore)), 2);
  EXPECT_EQ(PosixFileSystem().List(workspace / "checkpoint"), FileNames{"step20"});
}

TEST(CheckpointWriter, LeftoversOfAKilledWriterAreRemovedByTheNext) {
  const TempFolder workspace;
  Write(workspace, 10);
  const std::string folder = workspace / "checkpoint";
  fs::create_directory(folder + "/step20.tmp.0123");
  fs::create_directory_symlink("step10", folder + "/best.tmp.0123");
  fs::create_directory(folder + "/step10.old.0123");
  fs::create_directory(folder + "/mine.tmp.0");
  Write(workspace, 20);
  EXPECT_EQ(PosixFileSystem().List(folder), (FileNames{"mine.tmp.0", "step10", "step20"}));
}

TEST(CheckpointWriter, AParamNamedLikeStateIsRefused) {
  const TempFolder workspace;
  const NumberedModel sample(1, 1);
  CheckpointContent content = sample.content();
  content.params.push_back(Stored("reader/data", {7}, sample.b.data()));
  PosixFileSystem disk;
  try {
    WriteCheckpoint(disk, workspace.path(), content);
    ADD_FAILURE() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.message(), "the param's name \"reader/data\" is taken by the state");
  }
  EXPECT_TRUE(disk.List(workspace / "checkpoint").empty());
}

}  // namespace
}  // namespace singa
