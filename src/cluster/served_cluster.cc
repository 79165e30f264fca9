#include "cluster/served_cluster.h"

#include "singa/base/error.h"

namespace singa {
namespace {

// The job with its roles all in one process, where the gate between steps bounds the staleness.
JobProto InOneProcess(const JobProto& job) {
  JobProto alone = job;
  ClusterProto& one = *alone.mutable_cluster();
  const ClusterProto& conf = job.cluster();
  one.clear_max_staleness();
  one.clear_user_consistency();
  one.set_server_worker_separate(false);
  one.set_nworkers_per_procs(conf.nworker_groups() * conf.nworkers_per_group());
  one.set_nservers_per_procs(conf.nserver_groups() * conf.nservers_per_group());
  return alone;
}

}  // namespace

ServedCluster::ServedCluster(const JobProto& job) try
    : job_(InOneProcess(job)), topology_(job_.cluster()) {
  for (int group = 0; group < topology_.worker_groups(); ++group)
    updates_.push_back(std::make_unique<ServedUpdates>(job.on_nonfinite() == JobProto::kSkip));
} catch (const ConfigError& error) {
  throw error.Under("cluster");
}

int64_t ServedCluster::bytes(int64_t param_bytes, int64_t states) const {
  return topology_.server_groups() * param_bytes * (1 + states);
}

void ServedCluster::Start(Replica* model, const std::vector<Param*>& params,
                          const std::vector<int64_t>& steps,
                          const std::vector<std::vector<float*>>& values) {
  table_ = model->table();
  for (const Param* param : params)
    params_.push_back(
        {param->name(), param->layer(), {param->conf().lr_scale(), param->conf().wd_scale()}});
  Outbox* const out = this;
  const auto failed = [this](const std::string& text) {
    for (const auto& updates : updates_) updates->Fail(text);
  };
  for (int group = 0; group < topology_.worker_groups(); ++group)
    updates_[group]->Connect({.topology = topology_,
                              .table = table_,
                              .params = params_,
                              .clock = clock_,
                              .group = group,
                              .first_step = steps[group]},
                             values[group], out);
  for (int group = 0; group < topology_.server_groups(); ++group)
    for (int id = 0; id < topology_.servers_per_group(); ++id)
      servers_.push_back(std::make_unique<ServerThread>(ServerSetup{.job = job_,
                                                                    .topology = topology_,
                                                                    .table = table_,
                                                                    .params = params_,
                                                                    .clock = clock_,
                                                                    .self = {group, id},
                                                                    .first_steps = steps},
                                                        out, failed));
  for (int group = 0; group < topology_.server_groups(); ++group) {
    const int putter = topology_.WorkerGroupsOf(group).first;
    updates_[putter]->Do(
        [&](Client& client) {
          for (int s = 0; s < table_.size(); ++s)
            client.Put(s, {steps[0], model->count_of(s), model->Floats(s)});
        },
        [](Client&) { return true; });
  }
  for (int group = 0; group < topology_.worker_groups(); ++group)
    updates_[group]->Do([&](Client& client) { client.GetAll(0); },
                        [](Client& client) { return client.ready(); });
}

void ServedCluster::ExchangeAll() {
  if (topology_.server_groups() == 1) return;
  for (const auto& server : servers_)
    server->Do([](Server& one) { one.Exchange(); }, [](Server&) { return true; });
  for (const auto& server : servers_)
    server->Do([](Server&) {}, [](Server& one) { return !one.exchanging(); });
}

// Until each server has done what it was sent.
void ServedCluster::Drain() {
  for (const auto& server : servers_) server->Do([](Server&) {}, [](Server&) { return true; });
}

void ServedCluster::Collect(Replica* model) {
  Drain();  // gradients
  Drain();  // what servers told each other of those
  ExchangeAll();
  ExchangeAll();
  std::vector<SliceState> states;
  updates_[0]->Do([](Client& client) { client.GatherAll(); },
                  [&](Client& client) {
                    if (!client.gathered()) return false;
                    states = client.TakeGathered();
                    return true;
                  });
  for (int s = 0; s < table_.size(); ++s) model->SetFloats(s, states[s].count, states[s].floats);
}

// A message for a role is its thread's, or its client's, at once.
void ServedCluster::Post(Message message) {
  const Address& to = message.head.to();
  if (to.role() == Address::kClient && to.group() < updates_.size())
    updates_[to.group()]->Deliver(0, message);
  else if (to.role() == Address::kServer)
    servers_[to.group() * topology_.servers_per_group() + to.id()]->Post(0, std::move(message));
}

}  // namespace singa
