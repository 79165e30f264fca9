// Tests the lock of a workspace.
#include "driver/workspace/workspace.h"

#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <functional>

#include "io/checkpoint/sample.h"
#include "support/forwarding_files.h"

namespace singa {
namespace {

namespace fs = std::filesystem;

class HeldClock final : public Clock {
 public:
  int64_t now = 0;
  int64_t Now() const override { return now; }
};

int NoSuchLock(int) { return ENOLCK; }
int NotHere(int) { return EOPNOTSUPP; }
int Held(int) { return EWOULDBLOCK; }
int Broken(int) { return EIO; }
LockHolder Nobody(int) { return {}; }

// DisturbedFiles is the system's files, and calls a function when a file is made or renamed.
class DisturbedFiles final : public ForwardingFiles {
 public:
  std::function<void(const std::string& path)> before_create = [](const std::string&) {};
  std::function<void(const std::string& from)> before_rename = [](const std::string&) {};
  std::function<void(const std::string& from)> after_rename = [](const std::string&) {};

  std::unique_ptr<WritableFile> Create(const std::string& path) override {
    before_create(path);
    return ForwardingFiles::Create(path);
  }
  void Rename(const std::string& from, const std::string& to) override {
    before_rename(from);
    ForwardingFiles::Rename(from, to);
    after_rename(from);
  }
};

std::string TextOf(const LockHolder& holder) {
  return StrCat("singa-lock-1 ", holder.host, " ", holder.pid, " ", holder.rank, " ", holder.boot,
                " ", holder.start, "\n");
}

// Returns a process of this host that has ended: another process has its number now.
LockHolder EndedHolder() {
  LockHolder holder = LockHolder::Self(0);
  holder.start = 1;
  return holder;
}

constexpr char kOther[] = "singa-lock-1 node7 4711 0 another-boot 99\n";

class WorkspaceTest : public testing::Test {
 protected:
  WorkspaceTest() {
    options_.clock = &clock_;
    options_.wait_seconds = 60;
    options_.pause = [this] { clock_.now += kSecond; };
    options_.say = [this](const std::string& text) { said_.push_back(text); };
  }
  // Returns the exit code and text of an attempt to open the workspace; 0: it is open.
  std::pair<int, std::string> Open() {
    try {
      const Workspace workspace(path_, options_);
      return {0, ""};
    } catch (const Error& error) {
      return {error.code(), error.what()};
    }
  }
  void Write(const std::string& name, const std::string& text) {
    fs::create_directories(path_);
    WriteAll(path_ + "/" + name, text);
  }
  // Returns the contents of the lock files, sorted. They are the locks if the file system has none.
  std::vector<std::string> Locks() {
    std::vector<std::string> texts;
    for (const auto& entry : fs::directory_iterator(path_))
      if (entry.path().filename().string().starts_with(".lock."))
        texts.push_back(ReadAll(entry.path()));
    std::sort(texts.begin(), texts.end());
    return texts;
  }

