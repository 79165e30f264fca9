// SparseSums adds up a group's gradients, of which each member sends the largest floats (kTopK,
// kThreshold). The members first tell each other whether all numbers of the step are finite: if
// not, the state stays as it is. A message has room for as many floats as the job allows, so nobody
// on the host looks at it, and a step can be captured. Slices for which that is no fewer bytes than
// an all-reduce of all floats are added up as a whole, with zeros for what is not sent.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/codec/sparse_slices.h"
#include "comm/collective/slice_table.h"
#include "singa/proto/cluster.pb.h"
#include "train/device/group_findings.h"

namespace singa {

class SparseSums {
 public:
  struct Setup {
    GroupMember member;
    float momentum;   // that the members add; 0: none
    float clip_norm;  // bound of each member's gradient; 0: none
  };
  // Makes the sums of `step`, and of steps that they fit. floats, rest, u and n of each slice are
  // set. Throws DeviceError.
  SparseSums(const Setup& setup, const AllReduceProto& conf, std::vector<SparseSlice> slices,
             int64_t losses, int64_t step);

  // Returns whether messages of `step` have the same size.
  bool Fits(int64_t step) const;

  // Replaces the gradients by their sums, and the findings of InspectLosses, bad_losses[losses], by
  // theirs. Later work of the context comes after the sums.
  void AddUp(float* bad_losses);
  // Returns where the norm of the member's own gradient is, with clip_norm.
  const OwnGradient* own() const { return findings_.own(); }

  // As GroupFindings has it.
  bool OwnIsBad(int64_t slice) const { return findings_.OwnIsBad(slice); }

  // Numbers that a member sends in a step: pairs to all others, and floats that all add up.
  struct Sizes {
    int64_t pairs = 0, floats = 0;
  };
  // `share`: of a slice that is sent, or for which there is room.
  static Sizes SizesOf(const AllReduceProto& conf, float share, const SliceTable& table,
                       int members);
  // Returns the most bytes that a member needs for what it and all others send.
  static int64_t Bytes(const AllReduceProto& conf, const SliceTable& table, int members);

 private:
  void Exchange();

  const Setup setup_;
  const AllReduceProto conf_;
  const float share_;     // of a slice that is sent, or for which there is room
  const uint32_t least_;  // bits of the least magnitude
  const bool masks_;
  int64_t count_, pairs_ = 0, floats_ = 0;  // slices, pairs of a member's codes, and whole slices
  GroupFindings findings_;
  // codes_: [members, pairs_], after this member's own; whole_: [floats_].
  Tensor slices_, codes_, whole_;
};

}  // namespace singa
