#include "support/cluster/sim_job.h"

#include <glog/logging.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <span>

#include "math/finite.h"
#include "singa/base/error.h"
#include "support/cluster/cluster_of_roles.h"
#include "train/apply/update_rule.h"

namespace singa {
namespace {

constexpr int kMostSimulated = 4;

// Returns the sum of `node`, by a plain walk down to the nodes that are given.
std::vector<float> SumOf(SumNode node,
                         const std::map<std::pair<int, int>, std::span<float>>& given) {
  if (const auto it = given.find({node.first, node.last}); it != given.end())
    return {it->second.begin(), it->second.end()};
  std::vector<float> sum = SumOf(node.left(), given);
  const std::vector<float> right = SumOf(node.right(), given);
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += right[i];
  return sum;
}

}  // namespace

SimJob::SimJob(uint64_t seed, SimKind kind)
    : seed_(seed), kind_(kind), random_(~seed), conf_(Draw()), topology_(conf_.cluster()) {
  for (int g = 0; g < topology_.worker_groups(); ++g) {
    const Range all = topology_.ProcessesOf(g);
    for (int p = all.first; p < all.last; ++p) clients_.push_back({g, p});
  }
  std::vector<Shape> shapes;
  for (int64_t n = random_.Between(2, 5); n > 0; --n) {
    const std::string name = StrCat("w", shapes.size());
    const float scale = sums_ ? 1.f : static_cast<float>(random_.Between(1, 4)) / 2;
    params_.push_back({name, "layer", {.lr = scale}});
    // One in ten params is cut into several slices.
    shapes.push_back({random_.Happens(0.1) ? 3 * 1024 : tags() + random_.Between(1, 20)});
  }
  table_ = SliceTable(shapes);
  int64_t begin = 0;
  for (const Slice& slice : table_.slices()) {
    begins_.push_back(begin);
    begin += slice.size;
    CHECK_LE(tags(), slice.size);
  }
}

JobProto SimJob::Draw() {
  JobProto job;
  while (!TryCluster(job.mutable_cluster())) {
  }
  DrawUpdater(&job);
  return job;
}

// Returns false if the drawn cluster is not valid, or has too many processes.
bool SimJob::TryCluster(ClusterProto* cluster) {
  ClusterProto c;
  c.set_nworker_groups(synchronous() && random_.Happens(0.7) ? 1 : random_.Between(2, 3));
  c.set_nworkers_per_group(random_.Happens(0.2) ? 6 : random_.Between(1, 4));
  c.set_nworkers_per_procs(random_.Between(1, 3));
  c.set_nserver_groups(synchronous() ? 1 : random_.Between(1, 3));
  c.set_nservers_per_group(random_.Between(1, 3));
  c.set_nservers_per_procs(random_.Between(1, 3));
  c.set_server_worker_separate(random_.Happens(0.3));
  c.set_sync_freq(random_.Between(1, 4));
  constexpr ClusterProto::GroupSync kSyncs[] = {ClusterProto::kMaster, ClusterProto::kRing,
                                                ClusterProto::kElastic};
  c.set_group_sync(kSyncs[random_.Between(0, 2)]);
  if (synchronous() && c.nworker_groups() > 1) c.set_user_consistency("kSynchronous");
  if (!synchronous() && random_.Happens(0.5)) {
    c.set_user_consistency("kBoundedStaleness");
    c.set_max_staleness(random_.Between(1, 3));
  }
  // If workers and server share the params' memory, there is one such memory per process.
  c.set_share_memory(c.nworker_groups() == 1 && random_.Happens(0.5));
  *cluster = c;
  try {
    return Topology(c).processes() <= kMostSimulated;
  } catch (const ConfigError&) {
    return false;
  }
}

void SimJob::DrawUpdater(JobProto* job) {
  struct Choice {
    bool sums;
    std::string text;
  };
  const Choice choices[] = {{true, kSumUpdater},
                            {true, StrCat(kSumUpdater, " clip_norm: 1e30")},
                            {false, StrCat("type: kSGD momentum: 0.9", kHalvingRate)},
                            {false, StrCat("type: kSGD clip_norm: 1.5", kHalvingRate)},
                            {false, StrCat("type: kAdam", kHalvingRate)}};
  const bool any = synchronous() && random_.Happens(0.5);
  const Choice& choice = choices[random_.Between(0, any ? 4 : 1)];
  sums_ = choice.sums;
  *job->mutable_updater() = JobOf(choice.text, "").updater();
  if (random_.Happens(0.25)) job->set_on_nonfinite(JobProto::kSkip);
}

bool SimJob::elastic() const {
  return topology_.server_groups() > 1 && conf_.cluster().group_sync() == ClusterProto::kElastic;
}

// The result depends on group and step alone. In a dropped step the group's first process has no
// gradient.
bool SimJob::Dropped(int group, int64_t step) const {
  const Philox philox = {seed_, HashName("dropped"), static_cast<uint32_t>(step)};
  return conf_.on_nonfinite() == JobProto::kSkip && philox.Uniform(group) < 0.2f;
}

int64_t SimJob::Tag(int group, int process, int64_t step) const {
  const auto client = std::ranges::find(clients_, std::pair(group, process));
  return (client - clients_.begin()) * kSteps + step;
}

std::vector<float> SimJob::First() const {
  std::vector<float> values(table_.elements());
  const Philox philox = {seed_, HashName("first"), 0};
  for (int s = 0; s < table_.size(); ++s)
    for (int64_t i = begins_[s] + tags(); i < begins_[s] + table_[s].size; ++i)
      values[i] = philox.Gaussian(i);
  return values;
}

std::vector<std::vector<float>> SimJob::Gradients(int group, int process, int64_t step,
                                                  const std::vector<float>& values) const {
  if (Dropped(group, step) && process == topology_.ProcessesOf(group).first) return {};
  const int64_t tag = Tag(group, process, step), n = table_.elements();
  const Philox philox = {seed_, HashName("gradient"), static_cast<uint32_t>(tag)};
  const auto nodes = static_cast<int64_t>(topology_.NodesOf(process, group).size());
  std::vector<std::vector<float>> gradients;
  for (int s = 0; s < table_.size(); ++s) {
    const int64_t size = table_[s].size;
    std::vector<float>& gradient = gradients.emplace_back(nodes * size);
    gradient[tag] = -1;  // of the first node
    for (int64_t node = 0; node < nodes; ++node)
      for (int64_t i = tags(); i < size; ++i) {
        const int64_t at = begins_[s] + i;
        gradient[node * size + i] =
            0.1f * philox.Gaussian(node * n + at) + 0.01f * values[(at + step * 37 + 11) % n];
      }
  }
  return gradients;
}

// Returns the sums by slice, over the group's workers, in the order of its SumTree.
std::vector<std::vector<float>> SimJob::Sums(int group, int64_t step,
                                             const std::vector<float>& values) const {
  const Range all = topology_.ProcessesOf(group);
  std::map<int, std::vector<std::vector<float>>> of_processes;
  for (int p = all.first; p < all.last; ++p) of_processes[p] = Gradients(group, p, step, values);
  std::vector<std::vector<float>> sums;
  for (int s = 0; s < table_.size(); ++s) {
    std::map<std::pair<int, int>, std::span<float>> given;
    for (auto& [process, gradients] : of_processes) {
      std::span<float> rest = gradients[s];
      for (const SumNode& node : topology_.NodesOf(process, group)) {
        given[{node.first, node.last}] = rest.first(table_[s].size);
        rest = rest.subspan(table_[s].size);
      }
    }
    sums.push_back(SumOf({0, topology_.workers_per_group()}, given));
  }
  return sums;
}

std::vector<float> SimJob::Reference(int64_t steps) const {
  Context ctx;
  const UpdateRule rule(conf_);
  const size_t n = rule.states().size();
  std::vector<std::vector<float>> states(n, std::vector<float>(table_.elements()));
  std::vector<float> values = First();
  int64_t count = 0;
  for (int64_t step = 0; step < steps; ++step) {
    const std::vector<float> read = values;
    for (int g = 0; g < topology_.worker_groups(); ++g) {
      if (Dropped(g, step)) continue;
      std::vector<std::vector<float>> sums = Sums(g, step, read);
      double squares = 0;
      for (int s = 0; s < table_.size(); ++s)
        squares += SumOfSquares(ctx, sums[s].data(), table_[s].size);
      const float most = conf_.updater().clip_norm();
      const double norm = std::sqrt(squares);
      ++count;
      for (int s = 0; s < table_.size(); ++s) {
        if (most > 0 && norm > most)
          for (float& x : sums[s]) x *= static_cast<float>(most / norm);
        std::vector<float*> at;
        for (std::vector<float>& state : states) at.push_back(state.data() + begins_[s]);
        rule.Apply(ctx, params_[table_[s].param].scale, step, count, values.data() + begins_[s],
                   sums[s].data(), {at.data(), at.size()}, table_[s].size);
      }
    }
  }
  return values;
}

int SimJob::Wrong(const std::vector<float>& values, int64_t steps) const {
  int wrong = 0;
  for (int s = 0; s < table_.size(); ++s)
    for (const auto& [group, process] : clients_)
      for (int64_t step = 0; step < kSteps; ++step) {
        const bool counted = step < steps && !Dropped(group, step);
        wrong += values[begins_[s] + Tag(group, process, step)] != (counted ? 1.f : 0.f);
      }
  return wrong;
}

float SimJob::MostCounted(const std::vector<float>& values) const {
  float most = 0;
  for (int s = 0; s < table_.size(); ++s)
    for (int64_t i = 0; i < tags(); ++i) most = std::max(most, values[begins_[s] + i]);
  return most;
}

}  // namespace singa
