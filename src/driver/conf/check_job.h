// The whole check of a job: text, -set options, values, nets. The same for `singa -conf` and
// `singa check`, which also opens small stores. Reads no values of a checkpoint and allocates no
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
  // Input files that are missing are errors, with exit code 66; checkpoint_path's are judged by
  // their headers.
  bool files = false;
  // Stores that open quickly are compared with the conf; training does so itself.
  bool stores = false;
  bool resumes = false;  // checkpoint_path may not be used: its files are left alone
  bool quiet = false;    // WithJob shows no warnings
  // WithJob shows an error of a file that a layer reads at the field that names the file.
  bool places = false;
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

// What `use` returns for the job; where it has mistakes, their exit code. Findings go to stderr,
// with their places; so does a ConfigError of `use`, relative to the JobProto.
int WithJob(const std::string& file, const std::vector<std::string>& sets,
            const CheckOptions& options, const std::function<int(const JobProto&)>& use);

}  // namespace singa
