#include "base/file/file_system.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "base/file/temporary_name.h"
#include "singa/base/error.h"

namespace singa {
namespace {

namespace fs = std::filesystem;

class FileSystemTest : public testing::Test {
 protected:
  FileSystemTest() {
    std::string name = (fs::temp_directory_path() / "singa-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) std::abort();
    root_ = name;
  }
  ~FileSystemTest() override { fs::remove_all(root_); }

  std::string At(const std::string& name) const { return root_ + "/" + name; }
  void Put(const std::string& name, const std::string& text) {
    const auto file = disk_.Create(At(name));
    file->Write(text.data(), text.size());
    file->Sync();
    file->Close();
  }
  std::string Get(const std::string& name) const {
    std::ifstream in(At(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  PosixFileSystem disk_;
  std::string root_;
};

ExitCode CodeOf(const std::function<void()>& action) {
  try {
    action();
  } catch (const FileError& error) {
    return error.code();
  }
  return kExitOk;
}

class Limit {
 public:
  Limit(__rlimit_resource which, rlim_t value) : which_(which) {
    getrlimit(which, &old_);
    rlimit lower = old_;
    lower.rlim_cur = value;
    setrlimit(which, &lower);
  }
  ~Limit() { setrlimit(which_, &old_); }

 private:
  __rlimit_resource which_;
  rlimit old_;
};

TEST_F(FileSystemTest, WritesWhatItWasGiven) {
  const std::string text(1 << 20, 'x');
  Put("a", text);
  EXPECT_EQ(Get("a"), text);
}

TEST_F(FileSystemTest, NeverOverwritesByCreate) {
  Put("a", "old");
  EXPECT_EQ(CodeOf([&] { disk_.Create(At("a")); }), kExitCantCreate);
  EXPECT_EQ(Get("a"), "old");
}

TEST_F(FileSystemTest, RenameReplaces) {
  Put("a", "new");
  Put("b", "old");
  disk_.Rename(At("a"), At("b"));
  EXPECT_EQ(Get("b"), "new");
  EXPECT_EQ(disk_.List(root_), std::vector<std::string>{"b"});
}

TEST_F(FileSystemTest, MakesFoldersWithParents) {
  disk_.MakeDirectories(At("a/b/../c/"));
  disk_.MakeDirectories(At("a/c"));
  EXPECT_TRUE(fs::is_directory(At("a/c")));
}

TEST_F(FileSystemTest, MakesRelativeFolders) {
  const fs::path before = fs::current_path();
  fs::current_path(root_);
  disk_.MakeDirectories("x/y");
  disk_.MakeDirectories("./z");
  fs::current_path(before);
  EXPECT_TRUE(fs::is_directory(At("x/y")));
  EXPECT_TRUE(fs::is_directory(At("z")));
}

TEST_F(FileSystemTest, CannotMakeAFolderUnderAFile) {
  Put("a", "");
  EXPECT_EQ(CodeOf([&] { disk_.MakeDirectories(At("a/b")); }), kExitCantCreate);
  EXPECT_EQ(CodeOf([&] { disk_.MakeDirectories(At("a")); }), kExitCantCreate);
}

TEST_F(FileSystemTest, RemovesLinksNotTheirTargets) {
  disk_.MakeDirectories(At("d"));
  Put("d/a", "stays");
  disk_.Symlink("d", At("link"));
  disk_.RemoveTree(At("link"));
  EXPECT_EQ(Get("d/a"), "stays");
  disk_.RemoveTree(At("d"));
  disk_.RemoveTree(At("d"));
  EXPECT_TRUE(disk_.List(root_).empty());
}

TEST_F(FileSystemTest, ListOfAMissingFolderIsAnError) {
  EXPECT_EQ(CodeOf([&] { disk_.List(At("none")); }), kExitIo);
  EXPECT_EQ(CodeOf([&] { disk_.SyncDirectory(At("none")); }), kExitIo);
}

TEST_F(FileSystemTest, AWriteThatTheDiskCutsShortIsAnError) {
  const auto old = std::signal(SIGXFSZ, SIG_IGN);
  const auto file = disk_.Create(At("a"));
  const std::string text(10000, 'x');
  {
    const Limit limit(RLIMIT_FSIZE, 4096);
    EXPECT_EQ(CodeOf([&] { file->Write(text.data(), text.size()); }), kExitIo);
  }
  std::signal(SIGXFSZ, old);
  EXPECT_EQ(fs::file_size(At("a")), 4096u);
}

TEST_F(FileSystemTest, NoFreeDescriptorIsAnError) {
  const std::string file = At("a");  // opened now: the undefined sanitizer takes descriptors, too
  const Limit limit(RLIMIT_NOFILE, 3);
  EXPECT_EQ(CodeOf([&] { disk_.Create(file); }), kExitCantCreate);
}

TEST_F(FileSystemTest, NoPermissionIs77) {
  disk_.MakeDirectories(At("d"));
  fs::permissions(At("d"), fs::perms::owner_read | fs::perms::owner_exec);
  const bool root = geteuid() == 0;  // permissions do not stop root
  ASSERT_EQ(root ? seteuid(65534) : 0, 0);
  const ExitCode create = CodeOf([&] { disk_.Create(At("d/a")); });
  const ExitCode make = CodeOf([&] { disk_.MakeDirectories(At("d/b")); });
  ASSERT_EQ(root ? seteuid(0) : 0, 0);
  EXPECT_EQ(create, kExitNoPermission);
  EXPECT_EQ(make, kExitNoPermission);
}

TEST_F(FileSystemTest, MessagesNameFileAndReason) {
  try {
    disk_.Create(At("none/a"));
    FAIL();
  } catch (const FileError& error) {
    EXPECT_EQ(std::string(error.what()),
              At("none/a") + ": cannot create: No such file or directory");
  }
}

// Returns the text of the error that `call` throws.
template <typename Call>
std::string WriteErrorOf(const Call& call) {
  try {
    call();
  } catch (const WriteError& error) {
    return error.what();
  }
  return "none";
}

TEST_F(FileSystemTest, NoErrorShowsATemporaryName) {
  const std::string path = At("out"), temporary = TemporaryName(path);
  EXPECT_EQ(WriteErrorOf([&] { disk_.Rename(temporary, path); }),
            path + ": the new one cannot take its place: No such file or directory");
  EXPECT_EQ(WriteErrorOf([&] { disk_.Rename(path, temporary); }),
            path + ": cannot be moved away: No such file or directory");
  EXPECT_EQ(WriteErrorOf([&] { disk_.Rename(TemporaryName(At("in")), path); }),
            path + ": cannot rename " + At("in") + " to it: No such file or directory");
  EXPECT_EQ(WriteErrorOf([&] { disk_.SyncDirectory(temporary); }),
            path + ": cannot open: No such file or directory");
  disk_.Create(temporary);
  EXPECT_EQ(WriteErrorOf([&] { disk_.Create(temporary); }), path + ": cannot create: File exists");
}

}  // namespace
}  // namespace singa
