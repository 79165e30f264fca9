// This program is a process of a job that trains nothing, and carries out the orders in its
// arguments.
//   launch_child [supervise] FOLDER PROCESSES [RANK/START[.LIFE]=ACTION[+ACTION]...]... [-resume]
// With `supervise` it is the supervisor of such processes. START counts the starts of rank 0 in
// FOLDER, from 0. LIFE counts the later starts of the process since then. A process without an
// order waits to be killed. FOLDER has the FIFOs `arrived` and `ready`, and gets the file `log`.
#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "driver/launch/launch_place.h"
#include "driver/launch/supervisor.h"
#include "support/launch_child.h"

namespace singa {
namespace {

class Child {
 public:
  explicit Child(std::vector<std::string> args)
      : args_(std::move(args)), folder_(args_.at(0)), processes_(std::stoi(args_.at(1))) {}

  int Run() {
    sigemptyset(&stops_);
    sigaddset(&stops_, SIGINT);
    sigaddset(&stops_, SIGTERM);
    sigprocmask(SIG_BLOCK, &stops_, nullptr);
    place_ = FindLaunchPlace(LaunchedJob(processes_, folder_), processes_);
    if (!place_) return kExitUsage;
    ReadLog();
    LogStart();
    const std::string order = Order();
    if (place_->rank == 0 && order.find("mute") == std::string::npos) {
      place_->Report({"127.0.0.1", 4000 + start_});
      if (order.find("loads") == std::string::npos) place_->Begun();
    }
    if (place_->rank != 0) Append("arrived", std::string(1, static_cast<char>('a' + start_)));
    Append("ready", StrCat(place_->rank, ".", start_, "\n"));
    std::istringstream actions(order);
    for (std::string action; std::getline(actions, action, '+');) Do(action);
    for (;;) pause();
  }

 private:
  // Counts the starts so far, and finds the process of rank 0.
  void ReadLog() {
    std::ifstream log(folder_ + "/log");
    const std::string own = StrCat("start ", place_->rank, " ");
    for (std::string line; std::getline(log, line);)
      if (line.rfind("start 0 ", 0) == 0) {
        ++start_;
        life_ = 0;
        first_ = std::stoi(line.substr(8));
      } else if (line.rfind(own, 0) == 0) {
        ++life_;
      }
    // If the conf has a coordinator, all processes start at once, and rank 0 may come later.
    if (place_->rank != 0) start_ = std::max(0, start_ - 1);
  }

  void LogStart() {
    int own_keys = 0, resumes = 0;
    for (const KeyPair& pair : place_->secrets.keys) own_keys += !pair.secret_key.empty();
    for (const std::string& arg : args_) resumes += arg == "-resume";
    char input = 0;
    Append("log", StrCat("start ", place_->rank, " ", getpid(), " ", place_->secrets.token, " ",
                         own_keys, " ", place_->coordinator ? ToString(*place_->coordinator) : "-",
                         " ", resumes, " ", read(STDIN_FILENO, &input, 1), "\n"));
  }

  std::string Order() const {
    const std::string life = life_ > 0 ? StrCat(".", life_) : "";
    const std::string wanted = StrCat(place_->rank, "/", start_, life, "=");
    for (const std::string& arg : args_)
      if (arg.rfind(wanted, 0) == 0) return arg.substr(wanted.size());
    return "";
  }

  void Do(const std::string& action) {
    const size_t colon = action.find(':');
    const std::string name = action.substr(0, colon);
    const int number = colon == std::string::npos ? 0 : std::stoi(action.substr(colon + 1));
    if (name == "exit") _exit(number);
    if (name == "kill") Die(number);
    if (name == "gather") Gather(number > 0 ? number : processes_ - 1);
    if (name == "met") AwaitMeeting();
    if (name == "stop") Stop(number);
    if (name == "outlive") OutliveFirst();
    if (name == "young") sigprocmask(SIG_UNBLOCK, &stops_, nullptr);
    if (name == "commit") Commit();
    if (name == "say") Append("ready", "said\n");
    if (name == "wait") sleep(static_cast<unsigned>(number));
  }

  // Makes the least that is listed as a checkpoint.
  void Commit() const {
    std::filesystem::create_directories(folder_ + "/checkpoint/step1");
    std::ofstream(folder_ + "/checkpoint/step1/manifest.json") << "{}";
    place_->Committed();
  }

  // The signal's default is set first: sanitizers handle some signals themselves.
  void Die(int number) {
    signal(number, SIG_DFL);
    kill(getpid(), number);
    for (;;) pause();
  }

  // Waits for `left` other processes of this start.
  void Gather(int left) {
    const Descriptor arrived(open((folder_ + "/arrived").c_str(), O_RDWR | O_CLOEXEC));
    while (left > 0) {
      char who = 0;
      if (read(arrived.get(), &who, 1) == 1 && who == 'a' + start_) --left;
    }
    place_->Done();
    Append("log", StrCat("met ", start_, "\n"));
  }

  // Waits until rank 0 has gathered all processes.
  void AwaitMeeting() const {
    const std::string met = StrCat("met ", start_);
    for (;; usleep(10000)) {
      std::ifstream log(folder_ + "/log");
      for (std::string line; std::getline(log, line);)
        if (line == met) return;
    }
  }

  // Takes `more` signals, and ends at the next one.
  void Stop(int more) {
    for (;; --more) {
      int signal = 0;
      sigwait(&stops_, &signal);
      Append("log", StrCat("signal ", place_->rank, " ", signal, "\n"));
      if (more == 0) _exit(signal == SIGINT ? kExitInterrupted : kExitTerminated);
      Append("ready", "signal\n");
    }
  }

  void OutliveFirst() {
    const Descriptor first(static_cast<int>(syscall(SYS_pidfd_open, first_, 0)));
    pollfd watched = {first.get(), POLLIN, 0};
    if (first.get() >= 0) poll(&watched, 1, -1);
    Append("log", StrCat("outlived ", place_->rank, "\n"));
    _exit(0);
  }

  void Append(const std::string& name, const std::string& text) const {
    const int flags = name == "log" ? O_WRONLY | O_APPEND | O_CREAT : O_RDWR;
    const Descriptor file(open((folder_ + "/" + name).c_str(), flags | O_CLOEXEC, 0600));
    if (write(file.get(), text.data(), text.size()) < 0) _exit(kExitIo);
  }

  std::vector<std::string> args_;
  std::string folder_;
  int processes_;
  std::optional<LaunchPlace> place_;
  int start_ = 0, life_ = 0;
  pid_t first_ = 0;
  sigset_t stops_;
};

int Main(std::vector<std::string> args) {
  try {
    if (args.at(0) != "supervise") return Child(std::move(args)).Run();
    args.erase(args.begin());
    const int processes = std::stoi(args.at(1));
    Progress progress;
    SuperviseOptions options;
    options.end_timeout = options.stop_timeout = std::chrono::milliseconds(0);
    return Supervise(LaunchedJob(processes, args[0]), processes, args, &progress, options);
  } catch (const Error& error) {
    std::fprintf(stderr, "launch_child: error: %s\n", error.what());
    return error.code();
  }
}

}  // namespace
}  // namespace singa

int main(int argc, char** argv) {
  alarm(300);  // a forgotten process ends
  return singa::Main({argv + 1, argv + argc});
}
