#include "support/driver/supervised_job.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <sstream>

#include "singa/base/str_cat.h"

namespace singa {
namespace {

constexpr int kLimitMs = 30000;

}  // namespace

SupervisedJob::SupervisedJob() {
  for (const auto& [name, descriptor] : {std::pair{"arrived", &arrived_}, {"ready", &ready_}}) {
    const std::string path = folder_.Path(name);
    EXPECT_EQ(mkfifo(path.c_str(), 0600), 0);
    *descriptor = Descriptor(open(path.c_str(), O_RDWR | O_CLOEXEC));
  }
  job_.mutable_cluster()->set_workspace(folder_.Path(""));
  options_.program = Program();
  options_.end_timeout = options_.stop_timeout = std::chrono::milliseconds(0);
  options_.wait = [this](std::chrono::milliseconds pause, const StopSignals&) {
    pauses_.push_back(pause.count() / 1000);
  };
}

void SupervisedJob::SetUp() { alarm(120); }  // nothing hangs
void SupervisedJob::TearDown() { alarm(0); }

std::vector<std::string> SupervisedJob::Args(std::vector<std::string> orders) const {
  orders.insert(orders.begin(), {folder_.Path(""), std::to_string(processes_)});
  return orders;
}

ExitCode SupervisedJob::Run(const std::vector<std::string>& orders) {
  Progress progress;
  return Supervise(job_, processes_, Args(orders), &progress, options_);
}

void SupervisedJob::Await(const std::string& line) {
  std::string read_so_far;
  while (read_so_far != line) {
    read_so_far.clear();
    for (char c = 0;; read_so_far += c) {
      pollfd watched = {ready_.get(), POLLIN, 0};
      const int found = poll(&watched, 1, kLimitMs);
      if (found < 0) continue;  // a signal
      if (found == 0) {
        ADD_FAILURE() << "no " << line;
        return;
      }
      if (read(ready_.get(), &c, 1) != 1 || c == '\n') break;
    }
  }
}

std::vector<SupervisedJob::Start> SupervisedJob::Starts() const {
  std::vector<Start> starts;
  std::istringstream log(TempDir::Read(folder_.Path("log")));
  for (std::string line; std::getline(log, line);) {
    std::istringstream words(line);
    std::string what;
    Start start;
    words >> what >> start.rank >> start.pid >> start.token >> start.own_keys >> start.endpoint >>
        start.resumes >> start.input;
    if (what == "start") starts.push_back(start);
  }
  return starts;
}

pid_t SupervisedJob::PidOf(int rank) const {
  pid_t pid = -1;
  for (const Start& start : Starts())
    if (start.rank == rank) pid = start.pid;
  return pid;
}

int SupervisedJob::Count(const std::string& begin) const {
  int count = 0;
  std::istringstream log(TempDir::Read(folder_.Path("log")));
  for (std::string line; std::getline(log, line);) count += line.rfind(begin, 0) == 0;
  return count;
}

std::string SupervisedJob::Program() { return SINGA_BINARY_DIR "/bin/launch_child"; }

bool SupervisedJob::Ends(pid_t pid) {
  const Descriptor process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (process.get() < 0) return errno == ESRCH;
  pollfd watched = {process.get(), POLLIN, 0};
  return poll(&watched, 1, kLimitMs) == 1;
}

}  // namespace singa
