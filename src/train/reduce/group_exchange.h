// GroupExchange is the ParamExchange of one worker of a group whose gradients are added up on the
// host. A gradient is handed on as soon as the whole group has it, a large one while it is
// computed. The worker's thread uses it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "comm/collective/memory_collective.h"
#include "singa/nn/net.h"
#include "singa/train/param_exchange.h"
#include "train/reduce/gradient_reduction.h"
#include "train/reduce/piece_plan.h"

namespace singa {

class GroupExchange final : public ParamExchange, public GradientSink, public GroupSum {
 public:
  struct Gradients {
    std::vector<Param*> params;   // in the order of the reduction's table; empty: a device has them
    std::vector<bool> in_pieces;  // which of them are handed on in pieces
    int64_t room_floats = 0;      // memory for pieces (PiecePlan::room_floats)
    // Returns whether the worker alone computes some of these pieces.
    bool has_own_pieces() const;
  };
  // Makes the exchange of worker `worker`, counted among workers that share memory. Allocates
  // gradients that have no memory yet. `reduction` and `ctx` must outlive it.
  GroupExchange(GradientReduction* reduction, int worker, Context* ctx, const Gradients& gradients);
  ~GroupExchange() override;

  void Await(Param* param, int64_t step) override;
  void GradientReady(Param* param, int64_t step) override;
  bool may_drop_steps() const override { return reduction_.updates().needs_all(); }
  void LossNotFinite(const std::string& layer, int64_t step) override;
  void Finish(int64_t step) override;
  void Consume(Param* param, const GradientRows& rows) override;
  void Sum(std::span<double> values) override { collective_.AllReduce(values); }

 private:
  // The worker as a group of its own, for the rows of params that it alone has.
  struct Alone;

  GradientPieces PiecesOf(const Param& param) const;

  GradientReduction& reduction_;
  Context* const ctx_;
  const int worker_;  // in the whole group
  MemoryCollective collective_;
  std::map<const Param*, int> places_;  // in the reduction's table
  std::unique_ptr<Alone> alone_;        // null: there are no such pieces
  std::vector<float> room_;
};

}  // namespace singa
