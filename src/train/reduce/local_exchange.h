// LocalExchange: the ParamExchange of one worker of a LocalGroup. A gradient is handed on as soon
// as the whole group has it, a large one while it is computed.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "singa/nn/net.h"
#include "singa/train/param_exchange.h"
#include "train/reduce/local_group.h"

namespace singa {

class LocalExchange final : public ParamExchange, public GradientSink, public GroupSum {
 public:
  // Both must outlive it.
  LocalExchange(LocalGroup* group, int worker, Context* ctx)
      : group_(group), worker_(worker), ctx_(ctx) {}

  // Whether a gradient that `node` can give in pieces should come so, where its updates need no
  // whole one. Whichever processes the group's workers are in: pieces and wholes may be rounded
  // differently.
  bool WantsPieces(const NetNode& node, const Param& param) const;
  // Bytes that pieces take.
  int64_t room_bytes() const;
  // Allocates the gradient of each param, or the room for pieces. The order is that of the group's
  // params; in_pieces[i]: whether param i comes so.
  void Bind(const std::vector<Param*>& params, const std::vector<bool>& in_pieces);

  void Await(Param* param, int64_t step) override;
  void GradientReady(Param* param, int64_t step) override;
  bool may_drop_steps() const override { return group_->updates().needs_all(); }
  void LossNotFinite(const std::string& layer, int64_t step) override;
  void Finish(int64_t step) override;
  void Take(Param* param, const GradientRows& rows) override;
  void Sum(std::span<double> values) override { group_->Sum(worker_, values); }

 private:
  int64_t least_bytes() const;

  LocalGroup* const group_;
  const int worker_;
  Context* const ctx_;
  std::map<const Param*, int> places_;  // in the group's params
  std::vector<float> room_;
};

}  // namespace singa
