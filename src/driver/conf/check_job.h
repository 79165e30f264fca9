// The whole check of a job: text, -set options, values, nets. The same for `singa -conf` and
// `singa check`. Opens no store and allocates no tensor.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "driver/conf/check_values.h"
#include "driver/conf/job_conf.h"
#include "singa/proto/job.pb.h"

namespace singa {

struct CheckOptions {
  JobUse use = JobUse::kEither;
  bool files = false;  // input files that are missing are errors, with exit code 66
};

struct CheckedJob {
  JobProto job;  // empty where the text has errors
  JobConf conf;  // with what was found: ok(), Render(), exit_code()

  CheckedJob(const std::string& file, const std::vector<std::string>& sets)
      : conf(file, sets, &job) {}
  CheckedJob(const std::string& file, const std::string& text, const std::vector<std::string>& sets)
      : conf(file, text, sets, &job) {}
  CheckedJob(const CheckedJob&) = delete;
};

// Throws FileError where `file` cannot be read.
std::unique_ptr<CheckedJob> CheckJob(const std::string& file, const std::vector<std::string>& sets,
                                     const CheckOptions& options = {});
// The same for a file that holds `text`.
std::unique_ptr<CheckedJob> CheckJobText(const std::string& file, const std::string& text,
                                         const std::vector<std::string>& sets,
                                         const CheckOptions& options = {});

}  // namespace singa
