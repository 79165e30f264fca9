// Tests which launcher's end also ends a process.
#include "driver/launch/launcher_end.h"

#include <unistd.h>

#include "driver/launch/launcher_rank.h"
#include "support/driver/launch_environment.h"

namespace singa {
namespace {

using LauncherEndTest = LaunchEnvironment;

TEST_F(LauncherEndTest, WhoSetsPmiByHandNeedNotLive) {
  EXPECT_EQ(LivingLauncherVariable(), nullptr);
  Set("PMI_RANK", "1");
  Set("PMI_SIZE", "2");
  EXPECT_EQ(LivingLauncherVariable(), nullptr);
  Set("PMI_FD", "7");
  EXPECT_STREQ(LivingLauncherVariable(), "PMI_RANK");
  Set("PMI_FD", "");
  Set("PMI_PORT", "node1:39021");
  EXPECT_STREQ(LivingLauncherVariable(), "PMI_RANK");
}

TEST_F(LauncherEndTest, OneProcessHasALauncherAsWell) {
  Set("SLURM_PROCID", "0");
  Set("SLURM_NTASKS", "1");
  EXPECT_EQ(LivingLauncherVariable(), nullptr);  // in a batch script
  Set("SLURM_STEP_ID", "0");
  EXPECT_STREQ(LivingLauncherVariable(), "SLURM_PROCID");
  Set("OMPI_COMM_WORLD_RANK", "0");
  Set("OMPI_COMM_WORLD_SIZE", "1");
  EXPECT_STREQ(LivingLauncherVariable(), "OMPI_COMM_WORLD_RANK");
}

TEST_F(LauncherEndTest, TheLauncherIsWhoeverHasNotItsVariables) {
  EXPECT_EQ(AncestorWithout("A_VARIABLE_THAT_NOBODY_HAS", getpid()), getppid());
}

}  // namespace
}  // namespace singa
