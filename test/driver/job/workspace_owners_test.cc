// Tests entries that other users put into a workspace.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "driver/workspace/workspace.h"
#include "io/checkpoint/sample.h"

namespace singa {
namespace {

namespace fs = std::filesystem;

class OtherUsersTest : public testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "LEFT OUT: no root, who can act for another user";
    fs::create_directories(path_);
    fs::create_directories(folder_ / "elsewhere");
  }
  // Returns the exit code of an attempt to open the workspace; 0: it is open.
  int Open() {
    try {
      const Workspace workspace(path_);
      return 0;
    } catch (const Error& error) {
      return error.code();
    }
  }
  void Link(const std::string& target, const std::string& name) {
    fs::create_symlink(target, path_ + "/" + name);
    ASSERT_EQ(lchown((path_ + "/" + name).c_str(), 65534, 65534), 0);
  }
  void ExpectNothingElsewhere() {
    EXPECT_TRUE(fs::is_empty(folder_ / "elsewhere"));
    EXPECT_FALSE(fs::exists(folder_ / "made"));
  }

  TempFolder folder_;
  const std::string path_ = folder_ / "ws";
};

TEST_F(OtherUsersTest, ALinkInTheLocksPlaceIs77) {
  Link(folder_ / "made", ".lock");
  EXPECT_EQ(Open(), 77);
  ExpectNothingElsewhere();
}

TEST_F(OtherUsersTest, AFolderBehindALinkIs77) {
  for (const char* name : {"log", "visualization"}) {
    Link(folder_ / "elsewhere", name);
    EXPECT_EQ(Open(), 77) << name;
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  Link(folder_ / "elsewhere", "checkpoint");
  PosixFileSystem files(path_);
  EXPECT_THROW(files.MakeDirectories(path_ + "/checkpoint/step1"), WriteError);
  EXPECT_THROW(files.Create(path_ + "/checkpoint/a"), WriteError);
  EXPECT_THROW(files.List(path_ + "/checkpoint"), WriteError);
  ExpectNothingElsewhere();
}

TEST_F(OtherUsersTest, AFileInAFolderThatAnybodyMayWriteIs77) {
  ASSERT_EQ(chmod(path_.c_str(), 01777), 0);
  WriteAll(path_ + "/.lock", "");
  ASSERT_EQ(chown((path_ + "/.lock").c_str(), 65534, 65534), 0);
  EXPECT_EQ(Open(), 77);
}

TEST_F(OtherUsersTest, OnesOwnFolderBehindALinkIsUsed) {
  fs::create_symlink(folder_ / "elsewhere", path_ + "/visualization");
  EXPECT_EQ(Open(), 0);
}

}  // namespace
}  // namespace singa
