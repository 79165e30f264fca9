// SyncOfAServer has the GroupSync of one server, which tests call directly.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cluster/server/group_sync_models.h"
#include "support/cluster/cluster_of_roles.h"

namespace singa {

// This is the server of group `group` of three, in a job of 5 steps. It has two slices of one
// float, 10 at first. Slice 0 has its master in group 0, slice 1 in group 1.
struct SyncOfAServer {
  SyncOfAServer(const std::string& model, int group, int groups = 3)
      : job(JobOf(kSumUpdater,
                  StrCat("nworker_groups: ", groups, " nserver_groups: ", groups,
                         " sync_freq: 2 group_sync: ", model, " elastic_alpha: 0.25"))),
        out(ServerAddress({group, 0}), SliceTable::kMost, &sent),
        sync(MakeGroupSync({job.cluster(), topology, owners, {group, 0}, &shard, &out, 5})) {
    for (const int slice : {0, 1}) {
      shard.Put(slice, 0, 0, std::vector<float>{10});
      if (sync) sync->Start(slice);
    }
  }
  // Does an update that adds `change`.
  void Update(int slice, float change) {
    shard.values(slice)[0] += change;
    sync->Updated(slice);
  }
  // Does two updates, after which an exchange begins. They add `change`.
  void UpdateTwice(int slice, float change) {
    Update(slice, change);
    Update(slice, 0);
  }
  bool OnSync(int slice, int64_t number, std::vector<float> floats, int from, int origin,
              int hops = 0) {
    const SlicePart head = Part(number, floats);
    return sync->OnSync({slice, &head, FrameOf(std::move(floats))}, from, origin, hops);
  }
  bool OnReply(int slice, int64_t number, std::vector<float> floats, int from) {
    const SlicePart head = Part(number, floats);
    return sync->OnReply({slice, &head, FrameOf(std::move(floats))}, from);
  }
  // Returns what was sent since the last call: type, receiving group, slice, number of the
  // exchange, its origin and hops, and floats.
  std::string Sent() {
    out.Flush();
    std::string text;
    for (const Message& message : std::exchange(sent.messages, {})) {
      const WireMessage& head = message.head;
      text += StrCat(WireMessage::Type_Name(head.type()), "->", head.to().group(), " slice ",
                     head.part(0).slice(), " #", head.part(0).version(), " of ", head.group(), "+",
                     head.hops());
      for (const Frame& frame : message.payload) text += StrCat(" ", FloatsOf(frame)[0]);
      text += ";";
    }
    return text;
  }
  float value(int slice) { return shard.values(slice)[0]; }

  const JobProto job;
  const std::vector<ServedParam> params = {{"a", "l", {}}, {"b", "l", {}}};
  const SliceTable table{{{1}, {1}}};
  const Topology topology{job.cluster()};
  const UpdateRule rule{job};
  const SliceOwners owners{topology, table};
  ParamShard shard{table, params, rule, owners.Of(0)};
  SentMessages sent;
  Outgoing out;
  const std::unique_ptr<GroupSync> sync;

 private:
  static SlicePart Part(int64_t number, const std::vector<float>& floats) {
    SlicePart part;
    part.set_version(number);
    part.set_elements(static_cast<uint32_t>(floats.size()));
    return part;
  }
};

}  // namespace singa
