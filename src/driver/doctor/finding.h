// What `singa doctor` finds of one thing: a line of its report.
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
  std::string advice = {};  // what to do about it; "" where it is ok
};

using Findings = std::vector<Finding>;

// The parts of the report, each adding to `found`.
void FindVersions(Findings* found);   // of singa and what it is built with
void FindProcessor(Findings* found);  // kind, cores, threads, whether it computes rightly
void FindMemory(Findings* found);
void FindLimits(Findings* found);  // of the process
void FindFiles(Findings* found);   // the working directory, /dev/shm
void FindSystem(Findings* found);  // locale, clock, programs
void FindGpus(Findings* found);    // and what a job on one loads

// "1.5 GiB"
std::string SizeText(int64_t bytes);

}  // namespace singa
