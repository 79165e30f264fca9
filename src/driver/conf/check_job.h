// CheckJob checks all of a job: text, -set options, values, nets. `singa -conf` uses it, and `singa
// check`, which also opens small stores. It reads no values of a checkpoint and allocates no
// tensor.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "driver/conf/check_values.h"
#include "driver/conf/job_conf.h"
#include "singa/proto/job.pb.h"

namespace singa {

struct CheckOptions {
  JobUse use = JobUse::kEither;
  // Report missing input files as errors, with exit code 66, and check the headers of
  // checkpoint_path's files.
  bool files = false;
  // Compare stores that open quickly with the conf. Training does so itself.
  bool stores = false;
  bool resumes = false;  // checkpoint_path may not be used, so its files are not read
  bool quiet = false;    // WithJob shows no warnings
  // Other machines may train the job, with other workers. `gpu` then names GPUs of theirs, and
  // warnings of `cluster` do not apply.
  bool elsewhere = false;
  // WithJob shows an error of a file that a layer reads at the field that names the file.
  bool places = false;
};

struct CheckedJob {
  JobProto job;  // empty if the text has errors
  JobConf conf;  // findings: ok(), Render(), exit_code()

  CheckedJob(const std::string& file, const std::vector<std::string>& sets)
      : conf(file, sets, &job) {}
  CheckedJob(const std::string& file, const std::string& text, const std::vector<std::string>& sets)
      : conf(file, text, sets, &job) {}
  CheckedJob(const CheckedJob&) = delete;
};

// Checks a job's file. Throws FileError if `file` cannot be read.
std::unique_ptr<CheckedJob> CheckJob(const std::string& file, const std::vector<std::string>& sets,
                                     const CheckOptions& options = {});
// Checks `text` as the content of `file`.
std::unique_ptr<CheckedJob> CheckJobText(const std::string& file, const std::string& text,
                                         const std::vector<std::string>& sets,
                                         const CheckOptions& options = {});

// Checks a job and returns `use` of it or, if there are mistakes, their exit code. Prints findings
// to stderr with their places, as it does with a ConfigError of `use`, relative to the JobProto.
int WithJob(const std::string& file, const std::vector<std::string>& sets,
            const CheckOptions& options, const std::function<int(const JobProto&)>& use);

}  // namespace singa
