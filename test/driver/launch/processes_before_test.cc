// Tests how many processes of its host a process counts before itself, from launchers' variables.
#include "driver/launch/launcher_rank.h"
#include "support/driver/launch_environment.h"

namespace singa {
namespace processes_before {

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

}  // namespace processes_before
}  // namespace singa
