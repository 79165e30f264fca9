// GroupExchange is the ParamExchange of one worker of a group whose gradients are added up on the
// host. A gradient is handed on as soon as the whole group has it, a large one while it is
// computed. The worker's thread uses it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "comm/collective/memory_collective.h"
#include "singa/nn/net.h"
#include "singa/train/param_exchange.h"
#include "train/reduce/gradient_reduction.h"

namespace singa {

class GroupExchange final : public ParamExchange, public GradientSink, public GroupSum {
 public:
  struct Gradients {
    std::vector<Param*> params;   // in the order of the reduction's table; empty: a device has them
    std::vector<bool> in_pieces;  // which of them are handed on in pieces
    int64_t room_floats = 0;      // memory for pieces (PiecePlan::room_floats)
  };
  // Makes the exchange of worker `worker`, counted among workers that share memory. Allocates
  // gradients that have no memory yet. `reduction` and `ctx` must outlive it.
  GroupExchange(GradientReduction* reduction, int worker, Context* ctx, const Gradients& gradients);

  void Await(Param* param, int64_t step) override;
  void GradientReady(Param* param, int64_t step) override;
  bool may_drop_steps() const override { return reduction_.updates().needs_all(); }
  void LossNotFinite(const std::string& layer, int64_t step) override;
  void Finish(int64_t step) override;
  void Consume(Param* param, const GradientRows& rows) override;
  void Sum(std::span<double> values) override { collective_.AllReduce(values); }

 private:
  GradientReduction& reduction_;
  Context* const ctx_;
  MemoryCollective collective_;
  std::map<const Param*, int> places_;  // in the reduction's table
  std::vector<float> room_;
};

}  // namespace singa
