// JobProcess: this process among the several of its job. Rank 0 leads: between steps it says what
// all do next; the others follow. Gradients and values go by servers (served_cluster.h).
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cluster/process/replacements.h"
#include "cluster/process/served_cluster.h"
#include "cluster/process/stub.h"
#include "cluster/protocol/sync_plan.h"
#include "comm/message/control_message.h"

namespace singa {

// What is heard of worker groups of other processes, on the stub's thread.
class GroupEvents {
 public:
  virtual ~GroupEvents() = default;
  virtual void OnSteps(int group, int64_t steps) = 0;
  virtual void OnLeft(int group) = 0;
  // The first process of a group that has workers here, too, begins the steps before `steps`.
  virtual void OnAllowed(int group, int64_t steps) = 0;
  // Rank 0: another process has the group; it has done `steps` at least, maybe less than was told.
  virtual void OnReplaced(int group, int64_t steps) = 0;
  // Rank 0: a row of metrics. Must not throw.
  virtual void OnRow(const ControlMessage::Row& row) = 0;
  // The job cannot go on: whoever waits for a group is to stop. Any thread may call.
  virtual void OnFailure() = 0;
};

class JobProcess final : private StubEvents {
 public:
  // Listens. `clock` outlives it; null: the steady clock. Throws Error; a ConfigError is relative
  // to the JobProto.
  JobProcess(const JobProto& job, const ProcessPlace& place, const Clock* clock = nullptr);
  ~JobProcess();

  const JobProto& job() const { return job_; }
  int rank() const { return rank_; }
  int processes() const { return topology().processes(); }
  int cores() const { return cores_; }  // as its ProcessPlace
  const Topology& topology() const { return plan_.topology; }
  // Rank 0: how the job synchronises. Where the mode is kAllReduce, all others are to have come
  // before rank 0 makes its worker groups: it asks whether their GPUs can. The others are told.
  const SyncPlan& plan() const { return plan_; }
  // The plan where GPUs cannot add gradients up, and why; `told`: by process 0.
  SyncPlan Plan(const std::string& why_not_gpus, std::optional<SyncMode> told = {}) const;
  // Worker groups that have workers here, and which.
  const std::map<int, Range>& groups() const { return groups_; }
  ServedCluster& cluster() { return *cluster_; }
  // Of who waits here for other processes.
  const ProgressDeadline& deadline() const { return deadline_; }
  // How often workers and servers here have gone on, for all to hear. Any thread may call.
  void NoteProgress(uint64_t count);
  const Endpoint& endpoint() const { return stub_.endpoint(); }
  // Rank 0: where process `rank` runs. Any thread may call.
  HostAndPid host(int rank) { return stub_.host(rank); }
  int64_t bytes_sent() const { return stub_.bytes_sent(); }
  int64_t bytes_received() const { return stub_.bytes_received(); }

  // Until Forget; before Meet.
  void Listen(GroupEvents* events);
  void Forget() { Listen(nullptr); }
  // Rank 0: what to do where another process is asked to end, on the stub's thread. Before
  // Open.
  void OnAsked(std::function<void()> asked) { asked_ = std::move(asked); }
  // What to do when the job cannot go on, besides that whoever waits here throws; on any thread.
  // Before Open.
  void OnFailure(std::function<void(const std::exception_ptr&)> call) {
    on_failure_ = std::move(call);
  }
  // Others may come from now on, before Meet, and wait for it: all below may be heard.
  void Open() { stub_.Open(); }
  // Waits for the other processes, as Stub::Meet. Throws PeerError where one does not come in time,
  // ToldError where one has ended the job.
  bool Meet(const std::function<bool()>& give_up = {}) { return stub_.Meet(give_up); }

  // What follows throws the error that ends the job, a PeerError, ToldError or another, and, where
  // it waits for a process that says nothing while nobody in the job goes on, Error, kExitStalled.
  void Check();
  // Waits for it, where it is sure to come: another process ends the job, or is lost.
  void AwaitFailure();

  // Rank 0 tells all others.
  void TellAll(const ControlMessage& control);
  // Rank 0: waits for an answer of each process; by rank, without rank 0's.
  std::vector<ControlMessage> AwaitAll(ControlMessage::KindCase answer) {
    return AwaitAll(answer, {1, processes()}, deadline_);
  }
  // The same where nobody goes on yet who could say so.
  std::vector<ControlMessage> AwaitAtStart(ControlMessage::KindCase answer) {
    return AwaitAll(answer, {1, processes()}, StartDeadline());
  }
  // Rank 0: from here to Go no group of another process begins a step. Waits until none is in one;
  // returns what the processes answer.
  std::vector<ControlMessage> HoldAll();
  void GoAll();
  // Rank 0: waits until all are ready for the first step, and tells them so.
  void AwaitReady();
  // The groups here have their first values. Rank 0 waits until all have.
  void Filled();
  // Rank 0: where a process begins that takes the place of a lost one.
  void SetStart(const ControlMessage::Begin& start);
  // Others: this one takes a place. It listens, and is to hear how far all groups are; it trains.
  void AskForSteps() { Answer(EmptyControl(ControlMessage::kListens)); }
  // Rank 0: what all others give for a checkpoint, when each group has done so many steps.
  std::vector<std::string> CollectStates(const std::vector<int64_t>& steps);
  // Rank 0: the job is done.
  void End();

