// GroupSync sends the changes of one server's slices to the other server groups of a job, and takes
// theirs. Servers of the same id have the same slices and talk to each other. A slice has at most
// one exchange in flight that this server began.
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cluster/protocol/addresses.h"
#include "cluster/protocol/outgoing.h"
#include "cluster/protocol/slice_owners.h"
#include "cluster/server/param_shard.h"
#include "comm/codec/identity.h"
#include "singa/proto/cluster.pb.h"

namespace singa {

class GroupSync {
 public:
  struct Setup {
    const ClusterProto& conf;
    const Topology& topology;
    const SliceOwners& owners;
    RoleId self;
    ParamShard* shard;
    Outgoing* out;
    int64_t steps;  // of each worker group in the whole job
  };
  // Floats that a checkpoint has besides the model.
  struct Kept {
    std::string name;
    std::span<float> floats;
  };
  virtual ~GroupSync() = default;

  // Returns the codec of the floats that server groups send each other.
  virtual const Codec& codec() const { return Identity(); }
  // Notes that the first values of `slice` are there.
  virtual void Start(int slice) = 0;
  // Notes that an update has changed `slice`. An exchange begins after every sync_freq updates.
  void Updated(int slice);
  // Begins an exchange of the present values, once the one in flight has ended. Does nothing if
  // exchanges do not make replicas equal.
  void Exchange(int slice);
  bool exchanging() const { return in_flight_ > 0; }
  // Returns whether workers wait for the exchange of the slice that is in flight.
  virtual bool Holds(int /*slice*/) const { return false; }

  // Take an exchange that group `origin` began, or a reply. Both come from group `from`; the floats
  // are finite. Return false if they refuse it and change nothing.
  bool OnSync(const PartView& part, int from, int origin, int hops);
  bool OnReply(const PartView& part, int from);

  // Returns the model's values of `slice`, which a checkpoint holds. REQUIRES: the slice's master
  // is here.
  virtual std::span<const float> Model(int slice) { return shard_->values(slice); }
  // Returns the state of `slice` in place. REQUIRES: no exchange is in flight.
  virtual std::vector<Kept> StateOf(int /*slice*/) { return {}; }
  // Takes what StateOf returned, by name, for Start to go on with. A model without such state drops
  // it.
  void Restore(std::map<std::string, std::vector<float>> state) {
    if (InRounds()) restored_ = std::move(state);
  }

 protected:
  explicit GroupSync(const Setup& setup);

  // Returns whether exchanges of `slice` go to another group. If not, ExchangeUnsent is called
  // instead of the hooks for sending.
  virtual bool Sends(int slice) const = 0;
  // Does an exchange of a slice that is not sent. In rounds it ends when End is called.
  virtual void ExchangeUnsent(int /*slice*/) {}
  // Returns whether all groups take part in each exchange of a slice, its master's, too.
  virtual bool InRounds() const { return false; }
  // Notes an update of `slice`, before an exchange may begin.
  virtual void OnUpdate(int /*slice*/) {}
  // Returns whether an exchange begins, `updates` after the last one began.
  virtual bool IsDue(int /*slice*/, int64_t updates) const { return updates >= freq_; }
  virtual int Receiver(int slice) const = 0;
  // Returns the floats to send now.
  virtual EncodedFloats FloatsToSend(int slice) = 0;
  // Returns whether an exchange of `origin` may come from group `from` after `hops`.
  virtual bool Expects(int slice, int from, int origin, int hops) const = 0;
  // Returns whether further exchanges make replicas equal.
  virtual bool Equalises() const { return true; }
  // Receives the floats that another group has sent.
  virtual void Receive(const PartView& part, const float* floats, int origin, int hops) = 0;
  virtual bool ExpectsReply(int slice, int from, int64_t floats) const = 0;
  virtual void ReceiveReply(int /*slice*/, const float* /*floats*/) {}

  void SendSync(int slice, int to_group, int origin, int hops, int64_t number,
                EncodedFloats floats);
  void SendReply(int slice, int to_group, int64_t number, EncodedFloats floats);
  // Begins an exchange of `slice`, unless one is in flight, and ends it.
  void Begin(int slice);
  void End(int slice);
  // Sets the state of `slice` to what was restored, once. Returns false if that has not all of it.
  bool RestoreSlice(int slice);
  // Return whether slices wait for what was restored, and whether that has floats of this name.
  bool restores() const { return !restored_.empty(); }
  bool restores(const std::string& name) const { return restored_.contains(name); }

  int group() const { return self_.group; }
  int groups() const { return groups_; }
  int place(int slice) const { return shard_->slices().PlaceOf(slice); }
  ParamShard& shard() const { return *shard_; }
  bool in_flight(int slice) const { return states_[place(slice)].in_flight; }
  // Returns the updates since the last exchange began here.
  int64_t updates(int slice) const { return states_[place(slice)].updates; }
  void set_updates(int slice, int64_t updates) { states_[place(slice)].updates = updates; }
  // Returns the number of the last exchange that began here.
  int64_t number(int slice) const { return states_[place(slice)].number; }
  float* values(int slice) { return shard_->values(slice).data(); }
  int64_t size(int slice) const { return shard_->size(slice); }

 private:
  struct State {
    int64_t updates = 0;  // since the last exchange began
    int64_t number = 0;   // of the last exchange that began here
    bool in_flight = false, again = false;
    std::vector<int64_t> seen;  // by group: number of its last exchange
  };

  void SendSlice(WireMessage head, int to_group, int slice, int64_t number, EncodedFloats floats);

  const int64_t freq_;
  const RoleId self_;
  const int groups_;
  ParamShard* const shard_;
  Outgoing* const out_;
  std::vector<State> states_;
  int in_flight_ = 0;
  std::map<std::string, std::vector<float>> restored_;  // until all slices have theirs
  int restored_slices_ = 0;
};

}  // namespace singa
