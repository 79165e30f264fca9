// ServedCluster runs the servers of one process of a job, and connects its worker groups to all
// servers. Messages within the process go from thread to thread, by queues.
#pragma once

#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/thread/mutex.h"
#include "cluster/client/codec_state.h"
#include "cluster/client/process_link.h"
#include "cluster/client/served_updates.h"
#include "cluster/protocol/gradient_codec.h"
#include "cluster/server/server_thread.h"
#include "comm/collective/link_collective.h"
#include "comm/exchange/link_exchange.h"
#include "train/apply/replica.h"

namespace singa {

class ServedCluster final : private Outbox {
 public:
  // Makes the part of process `rank`. `others` takes messages for other processes; null: there are
  // none. `deadline`: of threads that wait here. `failed`, unless empty, is called with a
  // server's error that ends the job, by the thread of each server that has one. `codec`: of
  // gradients; null: the job's.
  ServedCluster(const JobProto& job, const Topology& topology, int rank, Outbox* others,
                const ProgressDeadline* deadline,
                std::function<void(const std::exception_ptr&)> failed = {},
                std::unique_ptr<const Codec> codec = nullptr);
  ~ServedCluster() override { Close(); }

  const Topology& topology() const { return topology_; }
  // Return the updates of worker group `group`, which has workers here, and the collective of its
  // processes.
  ServedUpdates& updates(int group) { return *groups_.at(group).updates; }
  LinkCollective& between(int group) { return *groups_.at(group).between; }
  // Returns the way to the workers of `group`, which has workers here.
  WorkerLink LinkTo(int group) const;
  // Returns the activity marks of its servers, by group and id.
  const std::map<std::pair<int, int>, ActivityMark>& marks() const { return marks_; }
  // Returns the bytes that its servers need for params of `param_bytes` and `states` updater states
  // of each.
  int64_t bytes(int64_t param_bytes, int64_t states) const;
  // Returns the most bytes of messages of one step that are here at a time: gradients on their way
  // to servers, those that wait at the servers here for others, and answers. Counts groups of
  // several processes. `table`: of the params.
  int64_t message_bytes(const SliceTable& table) const;
  // Returns the state of the gradients' codec of all groups here.
  CodecState codec_state();
  // Returns what a checkpoint needs of the exchanges between server groups, in the servers' memory.
  // REQUIRES: no group is in a step.
  std::vector<StoredTensor> SyncState();
  // Returns whether the servers here need the tensor of this name that SyncState of some process
  // has returned.
  bool HasSyncState(const std::string& name) const;
  // Takes these tensors of a checkpoint, by name. REQUIRES: Connect was called, but not Fill.
  void RestoreSync(const std::map<std::string, std::vector<float>>& state);

  struct Steps {
    std::vector<int64_t> done;  // by worker group of the job
    int64_t total = 0;          // of each group in the whole job
  };
  // Makes the servers, and takes messages from now on. params: those that `table` was made of.
  // values: the memory of the params of each group of this process. `replica`: of the first group
  // here, whose rule knows the steps of an epoch; it must outlive this.
  void Connect(const SliceTable& table, const std::vector<Param*>& params, const Steps& steps,
               const std::vector<std::vector<float*>>& values, Replica* replica);
  // Puts the first values and states of the replica, if this process has to, and waits until its
  // groups have their values. REQUIRES: all processes are connected.
  void Fill();
  // Returns the version of the slices of each server group when worker group g has done steps[g]
  // steps.
  std::vector<int64_t> VersionsAt(const std::vector<int64_t>& steps) const;
  // Waits until the slices of the servers here have these versions, then exchanges them with other
  // server groups. REQUIRES: no group is in a step.
  void Exchange(const std::vector<int64_t>& versions);
  // Returns the servers' state of each slice. When it returns, the first group here waits for no
  // answer. REQUIRES: with several server groups, all processes have done two exchanges.
  std::vector<SliceState> Gather(const std::vector<int64_t>& versions);

  // Takes a message from process `rank`, which is authenticated. Drops it if it does not fit. Any
  // thread may call it.
  void OnMessage(int rank, Message message);
  // Ends the servers and takes no more messages. REQUIRES: the params' memory is still there.
  void Close();
  // Makes threads that wait here throw `error`. Any thread may call it.
  void Fail(const std::exception_ptr& error);

 private:
  struct Group {
    std::unique_ptr<ProcessLink> link;
    std::unique_ptr<LinkCollective> between;
    std::unique_ptr<ServedUpdates> updates;
  };
  // Sums of a slice that a group's processes send in a step: of all, and of this one.
  struct Sums {
    int64_t all = 0, here = 0;
  };
  Sums SumsOf(int group, const Contributors& by) const;
  void Post(Message message) override;
  void ServerFailed(const std::exception_ptr& error);
  // Returns the servers here with their groups. They last until Close, which the thread that
  // exchanges calls.
  std::vector<std::pair<int, ServerThread*>> Servers();

  // If there is one worker group, a server keeps the values of its slices in the params of its
  // process. It changes a slice only when no worker uses it any more.
  bool shares_values() const { return topology_.worker_groups() == 1 && !groups_.empty(); }

  // Each process applies the sums that servers send.
  bool sends_sums() const { return topology_.worker_groups() == 1 && codec_->sends_sums(); }
  std::vector<SliceState> AskForState(int64_t version);
  void FillReplica();

  const JobProto job_;
  const Topology topology_;
  const int rank_;
  Outbox* const others_;
  const ProgressDeadline& deadline_;
  const std::function<void(const std::exception_ptr&)> failed_;
  const std::unique_ptr<const Codec> codec_;  // of gradients
  SteadyClock clock_;
  SliceTable table_;
  Replica* replica_ = nullptr;  // of the first group here; not used if no worker is here
  std::vector<ServedParam> params_;
  std::vector<int64_t> steps_;
  std::map<int, Group> groups_;  // groups that have workers here
  std::map<std::pair<int, int>, ActivityMark> marks_;
  SharedMutex open_lock_;
  bool open_ GUARDED_BY(open_lock_) = false;  // messages are taken
  std::exception_ptr failure_ GUARDED_BY(open_lock_);
  // By group and id.
  std::map<std::pair<int, int>, std::unique_ptr<ServerThread>> servers_ GUARDED_BY(open_lock_);
};

}  // namespace singa
