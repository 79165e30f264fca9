#include "driver/board/job_state.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <ctime>
#include <sstream>
#include <string_view>

#include "base/file/lock_file.h"
#include "base/system/host_name.h"
#include "singa/base/error.h"
#include "singa/proto/job.pb.h"

namespace singa {
namespace {

constexpr int64_t kMostConf = int64_t{4} << 20;

// Returns the name and train_steps of a job; none of them if the text is no conf.
JobState ParsedConf(const std::string& text) {
  class : public google::protobuf::io::ErrorCollector {
    void AddError(int, int, const std::string&) override {}
  } silent;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&silent);
  parser.AllowPartialMessage(true);
  JobState state;
  JobProto job;
  if (!parser.ParseFromString(text, &job)) return state;
  state.name = job.name();
  if (job.has_train_steps() && job.train_epochs() == 0) state.train_steps = job.train_steps();
  return state;
}

// Takes the name from the picture of the net, whose first line is `digraph "NAME" {`.
void ReadPicture(const WorkspaceFiles& files, JobState* state) {
  constexpr std::string_view kBegin = "digraph \"";
  constexpr int64_t kMostTitle = 4096;
  try {
    const std::optional<WorkspaceFile> file = files.Open("visualization/train_net.dot");
    if (!file) return;
    std::string line = file->Read(0, kMostTitle);
    line.resize(std::min(line.size(), line.find('\n')));
    const size_t end = line.rfind('"');
    if (!line.starts_with(kBegin) || end == std::string::npos) return;
    for (size_t i = kBegin.size(); i < end; ++i) {
      if (line[i] == '\\' && i + 1 < end) ++i;
      state->name += line[i];
    }
  } catch (const FileError&) {  // the name stays unknown
  }
}

// A lock file is "singa-lock-1 HOST PID ...".
void ReadLockFile(const WorkspaceFiles& files, JobState* state) {
  try {
    const std::optional<WorkspaceFile> lock = files.Open(".lock");
    if (!lock) return;
    state->locked_here = kSystemLockCalls.holder_by_kernel(lock->descriptor.get()).known();
    std::istringstream words(lock->Read(0, 1024));
    std::string title, host;
    words >> title >> host;
    state->locked_elsewhere = !host.empty() && host != HostName();
  } catch (const FileError&) {  // an unreadable lock tells nothing
  }
}

}  // namespace

bool JobState::Runs(double changed) const {
  constexpr double kFreshSeconds = 120;
  const auto now = static_cast<double>(std::time(nullptr));
  return locked_here || (locked_elsewhere && now - changed < kFreshSeconds);
}

// Reads the conf of the job as it ran.
void JobStateReader::ReadConf(const WorkspaceFiles& files) {
  std::optional<WorkspaceFile> file;
  try {
    file = files.Open("visualization/job.conf");
    if (file && Unchanged(file->status, conf_status_)) return;
    conf_ =
        file && file->size() <= kMostConf ? ParsedConf(file->Read(0, file->size())) : JobState();
  } catch (const FileError&) {  // the name stays unknown until the next call
    conf_ = {};
    file.reset();
  }
  conf_status_ = {};
  if (file) conf_status_ = file->status;
}

JobState JobStateReader::Read(const WorkspaceFiles& files) {
  ReadConf(files);
  JobState state = conf_;
  if (state.name.empty()) ReadPicture(files, &state);
  ReadLockFile(files, &state);
  return state;
}

}  // namespace singa