  // Others: what rank 0 tells next.
  ControlMessage Next() { return Next(deadline_); }
  // The first of it, or of what follows `gpu_group`: rank 0 may take any time until then.
  ControlMessage First() { return Next(ProgressDeadline()); }
  // Others: this process is ready for the first step. Waits until all are.
  void Ready();
  // Others: an answer to rank 0.
  void Answer(const ControlMessage& answer) { Tell(0, answer); }
  // What a checkpoint needs of this process, to rank 0 or to the first process of its group, which
  // waits for that of all others of the group, in their order.
  void GiveState(int rank, const std::string& state);
  std::vector<std::string> AwaitStates(int group);
  // Others: this process is asked to end: rank 0 ends the job. Any thread may call.
  void AskToEnd() { Answer(EmptyControl(ControlMessage::kInterrupt)); }

  // Worker group `group`, of this process, has done so many steps; or trains no more.
  void NoteSteps(int group, int64_t steps);
  void NoteLeft(int group);
  // Worker group `group`, whose first process this is, begins the steps before `steps`.
  void AllowSteps(int group, int64_t steps);
  // Others: a row of metrics for rank 0 to write.
  void SendRow(const ControlMessage::Row& row);

  // The job cannot go on: whoever waits here, or for values, throws `error`. Any thread may call.
  void Fail(std::exception_ptr error) { OnLost(std::move(error)); }
  // The same where the job has ended as it should.
  void SendHome(std::exception_ptr error);
  // Tells all others that the job ends, and why; false: some may not know, rank 0 among them, and
  // none of them has ended the job itself.
  bool StopOthers(const Error& error);
  // Waits until all others have what was sent, and this one has acknowledged all that came, or for
  // a few seconds.
  void Drain() { stub_.Drain(kDrainSeconds); }
  // Where another process has ended the job: lets it know that this one has heard.
  void Acknowledge() { stub_.AcknowledgeEnd(kAcknowledgeSeconds); }

 private:
  static constexpr size_t kMostState = (size_t{1} << 31) - 1;  // bytes
  static constexpr double kDrainSeconds = 5, kStopSeconds = 3, kAcknowledgeSeconds = 1;
  static constexpr double kStopEarlySeconds = 0.7;  // until all have met

  void OnMessage(int rank, Message message) override;
  void OnProgress(int) override { deadline_.Renew(); }
  bool OnReplaced(int rank) override;
  void OnLost(std::exception_ptr error) override;
  void OnControl(int rank, const Message& message);
  void OnOrder(int rank, const ControlMessage& order);
  void OnAnswer(int rank, const ControlMessage& answer);
  void OnState(int rank, const Message& message);
  void OnListens(int rank);
  void OnSteps(int rank, const ControlMessage::GroupSteps& news);
  void OnLeft(int rank, const ControlMessage::Left& news);
  void OnRow(int rank, const ControlMessage::Row& row);
  void OnGroupGrant(int rank, const ControlMessage::GroupSteps& grant);
  bool LeadsProcess(int rank) const;
  bool MaySpeakOf(int64_t group, int rank) const;
  void Tell(int rank, const ControlMessage& control);
  void PassOn(int from, const ControlMessage& news);
  ProgressDeadline StartDeadline() const;
  void Await(std::unique_lock<std::mutex>* lock, const ProgressDeadline& deadline, int rank,
             const std::string& what, const std::function<bool()>& done);
  ControlMessage Next(const ProgressDeadline& deadline);
  std::vector<ControlMessage> AwaitAll(ControlMessage::KindCase answer, Range ranks,
                                       const ProgressDeadline& deadline);
  std::vector<std::string> TakeStates(Range ranks);

  const JobProto job_;
  const int rank_, cores_;
  const bool one_host_;
  const int processes_before_;
  const SteadyClock steady_;
  ProgressDeadline deadline_;
  const SyncPlan plan_;
  std::map<int, Range> groups_;
  Stub stub_;
  std::unique_ptr<ServedCluster> cluster_;
  std::function<void()> asked_ = [] {};
  std::function<void(const std::exception_ptr&)> on_failure_ = [](const std::exception_ptr&) {};

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  GroupEvents* events_ = nullptr;
  std::exception_ptr failure_;
  Replacements replacements_;
  std::deque<ControlMessage> orders_;  // to this process
  // To rank 0, and states to the first process of a group: of which kind, and of whom.
  std::map<std::pair<ControlMessage::KindCase, int>, ControlMessage> answers_;
  std::map<int, std::string> states_;  // by rank, so far
};

}  // namespace singa
