// A Client exchanges gradients and values with the servers, for one worker group in one process. It
// is event-driven, without threads, sleeps or sockets. One thread at a time uses it.
//
// In each step of the group, for each slice to which the process contributes: the workers wait
// until it is Fresh, read the values, and Push the sum of their gradients. The servers' answer
// makes the slice fresh for the next step.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/thread/clock.h"
#include "cluster/client/model_gather.h"
#include "cluster/protocol/addresses.h"
#include "cluster/protocol/outgoing.h"
#include "cluster/protocol/served_param.h"
#include "cluster/protocol/slice_owners.h"
#include "cluster/protocol/staleness_counts.h"
#include "comm/codec/identity.h"
#include "comm/message/message.h"
#include "train/apply/replica.h"

namespace singa {

// All must outlive the client.
struct ClientSetup {
  const Topology& topology;
  const SliceTable& table;
  const std::vector<ServedParam>& params;  // the params that the table was made of
  const Clock& clock;
  int group = 0, process = 0;
  int64_t first_step = 0;
  // A server of the group in the same process has the params' memory as its values.
  bool shares_memory = false;
  const Codec& codec = Identity();  // of gradients
  // This process's values and states, of the same memory, if servers send the sums that they apply
  // (ServerSetup::sends_sums); else null.
  Replica* replica = nullptr;
};

class Client {
 public:
  // Floats that a message of gradients has when it leaves before Flush.
  static constexpr int64_t kSendAt = 65536;

  // `values`: the memory of each param. Arriving values are written to it.
  Client(const ClientSetup& setup, std::vector<float*> values, Outbox* out);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // At the start one process of the server group's worker groups puts the first values, and all get
  // them. Flush or GetAll sends what was put.
  void Put(int slice, const SliceState& state);
  void GetAll(int64_t version);  // gets this version or a later one
  // Returns whether all values that GetAll asked for have come.
  bool ready() const { return getting_ == 0; }
  // Continues where the group was lost, in a process that takes another's place. Returns the
  // group's next step; Push sends nothing for slices that have this step already. REQUIRES:
  // ready().
  int64_t TakeOver();

  // Returns whether the process takes part in the updates of the slice. If not, workers of other
  // processes have its rows of the param, and the server sends its values only on GetAll.
  bool takes_part(int slice) const { return slices_[slice].takes_part; }
  // Returns whether the process adds up parts of the slice's gradient. If not, and it takes part,
  // it pushes no floats.
  bool contributes(int slice) const { return slices_[slice].nodes > 0; }
  // Returns whether the values include all pushed steps before `step`.
  bool Fresh(int slice, int64_t step) const;
  // Sends the process's part of the gradient of `step`: the slice's sum for each of the SumTree's
  // nodes that its workers contribute (Topology::NodesOf), one after the other, encoded by the
  // setup's codec. Sends nothing if the values include the step already, after a restart. REQUIRES:
  // Fresh(slice, step), and each step in order, at most once.
  void Push(int64_t step, int slice, EncodedFloats gradient);
  // Tells the server that there is no finite gradient, so that the group's step is dropped; or that
  // the process, which does not contribute, has done the step.
  void PushNone(int64_t step, int slice);
  // Sends the parts that wait for more.
  void Flush() { out_.Flush(); }

  bool settled() const;  // whether all pushes were answered
  // Returns what asks for the model.
  ModelGather& gather() { return gather_; }

  // Takes a message from process `rank`, which is authenticated. A message that does not fit is
  // dropped and counted.
  void OnMessage(int rank, const Message& message);

  // Returns the staleness of all updates whose successors were pushed since the last call: at the
  // end of a step, those of the steps before. There are none if the server group has no other
  // worker group.
  StalenessCounts TakeStaleness() { return std::exchange(staleness_, {}); }

  // Returns the norm of the group's gradient in `step`, the last that was pushed; NaN if a server
  // sends none; nullopt if the update of the step has not come.
  std::optional<double> GradientNorm(int64_t step) const;

  // Returns one line for each server that owes an answer, with the oldest one.
  std::vector<std::string> Waiting() const;
  int64_t version(int slice) const { return slices_[slice].version; }
  int64_t refused() const { return refused_; }

 private:
  struct State {
    int64_t version = 0;
    int64_t pushed, answered;  // the last steps that were pushed, and answered
    int64_t since = 0;         // time of the last request
    int64_t staleness = -1;    // of step `answered`, until it is counted; -1: none
    bool getting = false;
    int nodes = 0;  // of the SumTree: sums in each push
    bool takes_part = false;
  };
  WireMessage Head(WireMessage::Type type, int slice) const;
  bool SharedWithServer(int slice) const;
  float* memory(int slice) const {
    return values_[setup_.table[slice].param] + setup_.table[slice].begin;
  }
  void Send(int64_t step, int slice, EncodedFloats gradient);
  bool OnValues(const EncodedPart& part);
  bool OnApplied(const EncodedPart& part);
  // Returns whether the part may answer what was asked.
  bool Fits(const EncodedPart& part) const;
  void TakeAnswer(const SlicePart& head, State* state);
  std::string WaitsFor(int slice) const;
  int64_t AskedAt(int slice) const;

  const ClientSetup setup_;
  const SliceOwners owners_;
  const int server_group_;
  std::vector<float*> values_;
  Outgoing out_;
  std::vector<State> slices_;
  int getting_ = 0;  // slices that have not come
  ModelGather gather_;
  StalenessCounts staleness_;
  double norm_ = std::numeric_limits<double>::quiet_NaN();  // of the last step that was answered
  int64_t refused_ = 0;
  Context ctx_;  // of updates
};

}  // namespace singa
