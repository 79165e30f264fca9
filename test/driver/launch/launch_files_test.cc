// Tests how processes meet by files in a folder.
#include "driver/launch/launch_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <thread>

#include "comm/transport/own_address.h"
#include "io/temp_dir.h"
#include "singa/base/error.h"

namespace singa {
namespace {

class LaunchFilesTest : public ::testing::Test {
 protected:
  bool Exists(const std::string& suffix) const { return std::filesystem::exists(path_ + suffix); }
  // Returns a reader that waits for nothing.
  LaunchFilesReader Reader() const { return {path_, 0}; }
  void MakeFolder() { std::filesystem::create_directories(folder_.Path("work")); }

  const TempDir folder_;
  const std::string path_ = folder_.Path("work/launch-1");
  const JobSecrets secrets_ = JobSecrets::Make(2);
};

TEST_F(LaunchFilesTest, MakesItsFolderAndAFileForItsOwnerAlone) {
  const LaunchFiles files(path_, secrets_);
  struct stat status = {};
  ASSERT_EQ(stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  EXPECT_EQ(ReadSecretsFile(path_), secrets_);
}

TEST_F(LaunchFilesTest, TellsTheEndpointAndTheNetwork) {
  const LaunchFiles files(path_, secrets_);
  files.Tell({"10.0.0.1", 6723});
  EXPECT_EQ(TempDir::Read(path_ + ".endpoint"), "10.0.0.1:6723\n");
  EXPECT_EQ(Reader().AwaitEndpoint(), (Endpoint{"10.0.0.1", 6723}));
  EXPECT_EQ(Reader().ReadNetwork(), OwnNetwork());
}

TEST_F(LaunchFilesTest, TellsAnotherEndpointInPlaceOfTheFirst) {
  const LaunchFiles files(path_, secrets_);
  files.Tell({"10.0.0.1", 6723});
  files.Tell({"10.0.0.2", 6724});
  EXPECT_EQ(Reader().AwaitEndpoint(), (Endpoint{"10.0.0.2", 6724}));
}

TEST_F(LaunchFilesTest, FilesGoWithTheirOwner) {
  {
    const LaunchFiles files(path_, secrets_);
    files.Tell({"10.0.0.1", 6723});
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_.Path("work")));
}

TEST_F(LaunchFilesTest, FilesThatWereRemovedStayAway) {
  std::optional<LaunchFiles> files(std::in_place, path_, secrets_);
  files->Remove();
  EXPECT_FALSE(Exists(""));
  folder_.Write("work/launch-1", "another start's");
  files->Remove();
  files.reset();
  EXPECT_FALSE(Exists(""));
}

TEST_F(LaunchFilesTest, FilesOfAKilledStartGoBeforeTheNewOnesCome) {
  MakeFolder();
  folder_.Write("work/launch-1.endpoint", "127.0.0.1:1\n");
  folder_.Write("work/launch-1.network", "another\n");
  const LaunchFiles files(path_, secrets_);
  EXPECT_FALSE(Exists(".endpoint"));
  EXPECT_FALSE(Exists(".network"));
}

TEST_F(LaunchFilesTest, AFolderThatCannotBeMadeIsAnError) {
  folder_.Write("work", "a file");
  EXPECT_ERROR(LaunchFiles(path_, secrets_), kExitCantCreate, folder_.Path("work"));
}

TEST_F(LaunchFilesTest, OthersWaitForRankZero) {
  JobSecrets got;
  Endpoint where;
  std::thread other([&] {
    const LaunchFilesReader reader(path_, 60);
    got = reader.AwaitSecrets(2);
    where = reader.AwaitEndpoint();
  });
  const LaunchFiles files(path_, secrets_);
  files.Tell({"10.0.0.1", 6723});
  other.join();
  EXPECT_EQ(got, secrets_);
  EXPECT_EQ(where, (Endpoint{"10.0.0.1", 6723}));
}

TEST_F(LaunchFilesTest, SaysWhichFileHasNotCome) {
  EXPECT_ERROR(Reader().AwaitSecrets(2), kExitPeerLost, "process 0 was not found within 0 s",
               "work/launch-1 is not there", "all processes need the same cluster.workspace");
  EXPECT_ERROR(Reader().AwaitEndpoint(), kExitPeerLost, "work/launch-1.endpoint is not there");
}

TEST_F(LaunchFilesTest, OldSecretsOfAnotherNumberOfProcessesAreNotTaken) {
  MakeFolder();
  for (const int others : {1, 3}) {
    WriteSecretsFile(path_, JobSecrets::Make(others));
    EXPECT_ERROR(Reader().AwaitSecrets(2), kExitPeerLost, "launch-1 is of another start");
    std::filesystem::remove(path_);
  }
}

TEST_F(LaunchFilesTest, SecretsOfTheNextStartAreWaitedFor) {
  MakeFolder();
  WriteSecretsFile(path_, JobSecrets::Make(3));
  const LaunchFilesReader reader(path_, 60);
  EXPECT_EQ(reader.AwaitSecrets(3).keys.size(), 3u);
  JobSecrets got;
  std::thread other([&] { got = reader.AwaitSecrets(2); });
  const LaunchFiles files(path_, secrets_);
  other.join();
  EXPECT_EQ(got, secrets_);
}

TEST_F(LaunchFilesTest, DamagedSecretsAreAnError) {
  MakeFolder();
  folder_.Write("work/launch-1", "no secrets");
  std::filesystem::permissions(path_, std::filesystem::perms(0600));
  EXPECT_ERROR(Reader().AwaitSecrets(2), kExitBadData, "launch-1");
}

TEST_F(LaunchFilesTest, AnEndpointThatIsNoWholeLineIsAnError) {
  MakeFolder();
  for (const char* content : {"", "127.0.0.1:40"}) {
    folder_.Write("work/launch-1.endpoint", content);
    EXPECT_ERROR(Reader().AwaitEndpoint(), kExitBadData, "launch-1.endpoint",
                 "is no line HOST:PORT");
  }
}

TEST_F(LaunchFilesTest, AnEndpointWithoutAPortIsAnError) {
  MakeFolder();
  folder_.Write("work/launch-1.endpoint", "nowhere\n");
  EXPECT_ERROR(Reader().AwaitEndpoint(), kExitBadData, "launch-1.endpoint", "nowhere");
}

TEST_F(LaunchFilesTest, ANetworkThatIsNotToldIsUnknown) {
  MakeFolder();
  EXPECT_EQ(Reader().ReadNetwork(), "");
  folder_.Write("work/launch-1.network", "cut");
  EXPECT_EQ(Reader().ReadNetwork(), "");
}

TEST_F(LaunchFilesTest, AFileThatIsTheSameWasNotReplaced) {
  const LaunchFiles files(path_, secrets_);
  const LaunchFilesReader reader(path_, 60);
  EXPECT_FALSE(reader.Replaced());  // nothing was read
  const LaunchFilesReader another(path_, 60);
  another.AwaitSecrets(2);
  EXPECT_FALSE(another.Replaced());
}

TEST_F(LaunchFilesTest, AFileOfANewStartWasReplaced) {
  const LaunchFiles first(path_, secrets_);
  const LaunchFilesReader reader(path_, 60);
  reader.AwaitSecrets(2);
  const LaunchFiles second(path_, secrets_);
  EXPECT_TRUE(reader.Replaced());
}

TEST_F(LaunchFilesTest, AFileThatIsGoneWasNotReplaced) {
  LaunchFiles files(path_, secrets_);
  const LaunchFilesReader reader(path_, 60);
  reader.AwaitSecrets(2);
  files.Remove();
  EXPECT_FALSE(reader.Replaced());
}

}  // namespace
}  // namespace singa