  TempFolder folder_;
  const std::string path_ = folder_ / "ws";
  WorkspaceOptions options_;
  HeldClock clock_;
  std::vector<std::string> said_;
};

TEST_F(WorkspaceTest, ASecondOneOfThisHostIsRefusedAtOnceAndNamesTheFirst) {
  const Workspace first(path_, options_);
  const auto [code, text] = Open();
  EXPECT_EQ(code, 73);
  EXPECT_NE(text.find("another singa job is running"), std::string::npos) << text;
  EXPECT_NE(text.find(StrCat("process ", getpid(), " of host ")), std::string::npos) << text;
  EXPECT_EQ(clock_.now, 0);
}

TEST_F(WorkspaceTest, TheLockOfAnotherHostIsWaitedForAndThenARetryMayHelp) {
  Write(".lock", kOther);
  options_.lock = {Held, Held, Nobody};
  const auto [code, text] = Open();
  EXPECT_EQ(code, 170);
  EXPECT_NE(text.find("process 4711 of host node7"), std::string::npos) << text;
  EXPECT_EQ(clock_.now, 60 * kSecond);
  EXPECT_EQ(said_.size(), 1u);
}

TEST_F(WorkspaceTest, ALockThatRunsOutIsTaken) {
  Write(".lock", kOther);
  static int tries;
  tries = 0;
  options_.lock = {[](int) { return ++tries < 5 ? EWOULDBLOCK : 0; }, Held, Nobody};
  EXPECT_EQ(Open().first, 0);
  EXPECT_EQ(tries, 5);
}

TEST_F(WorkspaceTest, WithoutFlockAnotherLockTakesItsPlace) {
  for (const auto missing : {NoSuchLock, NotHere}) {
    options_.lock.flock = missing;
    const Workspace first(path_, options_);
    EXPECT_EQ(Open().first, 73);
  }
}

TEST_F(WorkspaceTest, WithoutAnyLockAFileTakesItsPlace) {
  options_.lock = {NoSuchLock, NoSuchLock, Nobody};
  {
    const Workspace first(path_, options_);
    EXPECT_TRUE(fs::exists(path_ + "/.lock.held"));
    EXPECT_EQ(Open().first, 73);
  }
  EXPECT_FALSE(fs::exists(path_ + "/.lock.held"));
  Write(".lock.held", TextOf(EndedHolder()));
  EXPECT_EQ(Open().first, 0);
  EXPECT_EQ(Locks(), std::vector<std::string>());
}

// Only a person can know that a process of another host has ended, or that a process was killed
// before it wrote its name.
TEST_F(WorkspaceTest, AFileThatNobodyRemovesIsNamed) {
  options_.lock = {NoSuchLock, NoSuchLock, Nobody};
  for (const char* holder : {kOther, ""}) {
    Write(".lock.held", holder);
    const auto [code, text] = Open();
    EXPECT_EQ(code, 170);
    EXPECT_NE(text.find("if that process has ended, remove " + path_ + "/.lock.held"),
              std::string::npos)
        << text;
  }
}

TEST_F(WorkspaceTest, AFileThatGoesBeforeItIsReadIsNoLock) {
  Write(".lock.held", TextOf(LockHolder::Self(0)));
  DisturbedFiles files;
  files.before_create = [](const std::string& path) {
    if (fs::remove(path)) throw WriteError(kExitCantCreate, path, "is there", EEXIST);
  };
  options_.files = &files;
  options_.lock = {NoSuchLock, NoSuchLock, Nobody};
  EXPECT_EQ(Open().first, 0);
  EXPECT_EQ(Locks(), std::vector<std::string>());
}

// A process may move the lock of a faster process out of the way. The moved file remains that
// process's lock.
TEST_F(WorkspaceTest, OneOfTwoTakesThePlaceOfAProcessThatHasEnded) {
  Write(".lock.held", TextOf(EndedHolder()));
  const std::string first = TextOf(LockHolder::Self(0));
  DisturbedFiles files;
  files.before_rename = [&](const std::string& from) {
    if (from.ends_with(".held")) WriteAll(from, first);
  };
  options_.files = &files;
  options_.lock = {NoSuchLock, NoSuchLock, Nobody};
  EXPECT_EQ(Open().first, 73);
  EXPECT_EQ(Locks(), std::vector<std::string>{first});
  EXPECT_EQ(Open().first, 73);
  EXPECT_EQ(Locks(), std::vector<std::string>{first});
}

TEST_F(WorkspaceTest, TheLockOfAThirdOneIsNotReplaced) {
  Write(".lock.held", TextOf(EndedHolder()));
  const std::string first = TextOf(LockHolder::Self(0));
  DisturbedFiles files;
  files.before_rename = [&](const std::string& from) { WriteAll(from, first); };
  files.after_rename = [&](const std::string& from) { WriteAll(from, kOther); };
  options_.files = &files;
  options_.lock = {NoSuchLock, NoSuchLock, Nobody};
  EXPECT_EQ(Open().first, 170);
  EXPECT_EQ(Locks(), (std::vector<std::string>{kOther, first}));
}

TEST_F(WorkspaceTest, ALockThatWasMovedIsNamed) {
  options_.lock = {NoSuchLock, NoSuchLock, Nobody};
  Write(".lock.held.1f", kOther);
  const auto [code, text] = Open();
  EXPECT_EQ(code, 170);
  EXPECT_NE(text.find("if that process has ended, remove " + path_ + "/.lock.held.1f"),
            std::string::npos)
      << text;
}

TEST_F(WorkspaceTest, ALockThatWasMovedGoesWithItsHolder) {
  options_.lock = {NoSuchLock, NoSuchLock, Nobody};
  Write(".lock.held.1f", TextOf(EndedHolder()));
  {
    const Workspace first(path_, options_);
    fs::rename(path_ + "/.lock.held", path_ + "/.lock.held.2a");
    WriteAll(path_ + "/.lock.held", kOther);  // the owner is about to find the moved lock
  }
  EXPECT_EQ(Locks(), std::vector<std::string>{kOther});
}

TEST_F(WorkspaceTest, TheFirstOfTwoMayHaveRemovedTheFile) {
  Write(".lock.held", TextOf(EndedHolder()));
  DisturbedFiles files;
  files.before_rename = [](const std::string& from) { fs::remove(from); };
  options_.files = &files;
  options_.lock = {NoSuchLock, NoSuchLock, Nobody};
  EXPECT_EQ(Open().first, 0);
}

TEST_F(WorkspaceTest, ALockThatFailsIsAnErrorOfItsOwn) {
  options_.lock = {Broken, Broken, Nobody};
  EXPECT_EQ(Open().first, 74);
}

TEST_F(WorkspaceTest, NoFileIsOpenedThroughALink) {
  fs::create_directories(path_);
  for (const char* name : {".lock", "metrics.jsonl"}) {
    fs::create_symlink(folder_ / "elsewhere", path_ + "/" + name);
    PosixFileSystem files(path_);
    EXPECT_THROW(files.Append(path_ + "/" + name), WriteError) << name;
    EXPECT_THROW(files.OpenLock(path_ + "/" + name), WriteError) << name;
  }
  EXPECT_EQ(Open().first, 73);
  EXPECT_FALSE(fs::exists(folder_ / "elsewhere"));
}

TEST(WorkspacePathTest, TheDefaultIsOneFolderHere) {
  JobProto job;
  EXPECT_EQ(WorkspacePath(job), "singa-job");
  job.set_name("../../x");
  EXPECT_EQ(WorkspacePath(job), "singa-.._.._x");
  job.set_name("a/b");
  EXPECT_EQ(WorkspacePath(job), "singa-a_b");
  job.mutable_cluster()->set_workspace("../a/b");
  EXPECT_EQ(WorkspacePath(job), "../a/b");
}

}  // namespace
}  // namespace singa
