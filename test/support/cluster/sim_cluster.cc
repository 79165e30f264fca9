#include "support/cluster/sim_cluster.h"

#include <algorithm>
#include <memory>

#include "singa/base/str_cat.h"

namespace singa {

SimCluster::SimCluster(const SimJob& job, uint64_t seed)
    : network(seed, job.topology().processes(), {},
              [this](const SimStart& start) { return std::make_unique<SimRoles>(start, &run); }),
      run{.job = job, .random = &network.schedule()},
      job_(job) {
  DrawSimFaults(&network, &run.channel);
}

void SimCluster::Disturb() {
  SimSchedule& random = network.schedule();
  const int64_t start = network.clock().Now();
  for (int64_t n = random.Between(0, 4); n > 0; --n) {
    const int a = static_cast<int>(random.Between(0, network.ranks() - 1));
    const int b = (a + 1) % network.ranks();
    const int64_t begin = start + random.Between(0, kSimSecond);
    const int64_t end = begin + random.Between(0, 2 * kSimSecond);
    const int64_t what = random.Between(0, 2);
    if (what == 0) {
      network.At(begin, [this, a] { network.Pause(a); });
      network.At(end, [this, a] { network.Resume(a); });
    } else if (a != b && what == 1) {
      network.At(begin, [this, a, b] { network.Reset(a, b); });
    } else if (a != b) {
      network.At(begin, [this, a, b] { network.Disconnect(a, b); });
      network.At(end, [this, a, b] { network.Connect(a, b); });
    }
  }
}

std::string SimCluster::Run() {
  for (;;) {
    Begin();
    const bool done = TrainToTheEnd();
    if (done || !stuck_.empty()) break;
    End();
  }
  for (int rank = 0; rank < network.ranks(); ++rank) Count(rank);
  return stuck_;
}

// Repeats a few steps and a checkpoint. Steps may be granted before all processes have first
// values, except in jobs whose groups take each step together.
bool SimCluster::TrainToTheEnd() {
  SimSchedule& random = network.schedule();
  if (run.granted == run.snapshot.step &&
      !Await([](SimRoles& one) { return one.Ready(); }, "first values"))
    return false;
  while (run.snapshot.step < SimJob::kSteps) {
    const int64_t least = std::max(run.granted, run.snapshot.step + 1);
    run.granted = std::min(SimJob::kSteps, random.Between(least, least + 3));
    const int64_t step = run.granted;
    for (int rank = 0; rank < network.ranks(); ++rank)
      network.Tell(rank, [step](SimProcess* one) { static_cast<SimRoles*>(one)->Grant(step); });
    SetReplacement();
    if (!Await([step](SimRoles& one) { return one.Done(step); }, "steps")) return false;
    replace_at_ = INT64_MAX;
    if (!Equalise() || !Gather()) return false;
  }
  return true;
}

void SimCluster::Begin() {
  SimSchedule& random = network.schedule();
  const bool together = job_.synchronous() && job_.topology().worker_groups() > 1;
  lost_ = run.replaces = false;
  run.granted = run.snapshot.step + (!together && random.Happens(0.5) ? 1 : 0);
  run.granted = std::min(run.granted, SimJob::kSteps);
  for (int rank = 0; rank < network.ranks(); ++rank)
    network.At(network.clock().Now() + random.Between(0, kSimSecond / 2),
               [this, rank] { network.Start(rank); });
  SetCrash();
}

// Ends all processes some time after a loss. Messages that they have sent may still arrive after
// the next start.
void SimCluster::End() {
  network.RunFor(network.schedule().Between(0, kSimSecond));
  for (int rank = 0; rank < network.ranks(); ++rank) {
    Count(rank);
    network.Crash(rank);
  }
  ++run.job_id[0];
}

// Chooses a moment among the messages that the rest of a run takes, or after them.
void SimCluster::SetCrash() {
  crash_at_ = INT64_MAX;
  if (crashes_left_ == 0) return;
  --crashes_left_;
  const int64_t roles = network.ranks() * job_.topology().servers_per_group();
  crash_at_ = run.handled +
              network.schedule().Between(1, 3 * roles * (SimJob::kSteps - run.snapshot.step) + 2);
}

void SimCluster::Crash() {
  CheckAtMostOnce();
  const int rank = static_cast<int>(network.schedule().Between(0, network.ranks() - 1));
  Count(rank);
  network.Crash(rank);
  lost_ = true;
  ++crashes_;
}

// Chooses a moment among the messages of the next steps.
void SimCluster::SetReplacement() {
  const int64_t roles = network.ranks() * job_.topology().servers_per_group();
  if (replacements_left_ > 0) replace_at_ = run.handled + network.schedule().Between(1, 6 * roles);
}

// Replaces a process while the others continue. Waits for another moment if some process has no
// first values yet.
void SimCluster::Replace() {
  SimSchedule& random = network.schedule();
  replace_at_ = INT64_MAX;
  for (int rank = 0; rank < network.ranks(); ++rank)
    if (!process(rank).Ready()) return SetReplacement();
  std::vector<int> ranks;
  for (int rank = 0; rank < network.ranks(); ++rank)
    if (job_.topology().IsReplaceable(rank)) ranks.push_back(rank);
  if (ranks.empty()) return;
  const int rank = ranks[random.Between(0, static_cast<int64_t>(ranks.size()) - 1)];
  Count(rank);
  network.Crash(rank);
  run.replaces = true;
  network.At(network.clock().Now() + random.Between(0, kSimSecond / 2),
             [this, rank] { network.Start(rank); });
  ++replacements_;
  --replacements_left_;
  SetReplacement();
}

void SimCluster::CheckAtMostOnce() {
  for (int g = 0; job_.counts() && g < job_.topology().server_groups(); ++g)
    EXPECT_LE(job_.MostCounted(Values(g)), 1) << "server group " << g;
}

void SimCluster::Count(int rank) {
  if (network.process(rank) == nullptr) return;
  const ChannelCounters& one = process(rank).channel.counters();
  channel_.resent += one.resent;
  channel_.duplicates += one.duplicates;
  channel_.out_of_order += one.out_of_order;
  channel_.restarts += one.restarts;
  for (int i = 0; i < kRefusals; ++i) channel_.refused[i] += one.refused[i];
  refused_ += process(rank).refused();
}

bool SimCluster::Await(const std::function<bool()>& done, const char* what) {
  const auto all_run = [this] {
    for (int rank = 0; rank < network.ranks(); ++rank)
      if (network.process(rank) == nullptr) return false;
    return true;
  };
  bool is_done = false;
  const auto over = [&] {
    if (!all_run()) return false;
    if (run.handled >= crash_at_) Crash();
    if (run.handled >= replace_at_) Replace();
    if (!lost_ && !all_run()) return false;
    is_done = !lost_ && done();
    return lost_ || is_done;
  };
  if (network.RunUntil(over, limit) || lost_) return is_done;
  stuck_ = StrCat("at ", network.clock().Now() / kSimSecond, " s: waits for ", what, "\n");
  for (int rank = 0; rank < network.ranks(); ++rank)
    if (network.process(rank) != nullptr) stuck_ += process(rank).Waiting();
  return false;
}

bool SimCluster::Await(const std::function<bool(SimRoles&)>& of_each, const char* what) {
  const auto all = [&] {
    for (int rank = 0; rank < network.ranks(); ++rank)
      if (!of_each(process(rank))) return false;
    return true;
  };
  return Await(std::function<bool()>(all), what);
}

bool SimCluster::Equalise() {
  for (int round = 1; job_.topology().server_groups() > 1 && round <= 2; ++round) {
    const int number = ++exchange_;
    for (int rank = 0; rank < network.ranks(); ++rank)
      network.Tell(rank, [=](SimProcess* one) { static_cast<SimRoles*>(one)->Exchange(number); });
    const auto ended = [=](SimRoles& one) { return one.exchange() == number && !one.exchanging(); };
    if (!Await(ended, "exchanges")) return false;
  }
  return true;
}

bool SimCluster::Gather() {
  const int asker = job_.topology().ProcessesOf(0).first;
  network.Tell(asker, [](SimProcess* one) { static_cast<SimRoles*>(one)->Gather(); });
  SimSnapshot snapshot;
  snapshot.step = run.granted;
  if (!Await([&] { return process(asker).Gathered(&snapshot.slices); }, "the model")) return false;
  for (int rank = 0; rank < network.ranks(); ++rank) process(rank).AddRests(&snapshot);
  if (on_snapshot) on_snapshot(&snapshot);
  run.snapshot = std::move(snapshot);
  return true;
}

std::vector<float> SimCluster::Values(int server_group) {
  std::vector<float> values(job_.table().elements());
  for (int rank = 0; rank < network.ranks(); ++rank)
    if (network.process(rank) != nullptr) process(rank).ValuesOf(server_group, &values);
  return values;
}

}  // namespace singa
