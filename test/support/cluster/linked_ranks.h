// LinkedRanks is the processes of a worker group that each have the values and the updater. Each is
// a thread of the test. MemoryLinks stand for MPI.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cluster/protocol/gradient_codec.h"
#include "cluster/ranks/linked_updates.h"
#include "singa/base/philox.h"
#include "support/cluster/cluster_of_roles.h"
#include "support/cluster/memory_replica.h"
#include "support/comm/memory_links.h"

namespace singa {

// One process: its values, and the updates to them.
struct LinkedRank {
  std::unique_ptr<MemoryReplica> memory;
  std::vector<std::vector<float>> values;  // by param
  std::unique_ptr<LinkCollective> between;
  std::unique_ptr<LinkedUpdates> updates;
  std::map<int, std::vector<std::vector<float>>> gradients;  // by slice, in place for a step
  Context ctx;
};

class LinkedRanks {
 public:
  using Make =
      std::function<std::unique_ptr<LinkedUpdates>(const LinkedUpdates::Setup&, const Codec&)>;

  // `updater`, `cluster`: text of the job's messages; `shapes`: of the params. All values begin
  // with 1. `aside`: as in LinkedUpdates::Setup.
  LinkedRanks(const std::string& updater, const std::string& cluster, std::vector<Shape> shapes,
              const Make& make, const std::vector<ParamDivision>& divisions = {},
              JobProto::NonFinitePolicy policy = JobProto::kAbort, bool aside = true)
      : job(JobOf(updater, cluster)),
        table(shapes, divisions),
        gradient_links(topology.processes()),
        metric_links(topology.processes()) {
    job.set_on_nonfinite(policy);
    std::vector<ServedParam> served;
    for (size_t p = 0; p < shapes.size(); ++p) served.push_back({StrCat("w", p), "layer", {}});
    for (int rank = 0; rank < topology.processes(); ++rank) {
      LinkedRank& one = ranks.emplace_back();
      for (const Shape& shape : shapes) one.values.emplace_back(shape.size(), 1.f);
      std::vector<float*> memory;
      for (std::vector<float>& values : one.values) memory.push_back(values.data());
      one.memory = std::make_unique<MemoryReplica>(job, table, served, memory);
      one.between = std::make_unique<LinkCollective>(metric_links[rank], topology.ProcessNodes(0));
      one.updates = make({.job = job,
                          .topology = topology,
                          .link = gradient_links[rank],
                          .between = one.between.get(),
                          .deadline = &deadline,
                          .replica = &one.memory->replica,
                          .aside = aside},
                         *codec);
    }
  }

  // Runs `work` for all ranks at the same time.
  void ForAll(const std::function<void(int rank, LinkedRank& one)>& work) {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < topology.processes(); ++rank)
      threads.emplace_back([&, rank] { work(rank, ranks[rank]); });
  }
  void Connect(int64_t first = 0) {
    ForAll([&](int, LinkedRank& one) { one.updates->Connect(table, first); });
  }

  // Returns the number of worker `worker` in element i of slice s of the gradient of `step`.
  static float Gradient(int64_t step, int worker, int s, int64_t i) {
    const Philox random{
        .seed = 5, .purpose = static_cast<uint32_t>(worker), .step = static_cast<uint32_t>(step)};
    return random.Gaussian(static_cast<uint64_t>(s) * 100'000 + static_cast<uint64_t>(i));
  }
  // Returns the sums of the nodes that `rank` has of slice s, one after the other.
  std::vector<std::vector<float>> NodeSums(int rank, int64_t step, int s) const {
    std::vector<std::vector<float>> sums;
    for (const SumNode& node : topology.NodesOf(rank, 0, table[s].by))
      sums.push_back(Sum(node, step, s));
    return sums;
  }
  // Returns the sum over the workers of `node`, in the tree's order.
  std::vector<float> Sum(SumNode node, int64_t step, int s) const {
    const int64_t n = table[s].size;
    std::vector<std::vector<float>> parts;
    for (int place = node.first; place < node.last; ++place) {
      std::vector<float>& part = parts.emplace_back();
      for (int64_t i = 0; i < n; ++i)
        part.push_back(Gradient(step, table[s].by.Worker(place), s, i));
    }
    std::vector<float> sum(n);
    AddUpWorkers(
        node, [&](int place) -> const float* { return parts[place - node.first].data(); }, n,
        sum.data());
    return sum;
  }

  // Returns the sum over all workers that contribute.
  std::vector<float> Whole(int64_t step, int s) const {
    const int workers = table[s].by.all() ? topology.workers_per_group() : table[s].by.count;
    return Sum(SumTree(workers).root(), step, s);
  }

  // Takes a step in process `rank`, all but the gradients of `lacking`, a rank without them.
  void Step(int rank, int64_t step, int lacking = -1) {
    LinkedRank& one = ranks[rank];
    for (int p = 0; p < table.params(); ++p) one.updates->Await(p, step);
    for (int s = table.size() - 1; s >= 0; --s) {
      std::vector<std::vector<float>>& sums = one.gradients[s] = NodeSums(rank, step, s);
      std::vector<float*> data;
      for (std::vector<float>& sum : sums) data.push_back(sum.data());
      if (!data.empty() && rank == lacking) data[0][0] = std::numeric_limits<float>::quiet_NaN();
      if (!data.empty()) one.updates->Submit(one.ctx, s, step, data);
    }
    for (int worker = enders - 1; worker >= 0; --worker)
      one.updates->Finish(one.ctx, step, worker, enders, {});
  }
  void Steps(int64_t first, int64_t last) {
    ForAll([&](int rank, LinkedRank& one) {
      for (int64_t step = first; step < last; ++step) Step(rank, step);
      one.updates->AwaitAll(last);
    });
  }

  int enders = 1;  // workers of a process that end its step, one after the other
  JobProto job;
  const Topology topology{job.cluster()};
  const SliceTable table;
  MemoryLinks gradient_links, metric_links;
  const ProgressDeadline deadline{std::chrono::milliseconds(30'000)};  // for a test that fails
  const std::unique_ptr<Codec> codec = MakeGradientCodec(job.cluster());
  std::vector<LinkedRank> ranks;
};

}  // namespace singa
