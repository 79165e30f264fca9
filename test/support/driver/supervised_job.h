// SupervisedJob is a job of launch_child's processes under Supervise. It reads the files in which
// the processes report.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <string>
#include <vector>

#include "base/system/descriptor.h"
#include "driver/launch/supervisor.h"
#include "io/temp_dir.h"
#include "support/launch_child.h"

namespace singa {

class SupervisedJob : public ::testing::Test {
 protected:
  // Start holds what a process wrote about itself when it started.
  struct Start {
    int rank = -1;
    pid_t pid = 0;
    std::string token;     // token of its secrets
    int own_keys = 0;      // secret keys that it has
    std::string endpoint;  // endpoint of rank 0, or "-"
    int resumes = 0;       // -resume among its arguments
    int input = -1;        // bytes that it read from stdin
  };

  SupervisedJob();
  void SetUp() override;
  void TearDown() override;

  // Returns the arguments FOLDER PROCESSES ORDERS... of launch_child.
  std::vector<std::string> Args(std::vector<std::string> orders) const;
  ExitCode Run(const std::vector<std::string>& orders);
  // Reads the lines that processes write when they are ready, up to `line`.
  void Await(const std::string& line);

  std::vector<Start> Starts() const;
  pid_t PidOf(int rank) const;  // id in the last start
  // Counts the lines of the log that begin with `begin`.
  int Count(const std::string& begin) const;

  static std::string Program();
  // Returns whether the process ends within half a minute. A zombie has ended.
  static bool Ends(pid_t pid);

  TempDir folder_;
  Descriptor arrived_, ready_;  // FIFOs that are never without a reader
  JobProto job_;
  int processes_ = 3;
  SuperviseOptions options_;
  std::vector<int64_t> pauses_;  // seconds that restarts should wait
};

}  // namespace singa
