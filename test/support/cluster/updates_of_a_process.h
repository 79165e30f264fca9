// UpdatesOfAProcess is the ServedUpdates of a process, whose servers are the test.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cluster/client/served_updates.h"
#include "cluster/protocol/gradient_codec.h"
#include "support/cluster/cluster_of_roles.h"
#include "support/comm/memory_links.h"

namespace singa {

inline constexpr char kAboveTwo[] = "compression: kThreshold threshold: 2.5";

// This is process 0 of a worker group of one or two processes. Its server has slices 0 (3 floats)
// and 1 (2 floats).
struct UpdatesOfAProcess {
  explicit UpdatesOfAProcess(bool skip, int processes = 1, const std::string& updater = "",
                             const std::string& compression = "")
      : job(JobOf(StrCat(kSumUpdater, " ", updater), StrCat("all_reduce { ", compression, " }"),
                  skip ? "on_nonfinite: kSkip" : "")),
        topology(JobOf("", StrCat("nworkers_per_group: ", processes)).cluster()),
        links(processes),
        between(links[0], topology.ProcessNodes(0)),
        updates(job, &between, &deadline) {
    updates.Connect({topology, table, params, clock, 0, 0, 0, false, *codec}, {a.data(), b.data()},
                    &sent);
  }
  // Returns a message of the server with values that hold `step`. All are the number of steps.
  Message Values(int64_t step, const std::vector<int>& slices, double norm = 0) const {
    Message message;
    message.head.set_type(WireMessage::kValues);
    *message.head.mutable_from() = ServerAddress({0, 0});
    *message.head.mutable_to() = ClientAddress(0, 0);
    for (const int slice : slices) {
      SlicePart* const part = message.head.add_part();
      part->set_slice(slice);
      part->set_version(step + 1);
      part->set_step(step);
      part->set_norm(norm);
      part->set_elements(table[slice].size);
      const auto value = static_cast<float>(step + 1);
      message.payload.push_back(FrameOf(std::vector<float>(table[slice].size, value)));
    }
    return message;
  }
  void Answer(int64_t step, const std::vector<int>& slices, double norm = 0) {
    updates.Deliver(0, Values(step, slices, norm));
  }
  // Gives the client first values, all 0, before a thread waits for them.
  void Begin() {
    updates.Do(
        [this](Client& client) {
          client.GetAll(0);
          client.OnMessage(0, Values(-1, {0, 1}));
        },
        [](Client& client) { return client.ready(); });
    sent.messages.clear();
  }
  void Submit(int slice, int64_t step, std::vector<float> sum) {
    float* const sums[] = {sum.data()};
    updates.Submit(ctx, slice, step, sums);
  }
  void Finish(int64_t step, int worker = 0) { updates.Finish(ctx, step, worker, 1, {}); }
  // Returns the step and the parts of each message that was sent since the last call.
  std::string Sent() {
    std::string text;
    for (const Message& message : std::exchange(sent.messages, {})) {
      text += StrCat(WireMessage::Type_Name(message.head.type()), " ", message.head.step());
      for (const SlicePart& part : message.head.part())
        text += StrCat(" ", part.slice(), "x", part.elements());
      text += ";";
    }
    return text;
  }

  const JobProto job;
  const std::unique_ptr<Codec> codec = MakeGradientCodec(job.cluster());
  const Topology topology;
  const SliceTable table{{{3}, {2}}};
  const std::vector<ServedParam> params = {{"a", "l", {}}, {"b", "l", {}}};
  HeldClock clock;
  SentMessages sent;
  std::vector<float> a = {0, 0, 0}, b = {0, 0};
  const ProgressDeadline deadline{std::chrono::milliseconds(1)};
  MemoryLinks links;
  LinkCollective between;
  Context ctx;
  ServedUpdates updates;
};

}  // namespace singa
