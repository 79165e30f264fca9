// LaunchEnvironment makes environments as launchers do. Variables that the test itself was started
// with do not count.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <optional>
#include <string>

namespace singa {

class LaunchEnvironment : public ::testing::Test {
 protected:
  LaunchEnvironment() {
    for (const char* name : {"SINGA_PROCESS",
                             "SINGA_COORDINATOR",
                             "SINGA_PROCESSES_BEFORE",
                             "MPI_LOCALRANKID",
                             "OMPI_COMM_WORLD_LOCAL_RANK",
                             "SLURM_LOCALID",
                             "OMPI_COMM_WORLD_RANK",
                             "OMPI_COMM_WORLD_SIZE",
                             "PMI_RANK",
                             "PMI_SIZE",
                             "SLURM_PROCID",
                             "SLURM_NTASKS",
                             "SLURM_STEP_ID",
                             "SLURM_JOB_ID",
                             "SLURM_RESTART_COUNT",
                             "SLURM_STEP_NUM_NODES",
                             "OMPI_COMM_WORLD_LOCAL_SIZE",
                             "MPI_LOCALNRANKS",
                             "PMIX_NAMESPACE",
                             "OMPI_MCA_ess_base_jobid",
                             "PMI_JOBID",
                             "PMI_FD",
                             "PMI_PORT"}) {
      const char* const value = std::getenv(name);
      before_[name] = value ? std::optional<std::string>(value) : std::nullopt;
      unsetenv(name);
    }
  }
  ~LaunchEnvironment() override {
    for (const auto& [name, value] : before_) {
      if (value)
        setenv(name.c_str(), value->c_str(), 1);
      else
        unsetenv(name.c_str());
    }
  }
  // REQUIRES: one of the names above.
  static void Set(const std::string& name, const std::string& value) {
    setenv(name.c_str(), value.c_str(), 1);
  }

 private:
  std::map<std::string, std::optional<std::string>> before_;
};

}  // namespace singa
