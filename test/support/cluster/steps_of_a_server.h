// StepsOfAServer has the GroupSteps of one server, which tests call directly.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cluster/server/group_steps.h"
#include "support/cluster/cluster_of_roles.h"

namespace singa {

// This is server 0 of group 0. If it is the only one it has slice 0 (3 floats) and slice 1 (2
// floats), else slice 0 alone.
struct StepsOfAServer : ServerEvents {
  explicit StepsOfAServer(const std::string& cluster, const std::string& updater = kSumUpdater,
                          const std::string& rest = "", int64_t first_step = 0)
      : job(JobOf(updater, cluster, rest)), first(topology.worker_groups(), first_step) {}

  void Diverged(const std::string& text) override { diverged.push_back(text); }

  // Sets first values, of version 0.
  void PutAll() {
    for (const int s : shard.slices()) shard.Put(s, 0, 0, std::vector<float>(shard.size(s), 10.f));
  }
  // Contributes `floats` to the slice.
  StepSum::Arrival Give(int group, int process, int64_t step, int slice, std::vector<float> floats,
                        int64_t version = 0) {
    SlicePart head;
    head.set_version(version);
    return steps.Contribute(group, process, step, {slice, &head, FrameOf(std::move(floats))});
  }
  // Returns type, receiver and parts of each message that was posted since the last call.
  std::string Sent() {
    out.Flush();
    std::string text;
    for (const Message& message : std::exchange(sent.messages, {})) {
      text += StrCat(WireMessage::Type_Name(message.head.type()), "->", message.head.to().id());
      for (const SlicePart& part : message.head.part())
        text += StrCat(" ", part.slice(), "v", part.version(), "x", part.elements());
      text += ";";
    }
    return text;
  }
  std::vector<float> Values(int slice) {
    const std::span<float> values = shard.values(slice);
    return {values.begin(), values.end()};
  }

  const JobProto job;
  const std::vector<ServedParam> params = {{"a", "l", {}}, {"b", "l", {}}};
  const SliceTable table{{{3}, {2}}};
  const Topology topology{job.cluster()};
  const UpdateRule rule{job};
  const SliceOwners owners{topology, table};
  const std::vector<int64_t> first;
  HeldClock clock;
  SentMessages sent;
  std::vector<std::string> diverged;
  ParamShard shard{table, params, rule, owners.Of(0)};
  Outgoing out{ServerAddress({0, 0}), SliceTable::kMost, &sent};
  GroupSteps steps{
      {job, topology, table, params, clock, {0, 0}, first}, owners, &shard, &out, this};
};

}  // namespace singa
