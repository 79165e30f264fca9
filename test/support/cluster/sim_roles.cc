#include "support/cluster/sim_roles.h"

#include <algorithm>
#include <limits>

#include "cluster/protocol/addresses.h"
#include "singa/base/str_cat.h"
#include "support/cluster/put_all.h"

namespace singa {
namespace {

constexpr int64_t kMostCompute = 3 * kSimMillisecond;  // of one gradient
constexpr int64_t kMostQueue = kSimMillisecond;        // until a role looks at a message

}  // namespace

SimRoles::SimRoles(const SimStart& start, SimRun* run)
    : SimChannelProcess(start, run->channel, run->job_id),
      run_(run),
      job_(run->job),
      rank_(start.rank),
      clock_(*start.clock),
      shares_memory_(run->job.conf().cluster().share_memory()),
      granted_(run->granted) {
  MakeWorkers();
  MakeServers();
  Begin();
}

// Memory that nobody has written yet holds NaN, so that a use of it is noticed.
void SimRoles::MakeWorkers() {
  for (const RoleId& id : job_.topology().Workers(rank_)) {
    if (workers_.contains(id.group)) continue;
    Worker& worker = workers_[id.group];
    worker.group = id.group;
    worker.step = run_->snapshot.step;
    worker.memory.assign(job_.table().elements(), std::numeric_limits<float>::quiet_NaN());
    std::vector<float*> params = ParamsIn(&worker.memory);
    if (sends_sums()) MakeReplica(&worker);
    Outbox* const out = this;
    Role& role = roles_[KeyOf(ClientAddress(id.group, rank_))];
    role.client = std::make_unique<Client>(
        ClientSetup{.topology = job_.topology(),
                    .table = job_.table(),
                    .params = job_.params(),
                    .clock = clock_,
                    .group = id.group,
                    .process = rank_,
                    .first_step = worker.step,
                    .shares_memory = shares_memory_,
                    .codec = *run_->codec,
                    .replica = worker.applies ? &worker.applies->replica : nullptr},
        std::move(params), out);
    worker.client = role.client.get();
    MakeEncoder(&worker);
  }
}

// The states are those of the snapshot, as ServedCluster::Fill has them from servers.
void SimRoles::MakeReplica(Worker* worker) {
  worker->applies = std::make_unique<MemoryReplica>(
      job_.conf(), job_.table(), job_.params(), ParamsIn(&worker->memory), run_->snapshot.slices);
}

void SimRoles::MakeEncoder(Worker* worker) {
  worker->encoder = std::make_unique<GradientEncoder>(*run_->codec, job_.table(), job_.topology(),
                                                      rank_, worker->group);
  const auto rests = run_->snapshot.rests.find({worker->group, rank_});
  if (rests == run_->snapshot.rests.end()) return;
  for (int s = 0; s < job_.table().size(); ++s)
    std::ranges::copy(rests->second[s], worker->encoder->state(s).begin());
}

void SimRoles::AddRests(SimSnapshot* snapshot) const {
  for (const auto& [group, worker] : workers_) {
    auto& rests = snapshot->rests[{group, rank_}];
    for (int s = 0; s < job_.table().size(); ++s) {
      const std::span<const float> rest = worker.encoder->state(s);
      rests.emplace_back(rest.begin(), rest.end());
    }
  }
}

EncodedFloats SimRoles::Encoded(Worker* worker, int slice) {
  std::vector<float>& gradient = worker->gradients[slice];
  std::vector<float*> sums;
  for (size_t at = 0; at < gradient.size(); at += job_.table()[slice].size)
    sums.push_back(gradient.data() + at);
  return worker->encoder->Encode(worker->step, slice, sums);
}

void SimRoles::MakeServers() {
  const std::vector<int64_t> steps(job_.topology().worker_groups(), run_->snapshot.step);
  std::vector<float*> shared;
  if (shares_memory_ && !workers_.empty()) shared = ParamsIn(&workers_.begin()->second.memory);
  for (const RoleId& id : job_.topology().Servers(rank_)) {
    Outbox* const out = this;
    ServerEvents* const events = this;
    Role& role = roles_[KeyOf(ServerAddress(id))];
    role.server = std::make_unique<Server>(ServerSetup{.job = job_.conf(),
                                                       .topology = job_.topology(),
                                                       .table = job_.table(),
                                                       .params = job_.params(),
                                                       .clock = clock_,
                                                       .self = id,
                                                       .first_steps = steps,
                                                       .values = shared,
                                                       .codec = *run_->codec,
                                                       .sends_sums = sends_sums(),
                                                       .total_steps = job_.conf().train_steps()},
                                           out, events);
  }
}

std::vector<float*> SimRoles::ParamsIn(std::vector<float>* memory) const {
  std::vector<float*> params;
  for (size_t p = 0; p < job_.params().size(); ++p)
    params.push_back(memory->data() + job_.begin(job_.table().OfParam(static_cast<int>(p)).first));
  return params;
}

// Begins as ServedCluster::Start does: the first worker group of each server group puts the first
// values.
void SimRoles::Begin() {
  for (auto& [group, worker] : workers_) {
    worker.takes_over = run_->replaces;
    const int putter = job_.topology().WorkerGroupsOf(job_.topology().ServerGroupOf(group)).first;
    const bool puts =
        !run_->replaces && group == putter && rank_ == job_.topology().ProcessesOf(putter).first;
    const SimSnapshot& from = run_->snapshot;
    if (puts && from.slices.empty()) {
      std::ranges::copy(job_.First(), worker.memory.begin());
      PutAll(worker.client, job_.table(), ParamsIn(&worker.memory));
    }
    for (int s = 0; puts && s < static_cast<int>(from.slices.size()); ++s)
      worker.client->Put(s, {from.step, from.slices[s].count, from.slices[s].floats});
    worker.client->GetAll(0);
  }
}

void SimRoles::Post(Message message) {
  const Address& to = message.head.to();
  const int group = static_cast<int>(to.group()), id = static_cast<int>(to.id());
  const int rank =
      to.role() == Address::kServer ? job_.topology().ProcessOfServer({group, id}) : id;
  if (rank == rank_)
    OnMessage(rank, std::move(message));
  else
    channel.Send(rank, std::move(message));
}

void SimRoles::OnMessage(int rank, Message message) {
  const auto role = roles_.find(KeyOf(message.head.to()));
  ASSERT_TRUE(role != roles_.end()) << "a message for nobody here";
  std::deque<Arrival>& inbox = role->second.inbox;
  const int64_t last = inbox.empty() ? 0 : inbox.back().due;
  const int64_t due = clock_.Now() + run_->random->Between(0, kMostQueue);
  inbox.push_back({std::max(last, due), rank, std::move(message)});
}

bool SimRoles::Handle(Role* role) {
  if (role->inbox.empty() || role->inbox.front().due > clock_.Now()) return false;
  Arrival arrival = std::move(role->inbox.front());
  role->inbox.pop_front();
  ++run_->handled;
  std::vector<Message> messages;
  if (run_->fate)
    messages = run_->fate(std::move(arrival.message));
  else
    messages.push_back(std::move(arrival.message));
  for (const Message& message : messages) {
    if (role->server)
      role->server->OnMessage(arrival.rank, message);
    else
      role->client->OnMessage(arrival.rank, message);
  }
  return true;
}

bool SimRoles::AllFresh(const Worker& worker) const {
  for (int s = 0; s < job_.table().size(); ++s)
    if (!worker.client->Fresh(s, worker.step)) return false;
  return worker.client->ready();
}

// A step reads all values first. Then its gradients are finished one after the other, the last
// slice first.
bool SimRoles::Work(Worker* worker) {
  const int64_t now = clock_.Now();
  if (worker->takes_over) {
    if (!worker->client->ready()) return false;
    worker->takes_over = false;
    worker->step = worker->client->TakeOver();
  }
  if (worker->unpushed == 0) {
    if (worker->step >= granted_ || !AllFresh(*worker)) return false;
    worker->gradients = job_.Gradients(worker->group, rank_, worker->step, worker->memory);
    worker->unpushed = job_.table().size();
  } else {
    if (worker->due > now) return false;
    const int s = --worker->unpushed;
    if (worker->gradients.empty())
      worker->client->PushNone(worker->step, s);
    else
      worker->client->Push(worker->step, s, Encoded(worker, s));
    if (worker->unpushed == 0) {
      worker->client->Flush();
      ++worker->step;
    } else if (run_->random->Happens(0.2)) {
      worker->client->Flush();
    }
  }
  worker->due = now + (run_->random->Happens(0.5) ? run_->random->Between(0, kMostCompute) : 0);
  return true;
}

int64_t SimRoles::OnTime() {
  for (bool busy = true; busy;) {
    busy = false;
    for (auto& [key, role] : roles_) busy |= Handle(&role);
    for (auto& [group, worker] : workers_) busy |= Work(&worker);
  }
  int64_t next = channel.OnTime();
  for (const auto& [key, role] : roles_)
    if (!role.inbox.empty()) next = std::min(next, role.inbox.front().due);
  for (const auto& [group, worker] : workers_)
    if (worker.unpushed > 0) next = std::min(next, worker.due);
  return next;
}

bool SimRoles::Ready() const {
  return std::ranges::all_of(workers_, [](const auto& one) { return one.second.client->ready(); });
}

bool SimRoles::Done(int64_t step) const {
  return std::ranges::all_of(workers_, [&](const auto& one) {
    return !one.second.takes_over && one.second.step == step && one.second.unpushed == 0 &&
           AllFresh(one.second);
  });
}

void SimRoles::Exchange(int number) {
  for (auto& [key, role] : roles_)
    if (role.server) role.server->Exchange();
  exchange_ = number;
}

bool SimRoles::exchanging() const {
  return std::ranges::any_of(
      roles_, [](const auto& one) { return one.second.server && one.second.server->exchanging(); });
}

void SimRoles::Gather() {
  gathers_ = true;
  workers_.at(0).client->gather().Ask(0);
}

bool SimRoles::Gathered(std::vector<SliceState>* slices) {
  if (!gathers_ || !workers_.at(0).client->gather().complete()) return false;
  gathers_ = false;
  *slices = workers_.at(0).client->gather().Take();
  return true;
}

void SimRoles::ValuesOf(int server_group, std::vector<float>* values) const {
  for (const auto& [key, role] : roles_) {
    if (!role.server || std::get<1>(key) != static_cast<uint32_t>(server_group)) continue;
    for (const int s : role.server->slices())
      if (role.server->shard().known(s))
        std::ranges::copy(role.server->shard().values(s), values->begin() + job_.begin(s));
  }
}

std::vector<std::vector<float>> SimRoles::Memories() const {
  std::vector<std::vector<float>> memories;
  for (const auto& [group, worker] : workers_) memories.push_back(worker.memory);
  return memories;
}

int64_t SimRoles::refused() const {
  int64_t count = 0;
  for (const auto& [key, role] : roles_)
    count += role.server ? role.server->refused().total() : role.client->refused();
  return count;
}

std::string SimRoles::Waiting() const {
  std::string text;
  for (const auto& [key, role] : roles_) {
    if (role.server && !role.server->Waiting().empty())
      text += StrCat("  process ", rank_, ": server: ", role.server->Waiting(), "\n");
    if (!role.client) continue;
    for (const std::string& line : role.client->Waiting())
      text += StrCat("  process ", rank_, ": client: ", line, "\n");
  }
  return text;
}

}  // namespace singa
