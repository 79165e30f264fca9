#include "driver/conf/job_stores.h"

#include <glog/logging.h>

#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "nn/plan/net_builder.h"
#include "train/trainer/worker_model.h"

namespace singa {
namespace {

std::vector<Phase> PhasesThatRun(const JobProto& job, JobUse use) {
  std::vector<Phase> phases;
  if (Trains(job, use)) phases.push_back(kTrain);
  if (phases.empty() || RunsPhase(job, kTest)) phases.push_back(kTest);
  if (RunsPhase(job, kVal)) phases.push_back(kVal);
  return phases;
}

// Returns whether a message begins with the file, or with a file in that folder. The name of
// another process may come first.
bool IsAbout(const std::string& text, std::string file) {
  file = Printable(file);
  while (file.size() > 1 && file.ends_with('/')) file.pop_back();
  if (file.empty()) return false;
  for (const char* const end : {":", "/"})
    if (text.starts_with(file + end) || text.find(StrCat(": ", file, end)) != std::string::npos)
      return true;
  return false;
}

// Returns the error at the field that names the file of the error; if several match, the longest
// name.
std::optional<ConfigError> AtDeclaredFile(const JobProto& job, JobUse use, const Error& error) {
  std::optional<ConfigError> placed;
  size_t longest = 0;
  for (const Phase phase : PhasesThatRun(job, use)) {
    NetOptions options;
    options.phase = phase;
    options.gradients = false;
    ParamTable params;
    ConfigErrors ignored;
    const Net net = BuildNet(job.neuralnet(), options, &params, &ignored);
    for (const NetNode& node : net.nodes()) {
      if (!node.declare) continue;
      for (const auto& [field, file] : node.declared().files) {
        if (file.size() <= longest || !IsAbout(error.what(), file)) continue;
        longest = file.size();
        placed = ConfigError(field, error.what(), error.code()).Under("neuralnet." + node.path);
      }
    }
  }
  return placed;
}

}  // namespace

std::vector<InputFacts> StoresOf(const JobProto& job, JobUse use, ConfigErrors* unreadable) {
  std::vector<InputFacts> stores = PeekInputs(job.neuralnet(), PhasesThatRun(job, use), unreadable);
  if (Trains(job, use)) return stores;
  for (InputFacts& input : PeekTraining(job.neuralnet())) stores.push_back(std::move(input));
  return stores;
}

std::optional<ConfigError> AtFieldOfFile(const JobProto& job, JobUse use, const Error& error) {
  const int code = error.code();
  if (code != kExitBadData && code != kExitNoInput && code != kExitIo && code != kExitNoPermission)
    return {};
  try {
    ConfigErrors unreadable;  // the check of the job reports these
    StoresOf(job, use, &unreadable);
    for (const ConfigError& known : unreadable)
      if (std::string_view(error.what()).ends_with(known.message()))
        return ConfigError(known.path(), error.what(), error.code());
    return AtDeclaredFile(job, use, error);
  } catch (const std::exception& another) {
    LOG(WARNING) << another.what();  // only `error` ends the job
    return {};
  }
}

}  // namespace singa
