#include "support/cluster/cluster_of_roles.h"

#include <algorithm>

#include "support/cluster/put_all.h"

namespace singa {

ClusterOfRoles::ClusterOfRoles(JobProto conf, const std::vector<Shape>& shapes, uint32_t seed,
                               const std::vector<ParamScale>& scales, int64_t first_step)
    : job(std::move(conf)),
      table(shapes),
      topology(job.cluster()),
      random_(seed),
      steps_(first_step) {
  int64_t begin = 0;
  for (size_t p = 0; p < shapes.size(); ++p) {
    params_.push_back({StrCat("w", p), "layer", scales.empty() ? ParamScale() : scales[p]});
    begins_.push_back(begin);
    begin += shapes[p].size();
  }
  for (int process = 0; process < topology.processes(); ++process) {
    for (const RoleId& id : topology.Servers(process)) {
      OneServer& one = servers_[{id.group, id.id}];
      one.office.cluster = this;
      one.office.from = process;
      one.server = std::make_unique<Server>(
          ServerSetup{.job = job,
                      .topology = topology,
                      .table = table,
                      .params = params_,
                      .clock = clock,
                      .self = id,
                      .first_steps = std::vector<int64_t>(topology.worker_groups(), first_step),
                      .total_steps = job.train_steps()},
          &one.office, this);
    }
    for (const RoleId& id : topology.Workers(process)) {
      OneClient& one = clients_[{id.group, process}];
      if (one.client) continue;
      one.office.cluster = this;
      one.office.from = process;
      one.step = first_step;
      one.memory.resize(table.elements());
      one.client = std::make_unique<Client>(
          ClientSetup{topology, table, params_, clock, id.group, process, first_step},
          ParamsIn(&one.memory), &one.office);
    }
  }
}

std::vector<float*> ClusterOfRoles::ParamsIn(std::vector<float>* memory) const {
  std::vector<float*> values;
  for (const int64_t at : begins_) values.push_back(memory->data() + at);
  return values;
}

void ClusterOfRoles::Carry(int from, Message message) {
  const Address& to = message.head.to();
  const int group = static_cast<int>(to.group()), id = static_cast<int>(to.id());
  Posted posted = {from, to.role() == Address::kServer ? topology.ProcessOfServer({group, id}) : id,
                   std::move(message)};
  const int times = fate ? fate(&posted) : 1;
  for (int i = 0; i < times; ++i) on_the_way_[{posted.from, posted.to}].push_back(posted);
}

void ClusterOfRoles::Deliver(const Posted& posted) {
  const Address& to = posted.message.head.to();
  const std::pair<int, int> id(to.group(), to.id());
  if (to.role() == Address::kServer)
    servers_.at(id).server->OnMessage(posted.from, posted.message);
  else
    clients_.at(id).client->OnMessage(posted.from, posted.message);
}

bool ClusterOfRoles::Fresh(const OneClient& worker) const {
  for (int s = 0; s < table.size(); ++s)
    if (!worker.client->Fresh(s, worker.step)) return false;
  return worker.client->ready();
}

// Pushes each slice, the last first, if the client has all values of its step. Returns whether it
// did.
bool ClusterOfRoles::Work(int group, int process, OneClient* worker) {
  if (!Fresh(*worker) || worker->step == steps_) return false;
  for (int s = table.size(); s-- > 0;) {
    std::vector<float> gradient = gradient_(group, process, worker->step, s);
    if (gradient.empty())
      worker->client->PushNone(worker->step, s);
    else
      worker->client->Push(worker->step, s, Plain(FrameOf(std::move(gradient))));
  }
  worker->client->Flush();
  ++worker->step;
  return true;
}

// Does one thing: a worker works, or a message arrives. Returns false if nothing could be done.
bool ClusterOfRoles::Turn() {
  std::vector<std::function<bool()>> choices;
  for (auto& [id, one] : clients_)
    choices.push_back([this, group = id.first, process = id.second, worker = &one] {
      return Work(group, process, worker);
    });
  for (auto& [pair, waiting] : on_the_way_)
    if (!waiting.empty())
      choices.push_back([this, queue = &waiting] {
        const Posted posted = std::move(queue->front());
        queue->pop_front();
        Deliver(posted);
        return true;
      });
  std::shuffle(choices.begin(), choices.end(), random_);
  return std::any_of(choices.begin(), choices.end(), [](const auto& choice) { return choice(); });
}

void ClusterOfRoles::RunUntilQuiet() {
  while (Turn()) {
  }
}

void ClusterOfRoles::Start(const std::vector<float>& first) {
  for (auto& [id, worker] : clients_) {
    const int servers = topology.ServerGroupOf(id.first);
    const int putter = topology.WorkerGroupsOf(servers).first;
    if (id.first == putter && id.second == topology.ProcessesOf(putter).first) {
      worker.memory = first;
      PutAll(worker.client.get(), table, ParamsIn(&worker.memory), steps_);
    }
    worker.client->GetAll(0);
  }
}

void ClusterOfRoles::Train(int64_t steps, const GradientOf& gradient) {
  steps_ += steps;
  gradient_ = gradient;
  RunUntilQuiet();
}

void ClusterOfRoles::Equalise() {
  for (int round = 0; round < 2; ++round) {
    for (auto& [id, one] : servers_) one.server->Exchange();
    RunUntilQuiet();
  }
}

std::vector<float> ClusterOfRoles::Values(int group) {
  std::vector<float> values(table.elements());
  for (auto& [id, one] : servers_) {
    if (id.first != group) continue;
    for (const int s : one.server->slices())
      std::ranges::copy(one.server->shard().values(s),
                        values.begin() + begins_[table[s].param] + table[s].begin);
  }
  return values;
}

int64_t ClusterOfRoles::refused() const {
  int64_t count = 0;
  for (const auto& [id, one] : servers_) count += one.server->refused().total();
  for (const auto& [id, one] : clients_) count += one.client->refused();
  return count;
}

}  // namespace singa
