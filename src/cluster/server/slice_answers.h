// SliceAnswers makes a server's answers to clients: values of a slice, or the sum that was applied
// to them.
#pragma once

#include "cluster/protocol/outgoing.h"
#include "cluster/server/param_shard.h"
#include "cluster/server/server_setup.h"

namespace singa {

class SliceAnswers {
 public:
  // All must outlive it.
  SliceAnswers(const ServerSetup& setup, ParamShard* shard, Outgoing* out)
      : setup_(setup), shard_(*shard), out_(*out) {}

  // Encodes a sum of the slice's gradient into `*to`, by the codec of gradients. Returns it as
  // clients decode it, until the next call.
  const float* Encode(int slice, const float* sum, EncodedFloats* to);

  // Sends the values to the client of `worker_group` in `process`. `part` has the slice's numbers.
  // `values`: a copy, which the first call that needs it makes.
  void SendValues(SlicePart part, int worker_group, int process, Frame* values);
  // Sends the sum that was applied; no floats: the step was dropped.
  void SendApplied(SlicePart part, int worker_group, int process, const EncodedFloats& sum);

 private:
  bool SharesMemory(int process) const;

  const ServerSetup setup_;
  ParamShard& shard_;
  Outgoing& out_;
  Frame decoded_;
};

}  // namespace singa
