#include "cluster/server/group_sync_models.h"

#include "cluster/protocol/gradient_codec.h"
#include "cluster/server/outer_sync.h"
#include "cluster/server/to_master_sync.h"

// An update that happens while an exchange is in flight is part of the next one, so none is lost
// and none counts twice.
namespace singa {
namespace {

// Sends the change since the base, the master's last answer M. After an answer the values are M
// plus the changes since the sending.
class MasterSync final : public ToMasterSync {
 public:
  explicit MasterSync(const Setup& setup) : ToMasterSync(setup), bases_(setup.shard->slices()) {}

  void Start(int slice) override {
    if (Sends(slice)) bases_.Set(slice, values(slice), size(slice));
  }

 protected:
  // Until the answer comes, the base is the values at the time of sending.
  EncodedFloats FloatsToSend(int slice) override { return bases_.TakeChange(slice, values(slice)); }
  void Receive(const PartView& part, const float* change, int origin, int) override {
    float* const w = values(part.slice);
    const int64_t n = size(part.slice);
    for (int64_t i = 0; i < n; ++i) w[i] += change[i];
    SendReply(part.slice, origin, part.head->version(),
              Plain(CopyFloats({w, static_cast<size_t>(n)})));
  }
  void ReceiveReply(int slice, const float* master) override {
    bases_.Follow(slice, master, values(slice));
  }

 private:
  Bases bases_;  // of slices that have their masters elsewhere
};

// Each group's own change passes through all others in a ring. The base is the values without own
// changes that are not sent yet. Replicas drift apart by the rounding of these sums.
class RingSync final : public GroupSync {
 public:
  explicit RingSync(const Setup& setup) : GroupSync(setup), bases_(setup.shard->slices()) {}

  void Start(int slice) override { bases_.Set(slice, values(slice), size(slice)); }

 protected:
  bool Sends(int) const override { return true; }
  int Receiver(int) const override { return (group() + 1) % groups(); }
  EncodedFloats FloatsToSend(int slice) override { return bases_.TakeChange(slice, values(slice)); }
  bool Expects(int, int from, int origin, int hops) const override {
    return from == Before() && hops == (group() - origin - 1 + groups()) % groups();
  }
  void Receive(const PartView& part, const float* change, int origin, int hops) override {
    std::vector<float>& base = bases_[part.slice];
    float* const w = values(part.slice);
    for (size_t i = 0; i < base.size(); ++i) {
      w[i] += change[i];
      base[i] += change[i];
    }
    if (Receiver(part.slice) == origin)
      SendReply(part.slice, origin, part.head->version(), {});
    else
      SendSync(part.slice, Receiver(part.slice), origin, hops + 1, part.head->version(),
               Plain(part.floats));
  }
  bool ExpectsReply(int, int from, int64_t floats) const override {
    return from == Before() && floats == 0;
  }

 private:
  int Before() const { return (group() + groups() - 1) % groups(); }

  Bases bases_;
};

// Elastic averaging: Zhang, Choromanska, LeCun, "Deep learning with Elastic Averaging SGD" (NIPS
// 2015), asynchronous form: e = alpha (x - c) goes from the values x of a group to the centre c.
class ElasticSync final : public ToMasterSync {
 public:
  explicit ElasticSync(const Setup& setup)
      : ToMasterSync(setup),
        alpha_(setup.conf.elastic_alpha()),
        centre_(setup.shard->slices().size()) {}

  void Start(int slice) override {
    if (!Sends(slice)) centre_[place(slice)].assign(values(slice), values(slice) + size(slice));
  }
  std::span<const float> Model(int slice) override {
    return Sends(slice) ? GroupSync::Model(slice) : centre_[place(slice)];
  }

 protected:
  bool Equalises() const override { return false; }
  void ExchangeUnsent(int slice) override {
    ReceiveReply(slice, Pull(slice, values(slice)).data());
  }
  EncodedFloats FloatsToSend(int slice) override {
    return Plain(CopyFloats({values(slice), static_cast<size_t>(size(slice))}));
  }
  void Receive(const PartView& part, const float* x, int origin, int) override {
    SendReply(part.slice, origin, part.head->version(), Plain(FrameOf(Pull(part.slice, x))));
  }
  void ReceiveReply(int slice, const float* e) override {
    float* const w = values(slice);
    for (int64_t i = 0; i < size(slice); ++i) w[i] -= e[i];
  }

 private:
  // Moves the centre to x; returns by how much.
  std::vector<float> Pull(int slice, const float* x) {
    std::vector<float>& centre = centre_[place(slice)];
    std::vector<float> e(centre.size());
    for (size_t i = 0; i < e.size(); ++i) {
      e[i] = alpha_ * (x[i] - centre[i]);
      centre[i] += e[i];
    }
    return e;
  }

  const float alpha_;
  std::vector<std::vector<float>> centre_;  // of the slices that have their masters here
};

}  // namespace

double SyncCopies(const ClusterProto& conf) {
  const double groups = conf.nserver_groups();
  switch (conf.group_sync()) {
    case ClusterProto::kMaster:
      return (groups - 1) / groups;  // bases, not at the master
    case ClusterProto::kRing:
      return 1;  // bases
    case ClusterProto::kElastic:
      return 1 / groups;  // centres
    case ClusterProto::kOuter:
      // Models, the codec's state, and outer steps that come early; at the master momentum and all
      // changes.
      return 1 + static_cast<double>(MakeOuterCodec(conf)->states()) +
             (conf.outer_overlap() > 0 ? 1 : 0) + (1 + groups) / groups;
  }
  return 0;
}

std::unique_ptr<GroupSync> MakeGroupSync(const GroupSync::Setup& setup) {
  if (setup.topology.server_groups() == 1) return nullptr;
  switch (setup.conf.group_sync()) {
    case ClusterProto::kMaster:
      return std::make_unique<MasterSync>(setup);
    case ClusterProto::kRing:
      return std::make_unique<RingSync>(setup);
    case ClusterProto::kElastic:
      return std::make_unique<ElasticSync>(setup);
    case ClusterProto::kOuter:
      return std::make_unique<OuterSync>(setup);
  }
  return nullptr;
}

}  // namespace singa
