#include "driver/launch/job_processes.h"

#include <fcntl.h>
#include <glog/logging.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "driver/launch/launch_variables.h"
#include "driver/signals/interrupt.h"

namespace singa {
namespace {

using std::chrono::steady_clock;

constexpr size_t kLongestReport = 512;  // maximum bytes of a line

bool AsksToStop(int code) { return code == kExitInterrupted || code == kExitTerminated; }

// Returns whether the end follows a request to stop, even if the process could not take signals
// yet.
bool IsStop(const ChildEnd& end) {
  if (end.signal == 0) return AsksToStop(end.code);
  return std::count(std::begin(kAskingSignals), std::end(kAskingSignals), end.signal) > 0;
}

// Returns whether a restart would not help: the job had an error, ended normally, or was asked to
// stop.
bool IsFinal(const ChildEnd& end) {
  return end.signal == 0 && (end.code < 128 || AsksToStop(end.code));
}

// Returns a weight. Of processes that ended at once, the one with the largest weight caused the
// others' ends.
int Weight(const ChildEnd& end) {
  if (end.signal != 0) return 1;
  return end.code < 128 ? 2 : 0;
}

}  // namespace

JobProcesses::JobProcesses(JobCommand command, StopSignals* signals)
    : command_(std::move(command)),
      signals_(signals),
      secrets_(JobSecrets::Make(command_.processes)) {}

JobProcesses::~JobProcesses() { KillAll(); }

JobEnd JobProcesses::Run() {
  const Time deadline = steady_clock::now() + command_.start_timeout;
  Start(0);
  const std::optional<Endpoint>& coordinator = command_.coordinator;
  if (coordinator && coordinator->port != 0 && HasAddress(*coordinator)) StartOthers();
  for (;;) {
    WaitUntil(stage_ == Stage::kStarted ? deadline : Time::max());
    if (!PassSignalsOn()) {
      KillAll();  // before the user is told
      SayThatItEndsAtOnce();
      return {.code = kExitInterrupted, .rank = 0, .end = *children_[0]->end()};
    }
    if (std::optional<JobEnd> end = Judge()) return *end;
    const Stage comes = command_.starts_at_once ? Stage::kListens : Stage::kBegun;
    if (stage_ >= comes && children_.size() == 1) StartOthers();
    if (stage_ == Stage::kStarted && steady_clock::now() >= deadline)
      throw PeerError(StrCat("process 0 does not listen ", command_.start_timeout.count() / 1000,
                             " s after its start (cluster.start_timeout)"));
  }
}

void JobProcesses::Start(int rank) {
  const Descriptor secrets(SecretsToDescriptor(secrets_.ForRank(rank)));
  ChildCommand child{.program = command_.program,
                     .args = command_.args,
                     .unset = {kProcessVariable, kCoordinatorVariable, kBeforeVariable},
                     .set = {StrCat(kBeforeVariable, "=", rank)},
                     .inherited = {secrets.get()}};
  Descriptor report;  // the child's end of the pipe; closed here after the start
  if (rank == 0) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
      throw Error(kExitCantCreate, StrCat("cannot make a pipe: ", std::strerror(errno)));
    report_ = Descriptor(ends[0]);
    report = Descriptor(ends[1]);
    ::fcntl(report_.get(), F_SETFL, O_NONBLOCK);
    child.inherited.push_back(report.get());
  }
  child.set.push_back(StrCat(kProcessVariable, "=", rank, "/", command_.processes, "/",
                             secrets.get(), "/", report.get()));
  if (command_.coordinator)
    child.set.push_back(StrCat(kCoordinatorVariable, "=", ToString(*command_.coordinator)));
  auto started = std::make_unique<ChildProcess>(child);
  if (rank == std::ssize(children_)) children_.emplace_back();
  children_[rank] = std::move(started);
}

void JobProcesses::StartOthers() {
  for (int rank = 1; rank < command_.processes; ++rank) Start(rank);
}

// Blocks until a signal, the end of a child, a line of rank 0, or `time`.
void JobProcesses::WaitUntil(Time time) {
  std::array<pollfd, 2> watched = {
      {{signals_->descriptor(), POLLIN, 0}, {report_.get(), POLLIN, 0}}};
  int timeout = -1;
  if (time != Time::max()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(time - steady_clock::now());
    timeout = static_cast<int>(std::clamp<int64_t>(left.count(), 0, 1 << 30));
  }
  ::poll(watched.data(), watched.size(), timeout);  // callers check all events
}

// Passes signals on to rank 0. Returns false if the job must end at once.
bool JobProcesses::PassSignalsOn() {
  while (const int signal = signals_->Take()) {
    if (signals_->at_once()) return false;
    children_[0]->Signal(signal);
  }
  return true;
}

