// ToMasterSync is the base of models in which each slice has a master group, to which the others
// send what their updates have changed.
#pragma once

#include <utility>
#include <vector>

#include "cluster/server/group_sync.h"

namespace singa {

// Bases keeps the values of each slice that other groups know, so that only changes since then are
// sent.
class Bases {
 public:
  explicit Bases(const SliceSet& slices) : slices_(slices), bases_(slices.size()) {}

  std::vector<float>& operator[](int slice) { return bases_[slices_.PlaceOf(slice)]; }
  void Set(int slice, const float* values, int64_t n) { (*this)[slice].assign(values, values + n); }
  // Returns the change of `values` since the base, and makes `values` the base.
  EncodedFloats TakeChange(int slice, const float* values) {
    std::vector<float>& base = (*this)[slice];
    std::vector<float> change(base.size());
    for (size_t i = 0; i < base.size(); ++i)
      change[i] = values[i] - std::exchange(base[i], values[i]);
    return Plain(FrameOf(std::move(change)));
  }
  // Sets the values to the master's plus what has changed them since the base. The base becomes the
  // master's.
  void Follow(int slice, const float* master, float* values) {
    std::vector<float>& base = (*this)[slice];
    for (size_t i = 0; i < base.size(); ++i) {
      values[i] = master[i] + (values[i] - base[i]);
      base[i] = master[i];
    }
  }

 private:
  const SliceSet& slices_;
  std::vector<std::vector<float>> bases_;
};

class ToMasterSync : public GroupSync {
 public:
  explicit ToMasterSync(const Setup& setup) : GroupSync(setup), owners_(setup.owners) {}

 protected:
  bool Sends(int slice) const override { return Receiver(slice) != group(); }
  int Receiver(int slice) const override { return owners_.MasterGroup(slice); }
  bool Expects(int slice, int from, int origin, int hops) const override {
    return Receiver(slice) == group() && from == origin && hops == 0;
  }
  bool ExpectsReply(int slice, int from, int64_t floats) const override {
    return from == Receiver(slice) && floats == size(slice);
  }

 private:
  const SliceOwners& owners_;
};

}  // namespace singa
