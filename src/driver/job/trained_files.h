// These functions find the files with the values of a trained job's params.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "singa/base/error.h"
#include "singa/proto/job.pb.h"

namespace singa {

// Called for each damaged checkpoint that is skipped.
using Warn = std::function<void(const std::string&)>;

// Remembers which folders and files some paths name now.
class TrainedFilesMark {
 public:
  explicit TrainedFilesMark(std::vector<std::string> paths);
  explicit TrainedFilesMark(const std::string& path)
      : TrainedFilesMark(std::vector<std::string>{path}) {}
  // Returns whether one was removed or replaced since.
  bool Changed() const;

 private:
  std::vector<std::string> Which() const;
  std::vector<std::string> paths_, which_;
};

// Finds what checkpoint_path names: checkpoints' folders and files, the newest intact checkpoint of
// a workspace among them. Throws like FindParams (io/checkpoint/find_checkpoint.h).
std::vector<std::string> NamedFiles(const JobProto& job, const Warn& warn);

// Finds the job's trained params: the newest intact checkpoint of its workspace, as for -resume, or
// else its checkpoint_path. Throws FileError(kExitNoInput) if there is neither.
std::vector<std::string> TrainedFiles(const JobProto& job, const Warn& warn);

// Finds the params that -test judges: the job's checkpoint_path, or else the newest intact
// checkpoint of its workspace. Throws like TrainedFiles.
std::vector<std::string> FilesToTest(const JobProto& job, const Warn& warn);

// Finds the params for a command with -checkpoint: those of -checkpoint if it is given, else of a
// checkpoint_path in `sets`, else as TrainedFiles. Throws like TrainedFiles.
std::vector<std::string> FilesToUse(const JobProto& job, const std::string& checkpoint,
                                    const std::vector<std::string>& sets, const Warn& warn);

// Calls `use` with the files that `find` finds, and again if a running job removed them before they
// were open. `use` may be called again after it threw.
template <typename Find, typename Use>
auto UseTrained(const Find& find, const Use& use) {
  constexpr int kMostLooks = 100;
  for (int look = 1;; ++look) {
    const auto files = find();
    const TrainedFilesMark before(files);
    try {
      return use(files);
    } catch (const Error& error) {
      const bool lost = error.code() == kExitNoInput || error.code() == kExitBadData;
      if (!lost || look == kMostLooks || !before.Changed()) throw;
    }
  }
}

}  // namespace singa
