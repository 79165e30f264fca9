// GroupSync: how the server groups of a job exchange what their updates have changed, at one
// server. Servers of the same id have the same slices and talk to each other. A slice has at most
// one exchange in flight that this server began.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cluster/protocol/addresses.h"
#include "cluster/protocol/outgoing.h"
#include "cluster/protocol/slice_owners.h"
#include "cluster/server/param_shard.h"
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
  };
  // That of conf.group_sync; null where there is one server group. All but `conf` must outlive it.
  static std::unique_ptr<GroupSync> Make(const Setup& setup);
  virtual ~GroupSync() = default;

  // First values of `slice` are there.
  virtual void Start(int slice) = 0;
  // An update has changed `slice`: an exchange begins after every sync_freq of them.
  void Updated(int slice);
  // Begins an exchange of what there is now, when the one in flight has ended, where that brings
  // the model and the replicas together.
  void Exchange(int slice);
  bool exchanging() const { return in_flight_ > 0; }

  // An exchange that group `origin` began, and that comes from group `from`, as does a reply. The
  // floats are finite. False: refused, and nothing changed.
  bool OnSync(const PartView& part, int from, int origin, int hops);
  bool OnReply(const PartView& part, int from);

  // What the model is, where `slice` has its master here: what a checkpoint holds.
  virtual std::span<const float> Model(int slice) { return shard_->values(slice); }

 protected:
  explicit GroupSync(const Setup& setup);

  // Whether values of this group and the master's differ here; where not, the hooks below are not
  // called for exchanges of its own.
  virtual bool Sends(int slice) const = 0;
  // An exchange with oneself, where a slice is not sent.
  virtual void AtHome(int /*slice*/) {}
  virtual int Receiver(int slice) const = 0;
  // What to send now.
  virtual std::vector<float> Outward(int slice) = 0;
  // Whether an exchange of `origin` may come from group `from` after `hops`, with n floats.
  virtual bool Expects(int slice, int from, int origin, int hops) const = 0;
  // Whether exchanges beyond those of sync_freq make replicas equal.
  virtual bool Equalises() const { return true; }
  // Takes what another group has sent.
  virtual void Take(const PartView& part, const float* floats, int origin, int hops) = 0;
  virtual bool ExpectsReply(int slice, int from, int64_t floats) const = 0;
  virtual void TakeReply(int /*slice*/, const float* /*floats*/) {}

  void SendSync(int slice, int to_group, int origin, int hops, int64_t number, Frame floats);
  void SendReply(int slice, int to_group, int64_t number, Frame floats);

  int group() const { return self_.group; }
  int groups() const { return groups_; }
  int place(int slice) const { return slice - shard_->slices().first; }
  float* values(int slice) { return shard_->values(slice).data(); }
  int64_t size(int slice) const { return shard_->size(slice); }

 private:
  struct State {
    int64_t updates = 0;  // since the last exchange began
    int64_t number = 0;   // of the last exchange that began here
    bool in_flight = false, again = false;
    std::vector<int64_t> seen;  // number of the last one of each group
  };
  void Begin(int slice);

  const int64_t freq_;
  const RoleId self_;
  const int groups_;
  ParamShard* const shard_;
  Outgoing* const out_;
  std::vector<State> states_;
  int in_flight_ = 0;
};

}  // namespace singa
