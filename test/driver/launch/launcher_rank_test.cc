// Tests what a process learns from the variables of its launcher.
#include "driver/launch/launcher_rank.h"

#include <unistd.h>

#include "io/temp_dir.h"
#include "singa/base/error.h"
#include "support/driver/launch_environment.h"

namespace singa {
namespace launcher_rank {

class LauncherRankTest : public LaunchEnvironment {
 protected:
  static void SetOpenMpi(const std::string& rank, const std::string& processes) {
    Set("OMPI_COMM_WORLD_RANK", rank);
    Set("OMPI_COMM_WORLD_SIZE", processes);
  }
  static void SetPmi(const std::string& rank, const std::string& processes) {
    Set("PMI_RANK", rank);
    Set("PMI_SIZE", processes);
  }
  static void SetSlurm(const std::string& rank, const std::string& processes) {
    Set("SLURM_PROCID", rank);
    Set("SLURM_NTASKS", processes);
    Set("SLURM_STEP_ID", "0");
  }
};

TEST_F(LauncherRankTest, IsNoneWithoutALauncher) { EXPECT_FALSE(FindLauncherRank()); }

TEST_F(LauncherRankTest, IsNoneWhereALauncherStartedOneProcess) {
  SetOpenMpi("0", "1");
  EXPECT_FALSE(FindLauncherRank());
}

TEST_F(LauncherRankTest, OfALauncherOfOneProcessAnotherLauncherIsLookedFor) {
  SetOpenMpi("0", "1");
  SetPmi("1", "2");
  EXPECT_EQ(FindLauncherRank()->source, "PMI_SIZE");
}

TEST_F(LauncherRankTest, IsSaidByEachLauncher) {
  SetSlurm("3", "8");
  EXPECT_EQ(FindLauncherRank()->rank, 3);
  EXPECT_EQ(FindLauncherRank()->processes, 8);
  EXPECT_EQ(FindLauncherRank()->source, "SLURM_NTASKS");
  SetPmi("1", "2");
  EXPECT_EQ(FindLauncherRank()->rank, 1);
  EXPECT_EQ(FindLauncherRank()->source, "PMI_SIZE");
  SetOpenMpi("4", "6");
  EXPECT_EQ(FindLauncherRank()->rank, 4);
  EXPECT_EQ(FindLauncherRank()->source, "OMPI_COMM_WORLD_SIZE");
}

TEST_F(LauncherRankTest, ABatchScriptOfSlurmIsNoProcessOfAJob) {
  Set("SLURM_PROCID", "0");
  Set("SLURM_NTASKS", "8");
  EXPECT_FALSE(FindLauncherRank());
}

TEST_F(LauncherRankTest, MalformedVariablesAreRefusedWithNameAndValue) {
  SetOpenMpi("2", "2");
  EXPECT_ERROR(FindLauncherRank(), kExitUsage, "OMPI_COMM_WORLD_RANK: must be 0 to 1, is \"2\"");
  SetOpenMpi("0", "two");
  EXPECT_ERROR(FindLauncherRank(), kExitUsage,
               "OMPI_COMM_WORLD_SIZE: must be 1 to 1024, is \"two\"");
  SetOpenMpi("0", "1025");
  EXPECT_ERROR(FindLauncherRank(), kExitUsage, "must be 1 to 1024, is \"1025\"");
}

TEST_F(LauncherRankTest, AStartOfSlurmIsItsJobStepAndRestart) {
  SetSlurm("3", "8");
  Set("SLURM_JOB_ID", "77");
  EXPECT_EQ(FindLauncherRank()->id, "77-0");
  Set("SLURM_RESTART_COUNT", "2");
  EXPECT_EQ(FindLauncherRank()->id, "77-0-2");
}

TEST_F(LauncherRankTest, SrunWithPmixSetsMpiUp) {
  SetSlurm("3", "8");
  EXPECT_EQ(FindLauncherRank()->why_mpi, "");
  Set("PMIX_RANK", "3");
  EXPECT_EQ(FindLauncherRank()->why_mpi, "srun has started the job with PMIx");
}

TEST_F(LauncherRankTest, AStartOfMpichIsKnownByItsParent) {
  SetPmi("0", "2");
  EXPECT_EQ(FindLauncherRank()->id, StrCat("parent-", getppid()));
}

TEST_F(LauncherRankTest, AStartOfPmiIsKnownByItsJob) {
  SetPmi("1", "2");
  Set("PMI_JOBID", "job");
  EXPECT_EQ(FindLauncherRank()->id, "job");
}

TEST_F(LauncherRankTest, AnIdHasLettersDigitsDotsAndHyphens) {
  SetPmi("1", "2");
  Set("PMI_JOBID", "9f1c-42/a.b@\xC3\xA9");
  EXPECT_EQ(FindLauncherRank()->id, "9f1c-42-a.b---");
  EXPECT_EQ(FindLauncherRank()->why_mpi, "");
  Set("PMI_JOBID", std::string(100, 'x'));
  EXPECT_EQ(FindLauncherRank()->id, std::string(64, 'x'));
}

TEST_F(LauncherRankTest, OpenMpiAndMpichSayWhetherAllAreOnThisHost) {
  SetOpenMpi("0", "4");
  EXPECT_EQ(FindLauncherRank()->why_mpi, "Open MPI has started the job");
  EXPECT_FALSE(FindLauncherRank()->one_host);
  EXPECT_FALSE(FindLauncherRank()->several_hosts);
  Set("OMPI_COMM_WORLD_LOCAL_SIZE", "4");
  EXPECT_TRUE(FindLauncherRank()->one_host);
  EXPECT_FALSE(FindLauncherRank()->several_hosts);
  Set("OMPI_COMM_WORLD_LOCAL_SIZE", "3");
  EXPECT_FALSE(FindLauncherRank()->one_host);
  EXPECT_TRUE(FindLauncherRank()->several_hosts);
}

TEST_F(LauncherRankTest, SlurmSaysHowManyHosts) {
  SetSlurm("0", "2");
  Set("SLURM_STEP_NUM_NODES", "1");
  EXPECT_TRUE(FindLauncherRank()->one_host);
  Set("SLURM_STEP_NUM_NODES", "2");
  EXPECT_TRUE(FindLauncherRank()->several_hosts);
}

using LivingLauncherTest = LauncherRankTest;

TEST_F(LivingLauncherTest, WhoSetsPmiByHandNeedNotLive) {
  EXPECT_EQ(LivingLauncherVariable(), nullptr);
  SetPmi("1", "2");
  EXPECT_EQ(LivingLauncherVariable(), nullptr);
  Set("PMI_FD", "7");
  EXPECT_STREQ(LivingLauncherVariable(), "PMI_RANK");
  Set("PMI_FD", "");
  Set("PMI_PORT", "node1:39021");
  EXPECT_STREQ(LivingLauncherVariable(), "PMI_RANK");
}

TEST_F(LivingLauncherTest, OneProcessHasALauncherAsWell) {
  Set("SLURM_PROCID", "0");
  Set("SLURM_NTASKS", "1");
  EXPECT_EQ(LivingLauncherVariable(), nullptr);  // in a batch script
  Set("SLURM_STEP_ID", "0");
  EXPECT_STREQ(LivingLauncherVariable(), "SLURM_PROCID");
  SetOpenMpi("0", "1");
  EXPECT_STREQ(LivingLauncherVariable(), "OMPI_COMM_WORLD_RANK");
}

TEST(ParseIntegerTest, TakesNumbersInTheRange) {
  EXPECT_EQ(ParseInteger("0", 0, 9), 0);
  EXPECT_EQ(ParseInteger("9", 0, 9), 9);
  EXPECT_EQ(ParseInteger("-5", -9, 9), -5);
}

TEST(ParseIntegerTest, TakesNothingElse) {
  for (const char* text : {"10", "-1", "", " 1", "1 ", "+1", "1.0", "x", "99999999999"})
    EXPECT_FALSE(ParseInteger(text, 0, 9)) << text;
}

// The process has rank 2 of 3.
class ProcessesBefore : public LaunchEnvironment {
 protected:
  static void StartAs(const std::string& rank, const std::string& processes) {
    Set(rank, "2");
    Set(processes, "3");
  }
  static int Before() { return FindLauncherRank()->before_here; }
};

TEST_F(ProcessesBefore, AreNoneWhereNoVariableSaysIt) {
  StartAs("PMI_RANK", "PMI_SIZE");
  EXPECT_EQ(Before(), 0);
}

TEST_F(ProcessesBefore, AreSaidByOpenMpi) {
  StartAs("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE");
  Set("MPI_LOCALRANKID", "2");
  EXPECT_EQ(Before(), 0);
  Set("OMPI_COMM_WORLD_LOCAL_RANK", "1");
  EXPECT_EQ(Before(), 1);
}

TEST_F(ProcessesBefore, AreSaidByMpich) {
  StartAs("PMI_RANK", "PMI_SIZE");
  Set("OMPI_COMM_WORLD_LOCAL_RANK", "2");
  EXPECT_EQ(Before(), 0);
  Set("MPI_LOCALRANKID", "1");
  EXPECT_EQ(Before(), 1);
}

TEST_F(ProcessesBefore, AreSaidBySlurm) {
  StartAs("SLURM_PROCID", "SLURM_NTASKS");
  Set("SLURM_STEP_ID", "0");
  EXPECT_EQ(Before(), 0);
  Set("SLURM_LOCALID", "1");
  EXPECT_EQ(Before(), 1);
}

// A process that a batch script starts inherits the script's own variables of Slurm.
TEST_F(ProcessesBefore, AreTheLaunchersOwnToSayBeforeSlurm) {
  StartAs("PMI_RANK", "PMI_SIZE");
  Set("SLURM_LOCALID", "1");
  EXPECT_EQ(Before(), 1);
  Set("MPI_LOCALRANKID", "2");
  EXPECT_EQ(Before(), 2);
}

TEST_F(ProcessesBefore, AreNoMoreThanTheLowerRanks) {
  StartAs("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE");
  for (const char* value : {"3", "-1", "x", ""}) {
    Set("OMPI_COMM_WORLD_LOCAL_RANK", value);
    EXPECT_EQ(Before(), 0) << value;
  }
}

}  // namespace launcher_rank
}  // namespace singa
