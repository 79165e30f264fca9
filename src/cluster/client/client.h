// Client: what one process sends for one worker group, and what it waits for. Event-driven, without
// threads, sleeps or sockets. Used by one thread at a time.
//
// A step of the group, for each slice: the workers find it Fresh, read the values, and hand over
// what they have added up of their gradients by Push; the answer makes the slice fresh for the next
// step.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/thread/clock.h"
#include "cluster/protocol/addresses.h"
#include "cluster/protocol/outgoing.h"
#include "cluster/protocol/served_param.h"
#include "cluster/protocol/slice_owners.h"
#include "cluster/protocol/staleness_counts.h"
#include "comm/codec/identity.h"
#include "comm/message/message.h"

namespace singa {

// All must outlive the client.
struct ClientSetup {
  const Topology& topology;
  const SliceTable& table;
  const std::vector<ServedParam>& params;  // as the table was made of
  const Clock& clock;
  int group = 0, process = 0;
  int64_t first_step = 0;
  // A server of the group in the same process has the params' memory as its values.
  bool shares_memory = false;
  const Codec& codec = Identity();  // of gradients
};

// A slice as a checkpoint holds it.
struct SliceState {
  int64_t version = 0;  // steps that it holds
  int64_t count = 0;    // updates
  // Values, then each of the updater's states; none of those where they are all 0.
  std::vector<float> floats;
};

class Client {
 public:
  static constexpr int64_t kSendAt =
      65536;  // floats, where gradients wait for each other no longer

  // `values`: the memory of each param. What arrives is written to it.
  Client(const ClientSetup& setup, std::vector<float*> values, Outbox* out);

  // At the start, one process of the server group's worker groups puts, and all get.
  void PutAll(int64_t version);  // what the params' memory has
  void Put(int slice, const SliceState& state);
  void GetAll(int64_t version);                 // at least that one
  bool ready() const { return getting_ == 0; }  // all that was asked for has come
  // After that, in a process that takes another's place: goes on where the group was lost. Returns
  // its next step, which slices that hold it already will leave out.
  int64_t TakeOver();

  // Whether the values hold all steps before `step` that were pushed.
  bool Fresh(int slice, int64_t step) const;
  // The process's part of the gradient of `step`: the slice's sum for each of the SumTree's nodes
  // that its workers are (Topology::NodesOf), one after the other, encoded by the setup's codec.
  // Sends nothing where the values hold the step already, after a restart. REQUIRES:
  // Fresh(slice, step), and each step in order, at most once.
  void Push(int64_t step, int slice, EncodedFloats gradient);
  // There is no finite gradient: the group's step is to be dropped.
  void PushNone(int64_t step, int slice);
  // Sends what waits to travel with others.
  void Flush() { out_.Flush(); }

  // The model, of the servers that are the masters of its slices, with at least `version` steps.
  void GatherAll(int64_t version);
  bool gathered() const { return gathering_ == 0; }
  bool settled() const;  // all that was pushed is answered
  std::vector<SliceState> TakeGathered() { return std::move(gathered_); }

  // From process `rank`, which is sure. A message that does not fit is dropped and counted.
  void OnMessage(int rank, const Message& message);

  // Of all updates whose successors were pushed since the last call: at the end of a step, those of
  // the steps before. None where the server group has no other worker group.
  StalenessCounts TakeStaleness() { return std::exchange(staleness_, {}); }

  // Whether the update of `step`, the last that was pushed, is in, and the norm of the group's
  // gradient with it; NaN where a server sends none.
  bool has_norm(int64_t step) const { return slices_.empty() || Fresh(0, step + 1); }
  double gradient_norm() const { return norm_; }

  // One line for each server that something is awaited from, with the oldest of it.
  std::vector<std::string> Waiting() const;
  int64_t version(int slice) const { return slices_[slice].version; }
  int64_t refused() const { return refused_; }

 private:
  struct State {
    int64_t version = 0;
    int64_t pushed, answered;  // last steps
    int64_t since = 0;         // of the last request
    int64_t staleness = -1;    // of step `answered`, until it is counted; -1: none
    bool getting = false, gathering = false;
  };
  WireMessage Head(WireMessage::Type type, int server_group, int slice) const;
  bool SharedWithServer(int slice) const;
  Frame Values(int slice) const;
  float* memory(int slice) const {
    return values_[setup_.table[slice].param] + setup_.table[slice].begin;
  }
  void Send(int64_t step, int slice, EncodedFloats gradient);
  bool OnValues(const EncodedPart& part, int server_group);
  bool OnState(const EncodedPart& part, int server_group);
  std::string WaitsFor(int slice) const;

  const ClientSetup setup_;
  const SliceOwners owners_;
  const int server_group_;
  const int64_t nodes_;  // of the SumTree: sums in what is pushed
  std::vector<float*> values_;
  Outgoing out_;
  std::vector<State> slices_;
  int getting_ = 0, gathering_ = 0;  // slices
  std::vector<SliceState> gathered_;
  StalenessCounts staleness_;
  double norm_ = std::numeric_limits<double>::quiet_NaN();  // of the last step that was answered
  int64_t refused_ = 0;
};

}  // namespace singa
