#include "cluster/process/served_cluster.h"

#include <algorithm>
#include <utility>

#include "cluster/protocol/addresses.h"
#include "cluster/protocol/slice_owners.h"
#include "cluster/server/group_sync_models.h"
#include "cluster/server/outer_sync.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"

namespace singa {

ServedCluster::ServedCluster(const JobProto& job, const Topology& topology, int rank,
                             Outbox* others, const ProgressDeadline* deadline,
                             std::function<void(const std::exception_ptr&)> failed,
                             std::unique_ptr<const Codec> codec)
    : job_(JobOfServers(job)),
      topology_(topology),
      rank_(rank),
      others_(others),
      deadline_(*deadline),
      failed_(std::move(failed)),
      codec_(codec ? std::move(codec) : MakeGradientCodec(job.cluster(), MomentumOfCodec(job))) {
  Outbox* const out = this;
  for (const RoleId& worker : topology_.Workers(rank)) {
    Group& group = groups_[worker.group];
    if (group.link) continue;
    group.link = std::make_unique<ProcessLink>(topology_, worker.group, rank, out, deadline);
    group.between =
        std::make_unique<LinkCollective>(group.link.get(), topology_.ProcessNodes(worker.group));
    group.updates = std::make_unique<ServedUpdates>(job, group.between.get(), deadline);
  }
  for (const RoleId& server : topology_.Servers(rank)) marks_[{server.group, server.id}];
}

// Servers are destroyed outside the lock, which they may take to send.
void ServedCluster::Close() {
  for (auto& [group, ends] : groups_) ends.updates->Close();
  decltype(servers_) ending;
  const WriteLock lock(&open_lock_);
  open_ = false;
  ending.swap(servers_);
}

WorkerLink ServedCluster::LinkTo(int group) const {
  const Range processes = topology_.ProcessesOf(group);
  WorkerLink link;
  for (int worker = 0; worker < topology_.workers_per_group(); ++worker)
    link.ranks.push_back(topology_.ProcessOfWorker({group, worker}) - processes.first);
  if (processes.size() > 1) link.link = groups_.at(group).link.get();
  return link;
}

int64_t ServedCluster::bytes(int64_t param_bytes, int64_t states) const {
  const auto here = static_cast<int64_t>(topology_.Servers(rank_).size());
  const double exchanged = topology_.server_groups() > 1 ? SyncCopies(job_.cluster()) : 0;
  const double copies = static_cast<double>(states + (shares_values() ? 0 : 1)) + exchanged;
  const auto bytes = static_cast<double>(here * param_bytes);
  return static_cast<int64_t>(bytes * copies / topology_.servers_per_group());
}

// If this process serves a slice, and it alone contributes, the slice waits for no message. A slice
// of another process comes back as an answer, which the heap of the receiving thread keeps.
int64_t ServedCluster::message_bytes(const SliceTable& table) const {
  const SliceOwners owners(topology_, table);
  int64_t floats = 0;
  for (int group = 0; group < topology_.worker_groups(); ++group) {
    const Range processes = topology_.ProcessesOf(group);
    if (processes.size() == 1) continue;
    std::map<Contributors, Sums> known;
    for (int s = 0; s < table.size(); ++s) {
      const auto [at, added] = known.try_emplace(table[s].by);
      if (added) at->second = SumsOf(group, table[s].by);
      const auto& [all, here] = at->second;
      const RoleId server = {topology_.ServerGroupOf(group), owners.Owner(s)};
      const bool served_here = topology_.ProcessOfServer(server) == rank_;
      const int64_t others = served_here ? all : here;  // gradients that wait, or answers
      if (!served_here || all > here) floats += table[s].size * (here + others);
    }
  }
  return floats * static_cast<int64_t>(sizeof(float));
}

ServedCluster::Sums ServedCluster::SumsOf(int group, const Contributors& by) const {
  Sums sums;
  const Range processes = topology_.ProcessesOf(group);
  for (int process = processes.first; process < processes.last; ++process) {
    const int64_t of_process = std::ssize(topology_.NodesOf(process, group, by));
    sums.all += of_process;
    if (process == rank_) sums.here = of_process;
  }
  return sums;
}

CodecState ServedCluster::codec_state() {
  std::map<int, GradientEncoder*> encoders;
  for (const auto& [group, ends] : groups_) encoders[group] = ends.updates->encoder();
  return CodecState(*codec_, topology_, rank_, table_, std::move(encoders));
}

std::vector<StoredTensor> ServedCluster::SyncState() {
  std::vector<StoredTensor> tensors;
  for (const auto& [group, server] : Servers()) {
    server->Do([](Server&) {}, [](Server& one) { return !one.exchanging(); });
    server->Do(
        [&](Server& one) {
          for (const GroupSync::Kept& kept : one.SyncState())
            tensors.push_back(
                Stored(kept.name, Shape({std::ssize(kept.floats)}), kept.floats.data()));
        },
        [](Server&) { return true; });
  }
  return tensors;
}

bool ServedCluster::HasSyncState(const std::string& name) const {
  if (name.starts_with(kOuterMomentum) || name.starts_with(kOuterEnded)) return true;
  return std::ranges::any_of(topology_.Servers(rank_), [&](const RoleId& server) {
    return name.starts_with(StrCat("outer/group", server.group, "/"));
  });
}

void ServedCluster::RestoreSync(const std::map<std::string, std::vector<float>>& state) {
  for (const auto& [group, server] : Servers())
    server->Do([&](Server& one) { one.RestoreSync(state); }, [](Server&) { return true; });
}

void ServedCluster::ServerFailed(const std::exception_ptr& error) {
  Fail(error);
  if (failed_) failed_(error);
}

void ServedCluster::Connect(const SliceTable& table, const std::vector<Param*>& params,
                            const Steps& steps, const std::vector<std::vector<float*>>& values,
                            Replica* replica) {
  table_ = table;
  replica_ = replica;
  steps_ = steps.done;
  for (const Param* param : params)
    params_.push_back({param->name(), param->layer(), ScaleOf(*param)});
  Outbox* const out = this;
  size_t next = 0;
  for (auto& [group, ends] : groups_)
    ends.updates->Connect({.topology = topology_,
                           .table = table_,
                           .params = params_,
                           .clock = clock_,
                           .group = group,
                           .process = rank_,
                           .first_step = steps_[group],
                           .shares_memory = shares_values(),
                           .codec = *codec_,
                           .replica = sends_sums() ? replica : nullptr},
                          values[next++], out);
  decltype(servers_) servers;
  for (const RoleId& server : topology_.Servers(rank_))
    servers[{server.group, server.id}] = std::make_unique<ServerThread>(
        ServerSetup{.job = job_,
                    .topology = topology_,
                    .table = table_,
                    .params = params_,
                    .clock = clock_,
                    .self = server,
                    .first_steps = steps_,
                    .values = shares_values() ? values[0] : std::vector<float*>(),
                    .codec = *codec_,
                    .sends_sums = sends_sums(),
                    .total_steps = steps.total,
                    .epoch_steps = replica ? replica->rule().epoch_steps() : 0},
        out, &marks_.at({server.group, server.id}), &deadline_,
        [this](const std::exception_ptr& error) { ServerFailed(error); });
  const WriteLock lock(&open_lock_);
  servers_ = std::move(servers);
  open_ = true;
  if (!failure_) return;
  for (auto& [id, server] : servers_) server->Fail(failure_);
}

void ServedCluster::Fill() {
  for (int group = 0; group < topology_.server_groups(); ++group) {
    const int putter = topology_.WorkerGroupsOf(group).first;
    if (topology_.ProcessOfWorker({putter, 0}) != rank_) continue;
    updates(putter).Do(
        [&](Client& client) {
          for (int s = 0; s < table_.size(); ++s)
            client.Put(s, {steps_[0], replica_->count_of(s), replica_->Floats(s)});
        },
        [](Client&) { return true; });
  }
  for (auto& [group, ends] : groups_)
    ends.updates->Do([](Client& client) { client.GetAll(0); },
                     [](Client& client) { return client.ready(); });
  if (sends_sums() && !groups_.empty()) FillReplica();
}

// The updater's states are at the servers. A server here has those of its slices itself, and may
// read their values now.
void ServedCluster::FillReplica() {
  const std::vector<SliceState> states = AskForState(0);
  const SliceOwners owners(topology_, table_);
  for (int s = 0; s < table_.size(); ++s)
    if (topology_.ProcessOfServer({0, owners.Owner(s)}) != rank_)
      replica_->SetFloats(s, states[s].count, states[s].floats);
}

// All slices begin with the steps of the job's first worker group as their version.
std::vector<int64_t> ServedCluster::VersionsAt(const std::vector<int64_t>& steps) const {
  std::vector<int64_t> versions;
  for (int group = 0; group < topology_.server_groups(); ++group) {
    const Range workers = topology_.WorkerGroupsOf(group);
    versions.push_back(steps_[0]);
    for (int g = workers.first; g < workers.last; ++g) versions.back() += steps[g] - steps_[g];
  }
  return versions;
}

std::vector<std::pair<int, ServerThread*>> ServedCluster::Servers() {
  std::vector<std::pair<int, ServerThread*>> servers;
  const ReadLock lock(&open_lock_);
  for (const auto& [id, server] : servers_) servers.emplace_back(id.first, server.get());
  return servers;
}

void ServedCluster::Exchange(const std::vector<int64_t>& versions) {
  const std::vector<std::pair<int, ServerThread*>> servers = Servers();
  for (const auto& [group, server] : servers) {
    const int64_t version = versions.at(group);
    server->Do([](Server&) {},
               [version](Server& one) {
                 for (const int s : one.slices())
                   if (one.shard().version(s) < version) return false;
                 return true;
               });
  }
  for (const auto& [group, server] : servers)
    server->Do([](Server& one) { one.Exchange(); }, [](Server&) { return true; });
  for (const auto& [group, server] : servers)
    server->Do([](Server&) {}, [](Server& one) { return !one.exchanging(); });
}

// Any version serves with several server groups, since they have exchanged all updates before.
std::vector<SliceState> ServedCluster::Gather(const std::vector<int64_t>& versions) {
  return AskForState(topology_.server_groups() == 1 ? versions[0] : 0);
}

std::vector<SliceState> ServedCluster::AskForState(int64_t version) {
  std::vector<SliceState> states;
  groups_.begin()->second.updates->Do([version](Client& client) { client.gather().Ask(version); },
                                      [&](Client& client) {
                                        if (!client.gather().complete() || !client.settled())
                                          return false;
                                        states = client.gather().Take();
                                        return true;
                                      });
  return states;
}

void ServedCluster::Post(Message message) {
  if (ProcessOf(topology_, message.head.to()) == rank_)
    OnMessage(rank_, std::move(message));
  else
    others_->Post(std::move(message));
}

// Hands a message to the server's thread or to the client. A client sends with its own lock held,
// so it is called without this lock.
void ServedCluster::OnMessage(int rank, Message message) {
  const Address& to = message.head.to();
  const auto group = groups_.find(static_cast<int>(to.group()));
  const bool mine = to.role() == Address::kClient && group != groups_.end();
  if (message.head.type() == WireMessage::kCollective) {
    if (mine) group->second.link->OnMessage(rank, message);
    return;
  }
  {
    const ReadLock lock(&open_lock_);
    if (!open_) return;
    if (to.role() == Address::kServer) {
      const auto server = servers_.find({static_cast<int>(to.group()), static_cast<int>(to.id())});
      if (server != servers_.end()) server->second->Post(rank, std::move(message));
      return;
    }
  }
  if (mine) group->second.updates->Deliver(rank, message);
}

void ServedCluster::Fail(const std::exception_ptr& error) {
  for (auto& [group, ends] : groups_) {
    ends.link->Fail(error);
    ends.updates->Fail(error);
  }
  const WriteLock lock(&open_lock_);
  if (!failure_) failure_ = error;
  for (auto& [id, server] : servers_) server->Fail(error);
}

}  // namespace singa
