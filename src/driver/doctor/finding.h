// Finding is one line of the report of `singa doctor`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace singa {

struct Finding {
  enum Status : uint8_t {
    kOk,
    kWarn,  // jobs run, but slower or with less than they could
    kFail,  // no job can run
  };

  std::string name, value;
  Status status = kOk;
  std::string advice = {};  // what to do about it; "" if it is ok
};

using Findings = std::vector<Finding>;

// The parts of the report. Each function adds to `found`.
void FindVersions(Findings* found);   // versions of singa and its libraries
void FindProcessor(Findings* found);  // kind, cores, threads, whether it computes correctly
void FindMemory(Findings* found);
void FindLimits(Findings* found);  // limits of the process
void FindFiles(Findings* found);   // the working directory, /dev/shm
void FindSystem(Findings* found);  // locale, clock, programs
// Ways in which gradients of several processes come together.
void FindBackends(Findings* found);
void FindGpus(Findings* found);  // GPUs, and libraries that a job on one loads

// Returns "1.5 GiB".
std::string SizeText(int64_t bytes);

}  // namespace singa
