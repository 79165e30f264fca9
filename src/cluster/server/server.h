// Server: holds one server's slices, and does with them what messages say. Event-driven, without
// threads, sleeps or sockets: messages come in, messages go to the outbox. Used by one thread.
//
// Nothing of a message is trusted: one that does not fit the job, or its place in the course of
// things, is dropped and counted. No call throws for it.
#pragma once

#include <memory>
#include <optional>
#include <string>
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

  // From process `rank`, which is sure.
  void OnMessage(int rank, const Message& message);
  // Begins an exchange of every slice with the other server groups, whatever sync_freq is: once for
  // all to have the changes of each, and again, when all have done that, to have them all.
  void Exchange();
  bool exchanging() const { return sync_ && sync_->exchanging(); }

  // What the longest wait of a worker group is for; "" where nothing is incomplete.
  std::string Waiting() const { return steps_.Waiting(); }
  Range slices() const { return shard_.slices(); }
  ParamShard& shard() { return shard_; }
  const StepCounts& counts() const { return steps_.counts(); }
  const RefusedCounts& refused() const { return refused_; }
  // Of messages that it keeps for later.
  int64_t held_bytes() const;

 private:
  // A part that waits for first values, or for a version.
  struct Request {
    WireMessage head;  // without parts
    SlicePart part;
    Frame floats;
  };
  void Read(int rank, const Message& message);
  // None, and counted, where they are malformed.
  std::vector<EncodedPart> PartsOf(const Message& message);
  void OnClient(const Message& message);
  void OnServer(const Message& message);
  void OnSquares(const WireMessage& head);

  void OnPut(const WireMessage& head, const EncodedPart& part);
  void OnUpdate(const WireMessage& head, const EncodedPart& part);
  void OnRequest(const WireMessage& head, const EncodedPart& part);
  // None, and counted, where they are malformed.
  std::optional<PartView> FloatsIn(const Codec& codec, const EncodedPart& part);
  // Whether it was answered, or refused; else it has to wait.
  bool Serve(const WireMessage& head, const PartView& part);
  void ServeWaiting(int slice);
  bool SyncIsFinite(const WireMessage& head, const PartView& part);
  void SendState(const WireMessage& head, int slice);
  std::vector<Request>& waiting(int slice) { return waiting_[slice - shard_.slices().first]; }

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
