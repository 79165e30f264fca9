// Server holds the slices of one server, and carries out messages. It is event-driven, without
// threads, sleeps or sockets: messages come in, messages go to the outbox. One thread uses it.
//
// The server trusts no message. A message that does not fit the job, or comes at a wrong time, is
// dropped and counted. No call throws because of a message.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/server/group_steps.h"
#include "cluster/server/group_sync.h"
#include "cluster/server/server_setup.h"
#include "comm/message/message.h"

namespace singa {

class Server {
 public:
  // Throws ConfigError relative to the JobProto.
  Server(const ServerSetup& setup, Outbox* out, ServerEvents* events);

  // Takes a message from process `rank`, which is authenticated.
  void OnMessage(int rank, const Message& message);
  // Begins an exchange of every slice with the other server groups, whatever sync_freq is. A first
  // exchange of all groups sends each group's changes; a second one gives all groups all changes.
  void Exchange();
  bool exchanging() const { return sync_ && sync_->exchanging(); }
  // Returns what a checkpoint needs of the exchanges, in place. REQUIRES: !exchanging().
  std::vector<GroupSync::Kept> SyncState();
  // Takes that of a checkpoint, by name. REQUIRES: no first values have come.
  void RestoreSync(std::map<std::string, std::vector<float>> state) {
    if (sync_) sync_->Restore(std::move(state));
  }

  // Returns a text about the longest wait of a worker group; "" if nothing is incomplete.
  std::string Waiting() const { return steps_.Waiting(); }
  const SliceSet& slices() const { return shard_.slices(); }
  ParamShard& shard() { return shard_; }
  const StepCounts& counts() const { return steps_.counts(); }
  const RefusedCounts& refused() const { return refused_; }
  // Returns the bytes of messages that it keeps for later. Tests check that they are bounded.
  int64_t held_bytes() const;

 private:
  // A part that waits for first values, or for a version.
  struct Request {
    WireMessage head;  // without parts
    SlicePart part;
    Frame floats;
  };
  void Read(int rank, const Message& message);
  // Returns the parts of a message. Returns none, and counts it, if they are malformed.
  std::vector<EncodedPart> PartsOf(const Message& message, const Codec& codec);
  void OnClient(const Message& message);
  void OnServer(const Message& message);
  void OnSquares(const WireMessage& head);

  void OnPut(const WireMessage& head, const EncodedPart& part);
  void OnUpdate(const WireMessage& head, const EncodedPart& part);
  void OnRequest(const WireMessage& head, const EncodedPart& part, const Codec& codec);
  // Decodes a part. Returns none, and counts it, if it is malformed.
  std::optional<PartView> FloatsIn(const Codec& codec, const EncodedPart& part);
  // Returns whether the request was answered or refused; else it has to wait.
  bool Serve(const WireMessage& head, const PartView& part);
  void ServeWaiting(int slice);
  bool SyncIsFinite(const WireMessage& head, const PartView& part);
  void SendState(const WireMessage& head, int slice);
  std::vector<Request>& waiting(int slice) { return waiting_[slices().PlaceOf(slice)]; }

  const ServerSetup setup_;
  const Address self_;
  const UpdateRule rule_;
  const SliceOwners owners_;
  ParamShard shard_;
  Outgoing out_;
  ServerEvents* const events_;
  GroupSteps steps_;
  std::unique_ptr<GroupSync> sync_;  // null: one server group
  std::vector<std::vector<Request>> waiting_;
  RefusedCounts refused_;
  Context ctx_;
};

}  // namespace singa
