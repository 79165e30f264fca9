// ServedProcess is one process with all workers and servers of a job. Each group has memory of its
// own for two params.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cluster/process/served_cluster.h"
#include "support/cluster/cluster_of_roles.h"

namespace singa {

struct ServedProcess {
  explicit ServedProcess(const std::string& cluster_text,
                         std::unique_ptr<const Codec> codec = nullptr)
      : job(JobOf(kSumUpdater, cluster_text)),
        cluster(job, topology, 0, nullptr, &deadline, {}, std::move(codec)) {
    for (int group = 0; group < topology.worker_groups(); ++group) {
      std::vector<Param*>& own = params.emplace_back();
      for (const auto& [name, n] : {std::pair("a", 2), std::pair("b", 3)}) {
        all.push_back(std::make_unique<Param>(name, "layer", "", ParamProto(), Shape({n})));
        all.back()->data = Tensor::Allocate({n});
        own.push_back(all.back().get());
      }
    }
    replica.Attach(table, params[0]);
  }
  // Connects the groups, of which each has done the given steps.
  void Connect(const std::vector<int64_t>& steps) {
    std::vector<std::vector<float*>> values;
    for (const std::vector<Param*>& own : params)
      values.push_back({own[0]->data.data(), own[1]->data.data()});
    cluster.Connect(table, params[0], {steps}, values, &replica);
  }
  // Fills the servers with a model of these values.
  void Fill(const std::vector<float>& a, const std::vector<float>& b) {
    replica.SetFloats(0, 0, a);
    replica.SetFloats(1, 0, b);
    cluster.Fill();
  }
  std::vector<float> ValuesOf(int group, int param) const {
    const Tensor& data = params[group][param]->data;
    return {data.data(), data.data() + data.size()};
  }
  // Returns the floats of its codec's state, by name.
  std::map<std::string, std::vector<float>> States() {
    std::map<std::string, std::vector<float>> states;
    for (const StoredTensor& tensor : cluster.codec_state().Tensors()) {
      const auto* const floats = static_cast<const float*>(tensor.data);
      states[tensor.name].assign(floats, floats + tensor.shape.size());
    }
    return states;
  }

  const JobProto job;
  const Topology topology = Topology(job.cluster()).InOneProcess();
  const SliceTable table{std::vector<Shape>{{2}, {3}}};
  const ProgressDeadline deadline{std::chrono::milliseconds(30'000)};  // for a test that fails
  std::vector<std::unique_ptr<Param>> all;
  std::vector<std::vector<Param*>> params;  // by group
  Replica replica{job};
  ServedCluster cluster;
};

}  // namespace singa
