#include "driver/job/resume_advice.h"

#include <string_view>

#include "driver/workspace/workspace.h"
#include "io/checkpoint/checkpoint.h"

namespace singa {

std::string ResumeAdvice(const JobProto& job, const Error& error,
                         std::filesystem::file_time_type since) {
  const bool says_so = std::string_view(error.what()).find("-resume") != std::string_view::npos;
  const bool was_lost = error.code() >= 128 || error.code() == kExitNoDevice;
  if (!was_lost || says_so) return "";
  const auto checkpoints = ListCheckpoints(WorkspacePath(job));
  if (checkpoints.empty()) return "";
  std::error_code failed;
  const auto written = std::filesystem::last_write_time(checkpoints.front().dir, failed);
  if (failed || written < since) return "";
  return StrCat("; to continue, type the same command with -resume; it starts from ",
                checkpoints.front().dir);
}

}  // namespace singa
