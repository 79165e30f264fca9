// ServedCluster: the servers of one process of a job, and the ends that its worker groups have of
// all servers. Messages within the process go from thread to thread, by queues.
#pragma once

#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <shared_mutex>
#include <utility>
#include <vector>

#include "cluster/client/process_link.h"
#include "cluster/client/served_updates.h"
#include "cluster/protocol/gradient_codec.h"
#include "cluster/server/server_thread.h"
#include "comm/collective/link_collective.h"
#include "train/apply/replica.h"

namespace singa {

class ServedCluster final : private Outbox {
 public:
  // The part of process `rank`; `others`, null where there are none, takes what is for them;
  // `deadline`: of threads that wait here; `failed`, unless empty, is called once, by any thread,
  // with what a server found that ends the job; `codec`: of gradients; null: the job's.
  ServedCluster(const JobProto& job, const Topology& topology, int rank, Outbox* others,
                const ProgressDeadline* deadline,
                std::function<void(const std::exception_ptr&)> failed = {},
                std::unique_ptr<const Codec> codec = nullptr);
  ~ServedCluster() override { Close(); }

  const Topology& topology() const { return topology_; }
  // The updates of worker group `group`, which has workers here, and the collective of its
  // processes.
  ServedUpdates& updates(int group) { return *groups_.at(group).updates; }
  LinkCollective& between(int group) { return *groups_.at(group).between; }
  // What its servers, by group and id, do.
  const std::map<std::pair<int, int>, ActivityMark>& marks() const { return marks_; }
  // Bytes that its servers take for params of so many, and their updater's states.
  int64_t bytes(int64_t param_bytes, int64_t states) const;
  // Bytes of the codec's state of all groups here, for params of so many floats.
  int64_t codec_bytes(int64_t elements) const;

  // `params` as `table` was made of. Worker group g of the job has done steps[g] steps; values:
  // where each group of this process has its params. From here on messages are taken.
  void Connect(const SliceTable& table, const std::vector<Param*>& params,
               const std::vector<int64_t>& steps, const std::vector<std::vector<float*>>& values);
  // When all processes are connected: `model` has the first values and states, or a checkpoint's;
  // puts them, where that is for this process to do, and waits until its groups have theirs.
  void Fill(const Replica& model);
  // What slices of each server group hold when worker group g has done steps[g] steps.
  std::vector<int64_t> VersionsAt(const std::vector<int64_t>& steps) const;
  // While no group is in a step: waits until slices of the servers here hold that much, then has
  // them exchange it with other server groups.
  void Exchange(const std::vector<int64_t>& versions);
  // After two exchanges in all processes, where there are several server groups: what the servers
  // have of each slice. By then all answers to the first group have come.
  std::vector<SliceState> Gather(const std::vector<int64_t>& versions);

  // From process `rank`, which is sure. Any thread may call; what does not fit is dropped.
  void OnMessage(int rank, Message message);
  // Servers end, and nothing is taken any more: before the params' memory goes.
  void Close();
  // Whoever waits here throws `error`. Any thread may call.
  void Fail(const std::exception_ptr& error);

 private:
  struct Group {
    std::unique_ptr<ProcessLink> link;
    std::unique_ptr<LinkCollective> between;
    std::unique_ptr<ServedUpdates> updates;
  };
  void Post(Message message) override;
  void ServerFailed(const std::exception_ptr& error);

  // Where all values are of one group, a server keeps those of its slices in the params of its
  // process: it changes a slice only when all workers have done with it.
  bool shares_values() const { return topology_.worker_groups() == 1 && !groups_.empty(); }

  const JobProto job_;
  const Topology topology_;
  const int rank_;
  Outbox* const others_;
  const ProgressDeadline& deadline_;
  const std::function<void(const std::exception_ptr&)> failed_;
  const std::unique_ptr<const Codec> codec_;  // of gradients
  SteadyClock clock_;
  SliceTable table_;
  std::vector<ServedParam> params_;
  std::vector<int64_t> steps_;
  std::map<int, Group> groups_;  // those that have workers here
  std::map<std::pair<int, int>, ActivityMark> marks_;
  std::shared_mutex open_lock_;  // exclusive: what follows changes
  bool open_ = false;            // messages are taken
  std::exception_ptr failure_;
  std::map<std::pair<int, int>, std::unique_ptr<ServerThread>> servers_;  // group, id
};

}  // namespace singa