// Reads lines of rank 0. The descriptor stays open while rank 0 may write, as writing to a closed
// pipe would kill it.
void JobProcesses::ReadReport() {
  std::array<char, kLongestReport> buffer;
  const ssize_t n = ::read(report_.get(), buffer.data(), buffer.size());
  if (n < 0) return;
  if (n == 0) report_ = Descriptor();  // closed: rank 0 writes no more
  told_.append(buffer.data(), static_cast<size_t>(n));
  for (size_t end; (end = told_.find('\n')) != std::string::npos; told_.erase(0, end + 1))
    Hear(told_.substr(0, end));
  if (told_.size() > kLongestReport) Hear(std::exchange(told_, ""));
}

void JobProcesses::Hear(const std::string& line) {
  if (line == kCommittedWord) return command_.committed();
  Stage stage = Stage::kListens;
  if (line == kBegunWord) {
    stage = Stage::kBegun;
  } else if (line == kMetWord) {
    stage = Stage::kMet;
  } else {
    try {
      command_.coordinator = ParseEndpoint(line);
    } catch (const ConfigError& error) {
      throw Error(kExitBug, StrCat("where process 0 listens: ", error.what()));
    }
  }
  stage_ = std::max(stage_, stage);
}

// Returns how the job ends, if it ends now.
std::optional<JobEnd> JobProcesses::Judge() {
  for (const auto& child : children_) child->Reap();
  ReadReport();  // lines that rank 0 wrote before one of these ends count
  const std::optional<ChildEnd>& first = children_[0]->end();
  if (first && IsFinal(*first)) {
    if (stage_ == Stage::kMet)
      EndOthers();
    else
      KillAll();  // they have begun nothing, and may not know of the end
    return JobEnd{.code = static_cast<ExitCode>(first->code), .rank = 0, .end = *first};
  }
  ReplaceLost();
  int lost = -1;
  for (int rank = 0; rank < static_cast<int>(children_.size()); ++rank) {
    if (!IsLoss(rank)) continue;
    if (lost < 0 || Weight(*children_[rank]->end()) > Weight(*children_[lost]->end())) lost = rank;
  }
  if (lost < 0) return {};
  return EndBecauseOf(lost);
}

// Starts lost processes again if they held only whole groups. If more was lost, Judge ends the job,
// and all start again.
void JobProcesses::ReplaceLost() {
  if (stage_ != Stage::kMet || signals_->asked() != kExitOk) return;
  std::vector<JobEnd> lost;
  for (int rank = 0; rank < static_cast<int>(children_.size()); ++rank) {
    const std::optional<ChildEnd>& end = children_[rank]->end();
    if (!end || *end == ChildEnd{}) continue;
    if (end->signal == 0 || !command_.is_replaceable(rank)) return;
    lost.push_back({.code = {}, .rank = rank, .end = *end});
  }
  if (lost.empty() || !command_.replaces(lost)) return;
  for (const JobEnd& one : lost) Start(one.rank);
}

bool JobProcesses::IsLoss(int rank) const {
  const std::optional<ChildEnd>& end = children_[rank]->end();
  if (!end || *end == ChildEnd{}) return false;
  // After a signal, which may have been sent to all processes, rank 0 decides how to go on.
  return rank == 0 || signals_->asked() == kExitOk || !IsStop(*end);
}

JobEnd JobProcesses::EndBecauseOf(int rank) {
  // Wait for rank 0, which was told of the error and shows it.
  const ChildEnd& how = *children_[rank]->end();
  if (rank > 0 && (IsFinal(how) || how == ChildEnd{.code = kExitStalled})) EndOthers();
  KillAll();
  JobEnd end{.code = {}, .rank = rank, .end = *children_[rank]->end()};
  if (IsFinal(end.end)) {
    end.code = static_cast<ExitCode>(end.end.code);
  } else if (rank == 0 && signals_->asked() != kExitOk && IsStop(end.end)) {
    end.code = signals_->asked();  // it ended before it could take the signal, and computed nothing
  }
  return end;
}

void JobProcesses::EndOthers() {
  const std::optional<ChildEnd>& first = children_[0]->end();
  const bool stopped = first && IsStop(*first);
  const Time deadline =
      steady_clock::now() + (stopped ? command_.stop_timeout : command_.end_timeout);
  const auto running = [](const auto& child) { return !child->end(); };
  while (std::any_of(children_.begin(), children_.end(), running)) {
    if (steady_clock::now() >= deadline || signals_->Take() != 0) break;
    ReadReport();
    // Reap after Take, which drops the notice of an end.
    for (const auto& child : children_) child->Reap();
    if (std::any_of(children_.begin(), children_.end(), running)) WaitUntil(deadline);
  }
  KillAll();
}

void JobProcesses::KillAll() {
  // Kill all before one notices another's end.
  for (const auto& child : children_) child->Signal(SIGKILL);
  for (const auto& child : children_) child->Kill();
}

}  // namespace singa
