// Tests how a supervisor tells a process its place. launcher_test.cc has mpirun and srun.
#include "driver/launch/launch_place.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>

#include "driver/launch/launch_variables.h"
#include "io/temp_dir.h"
#include "singa/base/error.h"
#include "support/driver/launch_environment.h"
#include "support/launch_child.h"

namespace singa {
namespace {

class LaunchPlaceTest : public LaunchEnvironment {
 protected:
  // Sets the variable as a supervisor does for rank `rank` of three. "/REPORT" is appended.
  void Tell(int rank, int report = -1) {
    secrets_ = JobSecrets::Make(3);
    const int descriptor = SecretsToDescriptor(secrets_.ForRank(rank));
    Set(kProcessVariable, StrCat(rank, "/3/", descriptor, "/", report));
  }
  std::optional<LaunchPlace> Find(int processes = 3) {
    return FindLaunchPlace(LaunchedJob(processes, folder_.Path("")), processes);
  }
  void ExpectUsageError(const std::string& value) {
    Set(kProcessVariable, value);
    EXPECT_ERROR(Find(), kExitUsage, "SINGA_PROCESS: ", "is \"" + value + "\"");
  }

  TempDir folder_;
  JobSecrets secrets_;
};

TEST_F(LaunchPlaceTest, IsNoneWhereAUserStartedTheProcess) { EXPECT_FALSE(Find()); }

TEST_F(LaunchPlaceTest, IsWhatTheSupervisorTells) {
  Tell(2);
  Set(kCoordinatorVariable, "10.0.0.1:6723");
  const std::optional<LaunchPlace> place = Find();
  ASSERT_TRUE(place);
  EXPECT_EQ(place->rank, 2);
  EXPECT_EQ(place->processes, 3);
  EXPECT_EQ(place->secrets, secrets_.ForRank(2));
  EXPECT_EQ(place->coordinator, (Endpoint{"10.0.0.1", 6723}));
  EXPECT_TRUE(place->supervised);
}

TEST_F(LaunchPlaceTest, AChildOfTheProcessFindsNothing) {
  Tell(1);
  Set(kCoordinatorVariable, "10.0.0.1:6723");
  Find();
  EXPECT_EQ(std::getenv(kProcessVariable), nullptr);
  EXPECT_EQ(std::getenv(kCoordinatorVariable), nullptr);
  EXPECT_FALSE(Find());
}

TEST_F(LaunchPlaceTest, RankZeroReportsWhereItListens) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  Tell(0, ends[1]);
  {
    const std::optional<LaunchPlace> place = Find();
    EXPECT_FALSE(place->coordinator);
    EXPECT_EQ(fcntl(ends[1], F_GETFD), FD_CLOEXEC);
    place->Report({"::1", 4000});
  }
  char text[100];
  EXPECT_EQ(std::string(text, static_cast<size_t>(read(ends[0], text, sizeof(text)))),
            "[::1]:4000\n");
  EXPECT_EQ(read(ends[0], text, sizeof(text)), 0);  // closed with the place
  close(ends[0]);
}

TEST_F(LaunchPlaceTest, ReportIsNothingWhereNobodyAsks) {
  Tell(0);
  const std::optional<LaunchPlace> place = Find();
  place->Report({"127.0.0.1", 4000});
  EXPECT_EQ(std::filesystem::is_empty(folder_.Path("")), true);
}

TEST_F(LaunchPlaceTest, MalformedNumbersAreRefusedWithTheirValue) {
  for (const char* value :
       {"", "0", "0/3/5", "0/3/5/-1/", "a/3/5/-1", "-1/3/5/-1", "3/3/5/-1", "0/0/5/-1",
        "0/5000/5/-1", "0/3/0/-1", "0/3/5/1", "0/3/5/-2", "0/3/99999999999/-1", " 0/3/5/-1"})
    ExpectUsageError(value);
}

TEST_F(LaunchPlaceTest, DescriptorsThatAreNotOpenAreRefused) {
  ExpectUsageError("0/3/9999/-1");
  Tell(0, 9999);
  EXPECT_ERROR(Find(), kExitUsage, "SINGA_PROCESS: its last number");
}

TEST_F(LaunchPlaceTest, SecretsAreNotReadFromWhatCouldKeepTheReaderWaiting) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ExpectUsageError(StrCat("0/3/", ends[0], "/-1"));
  close(ends[0]);
  close(ends[1]);
}

TEST_F(LaunchPlaceTest, SecretsOfFewerProcessesAreRefused) {
  Set(kProcessVariable, StrCat("0/3/", SecretsToDescriptor(JobSecrets::Make(2).ForRank(0)), "/-1"));
  EXPECT_ERROR(Find(), kExitUsage, "SINGA_PROCESS", "must name 2 processes");
}

TEST_F(LaunchPlaceTest, DamagedSecretsAreAnError) {
  const int file = open(folder_.Write("secrets", "no secrets").c_str(), O_RDONLY);
  Set(kProcessVariable, StrCat("0/3/", file, "/-1"));
  EXPECT_ERROR(Find(), kExitBadData, "line 1");
}

TEST_F(LaunchPlaceTest, SaysHowManyProcessesOfItsHostComeBefore) {
  Tell(2);
  Set(kCoordinatorVariable, "10.0.0.1:6723");
  EXPECT_EQ(Find()->before_here, 0);
  Tell(2);
  Set(kCoordinatorVariable, "10.0.0.1:6723");
  Set(kBeforeVariable, "2");
  EXPECT_EQ(Find()->before_here, 2);
  EXPECT_EQ(std::getenv(kBeforeVariable), nullptr);
  Tell(2);
  Set(kCoordinatorVariable, "10.0.0.1:6723");
  Set(kBeforeVariable, "3");
  EXPECT_ERROR(Find(), kExitUsage, "SINGA_PROCESSES_BEFORE: must be 0 to 2", "is \"3\"");
}

TEST_F(LaunchPlaceTest, AnotherNumberOfProcessesThanTheConfsIsAnError) {
  Tell(0);
  EXPECT_ERROR(Find(4), kExitConfig, "makes 4 processes, 3 were started (SINGA_PROCESS)");
}

TEST_F(LaunchPlaceTest, ACoordinatorThatIsNoneIsRefused) {
  Tell(1);
  Set(kCoordinatorVariable, "here");
  EXPECT_ERROR(Find(), kExitUsage, "SINGA_COORDINATOR: must be HOST:PORT", "is \"here\"");
}

TEST_F(LaunchPlaceTest, OnlyRankZeroMayHaveNoCoordinator) {
  Tell(1);
  EXPECT_ERROR(Find(), kExitUsage, "SINGA_COORDINATOR: must say where process 0 is");
}

}  // namespace
}  // namespace singa
