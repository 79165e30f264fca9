// Tests processes that mpirun or srun started.
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "comm/security/keys.h"
#include "driver/launch/launch_place.h"
#include "io/temp_dir.h"
#include "singa/base/error.h"
#include "support/driver/launch_environment.h"
#include "support/launch_child.h"

namespace singa {
namespace {

class LauncherTest : public LaunchEnvironment {
 protected:
  LauncherTest() : job_(LaunchedJob(2, folder_.Path("work"))) {}

  static void SetOpenMpi(int rank, int processes = 2) {
    Set("OMPI_COMM_WORLD_RANK", std::to_string(rank));
    Set("OMPI_COMM_WORLD_SIZE", std::to_string(processes));
    Set("PMIX_NAMESPACE", "prterun-host@1");
  }
  std::optional<LaunchPlace> Find(int rank) {
    SetOpenMpi(rank);
    return FindLaunchPlace(job_, 2);
  }
  std::string Path(const std::string& name) const { return folder_.Path("work/" + name); }
  bool FilesAreGone() const { return std::filesystem::is_empty(folder_.Path("work")); }

  TempDir folder_;
  JobProto job_;
};

TEST_F(LauncherTest, TwoProcessesMeetByFiles) {
  std::optional<LaunchPlace> first = Find(0);
  ASSERT_TRUE(first);
  EXPECT_FALSE(first->coordinator);
  EXPECT_FALSE(first->supervised);
  first->Report({"127.0.0.1", 4000});
  const std::optional<LaunchPlace> second = Find(1);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->rank, 1);
  EXPECT_EQ(second->processes, 2);
  EXPECT_EQ(second->coordinator, (Endpoint{"127.0.0.1", 4000}));
  EXPECT_EQ(second->secrets.token, first->secrets.token);
  EXPECT_TRUE(second->secrets.keys[0].secret_key.empty());
  EXPECT_FALSE(second->secrets.keys[1].secret_key.empty());
  EXPECT_TRUE(first->secrets.keys[1].secret_key.empty());
  EXPECT_EQ(second->secrets.keys[0].public_key, first->secrets.keys[0].public_key);
}

TEST_F(LauncherTest, SaysHowManyProcessesOfItsHostComeBefore) {
  const std::optional<LaunchPlace> first = Find(0);
  EXPECT_EQ(first->before_here, 0);
  first->Report({"127.0.0.1", 4000});
  EXPECT_EQ(Find(1)->before_here, 0);  // no launcher says it
  Set("OMPI_COMM_WORLD_LOCAL_RANK", "1");
  EXPECT_EQ(Find(1)->before_here, 1);
}

TEST_F(LauncherTest, SecretsAreForTheirOwnerAlone) {
  const std::optional<LaunchPlace> first = Find(0);
  struct stat status;
  ASSERT_EQ(stat(Path("launch-prterun-host-1").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(LauncherTest, FilesGoWhenAllAreTogether) {
  std::optional<LaunchPlace> first = Find(0);
  first->Report({"127.0.0.1", 4000});
  first->Done();
  EXPECT_TRUE(FilesAreGone());
}

TEST_F(LauncherTest, FilesGoWithRankZero) {
  Find(0)->Report({"127.0.0.1", 4000});
  EXPECT_TRUE(FilesAreGone());
}

TEST_F(LauncherTest, FilesOfAProcessThatWasKilledAreReplaced) {
  std::filesystem::create_directories(folder_.Path("work"));
  WriteSecretsFile(Path("launch-prterun-host-1"), JobSecrets::Make(2));
  folder_.Write("work/launch-prterun-host-1.endpoint", "127.0.0.1:1\n");
  const std::optional<LaunchPlace> first = Find(0);
  EXPECT_FALSE(std::filesystem::exists(Path("launch-prterun-host-1.endpoint")));
  EXPECT_EQ(ReadSecretsFile(Path("launch-prterun-host-1")).token, first->secrets.token);
}

TEST_F(LauncherTest, UnfinishedFilesOfAProcessThatWasKilledGo) {
  std::filesystem::create_directories(folder_.Path("work"));
  for (const char* name : {"", ".endpoint", ".network"})
    folder_.Write(StrCat("work/launch-prterun-host-1", name, ".tmp.0123456789abcdef"), "");
  const std::string another = folder_.Write("work/launch-prterun-host-12.tmp.0123", "");
  Find(0)->Done();
  EXPECT_TRUE(std::filesystem::remove(another));
  EXPECT_TRUE(FilesAreGone());
}

// The files are of a start that was killed. The launcher gives the next start the same name.
TEST_F(LauncherTest, OldFilesAreReadAgainWhenRankZeroHasComeAnew) {
  std::filesystem::create_directories(folder_.Path("work"));
  const JobSecrets old = JobSecrets::Make(2);
  WriteSecretsFile(Path("launch-prterun-host-1"), old);
  folder_.Write("work/launch-prterun-host-1.endpoint", "127.0.0.1:1\n");
  std::optional<LaunchPlace> second = Find(1);
  EXPECT_EQ(second->secrets.token, old.token);
  EXPECT_EQ(second->coordinator, (Endpoint{"127.0.0.1", 1}));
  EXPECT_FALSE(second->Outdated());
  const std::optional<LaunchPlace> first = Find(0);
  first->Report({"127.0.0.1", 4000});
  while (!second->Outdated()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  second->ReadAgain(job_);
  EXPECT_EQ(second->secrets.token, first->secrets.token);
  EXPECT_EQ(second->coordinator, (Endpoint{"127.0.0.1", 4000}));
  for (const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
       std::chrono::steady_clock::now() < end;
       std::this_thread::sleep_for(std::chrono::milliseconds(100)))
    EXPECT_FALSE(second->Outdated());
}

TEST_F(LauncherTest, FilesThatAreGoneAreNoNewOnes) {
  std::optional<LaunchPlace> first = Find(0);
  first->Report({"127.0.0.1", 4000});
  const std::optional<LaunchPlace> second = Find(1);
  first->Done();
  EXPECT_FALSE(second->Outdated());
}

TEST_F(LauncherTest, SaysThatRankZeroHasNotCome) {
  job_.mutable_cluster()->set_start_timeout(1);
  EXPECT_ERROR(Find(1), kExitPeerLost, "process 0 was not found within 1 s",
               "work/launch-prterun-host-1 is not there", "cluster.workspace");
}

TEST_F(LauncherTest, AnAddressOfTheConfNeedsNoEndpointFile) {
  job_.mutable_cluster()->set_coordinator("10.0.0.1:6723");
  const std::optional<LaunchPlace> first = Find(0);
  EXPECT_EQ(first->coordinator, (Endpoint{"10.0.0.1", 6723}));
  EXPECT_EQ(Find(1)->coordinator, (Endpoint{"10.0.0.1", 6723}));
}

// Debian's /etc/hosts has a loopback address for the machine's own name.
TEST_F(LauncherTest, ANameIsTheAddressThatRankZeroFinds) {
  job_.mutable_cluster()->set_coordinator("localhost:6723");
  const std::optional<LaunchPlace> first = Find(0);
  EXPECT_EQ(first->coordinator, (Endpoint{"localhost", 6723}));
  first->Report({"10.0.0.1", 6723});
  EXPECT_EQ(Find(1)->coordinator, (Endpoint{"10.0.0.1", 6723}));
}

TEST_F(LauncherTest, LoopbackOfAnotherHostIsAnError) {
  std::filesystem::create_directories(folder_.Path("work"));
  WriteSecretsFile(Path("launch-prterun-host-1"), JobSecrets::Make(2));
  folder_.Write("work/launch-prterun-host-1.endpoint", "127.0.0.1:4000\n");
  folder_.Write("work/launch-prterun-host-1.network", "another\n");
  for (const char* coordinator : {"", "127.0.0.1:4000", "localhost:0"}) {
    job_.mutable_cluster()->set_coordinator(coordinator);
    EXPECT_ERROR(Find(1), kExitConfig, "cluster.coordinator: must be an address",
                 "127.0.0.1:4000, which is loopback");
  }
}

// Another host may also have an interface of that name.
TEST_F(LauncherTest, ACoordinatorThatIsAnInterfaceIsRankZeros) {
  job_.mutable_cluster()->set_coordinator("lo:6723");
  const std::optional<LaunchPlace> first = Find(0);
  first->Report({"10.0.0.1", 6723});
  EXPECT_EQ(Find(1)->coordinator, (Endpoint{"10.0.0.1", 6723}));
}

TEST_F(LauncherTest, SeveralHostsNeedACoordinator) {
  Set("OMPI_COMM_WORLD_LOCAL_SIZE", "1");
  EXPECT_ERROR(Find(0), kExitConfig, "cluster.coordinator: must be set", "several hosts");
  job_.mutable_cluster()->set_coordinator("node1:6723");
  EXPECT_TRUE(Find(0));
}

TEST_F(LauncherTest, OneHostNeedsNone) {
  Set("OMPI_COMM_WORLD_LOCAL_SIZE", "2");
  EXPECT_TRUE(Find(0));
}

TEST_F(LauncherTest, ADamagedEndpointFileIsAnError) {
  const std::optional<LaunchPlace> first = Find(0);
  for (const char* content : {"", "127.0.0.1:40", "nowhere\n"}) {
    folder_.Write("work/launch-prterun-host-1.endpoint", content);
    EXPECT_ERROR(Find(1), kExitBadData, "launch-prterun-host-1.endpoint");
  }
}

TEST_F(LauncherTest, AnotherNumberOfProcessesThanTheConfsIsAnError) {
  SetOpenMpi(0, 4);
  EXPECT_ERROR(FindLaunchPlace(job_, 2), kExitConfig,
               "makes 2 processes, 4 were started (OMPI_COMM_WORLD_SIZE)");
}

TEST_F(LauncherTest, OneProcessIsStartedByNobody) {
  SetOpenMpi(0, 1);
  EXPECT_FALSE(FindLaunchPlace(job_, 2));
}

}  // namespace
}  // namespace singa
