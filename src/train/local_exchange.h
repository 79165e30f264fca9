// LocalExchange: the ParamExchange of one process with one worker. It applies the updater as soon
// as a gradient, or a piece of a large one, is there; with a norm to clip, or steps to skip, when
// all of them are.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "singa/nn/net.h"
#include "singa/proto/job.pb.h"
#include "singa/train/learning_rate.h"
#include "singa/train/param_exchange.h"
#include "singa/train/updater.h"

namespace singa {

// What an updater remembers of one param.
struct UpdaterState {
  int64_t count = 0;  // updates so far
  std::vector<std::string> names;
  std::vector<Tensor> tensors;  // float32, the param's size
};

class LocalExchange final : public ParamExchange, public GradientSink {
 public:
  // Throws ConfigError relative to the JobProto.
  LocalExchange(const JobProto& job, Context* ctx);

  // Floats that the updater keeps for each element of a param.
  size_t state_count() const { return updater_->states().size(); }
  // Whether a gradient that `node` can give in pieces should come so.
  bool WantsPieces(const NetNode& node, const Param& param) const;
  // Allocates the states of `param`, and its gradient or the room for a piece.
  void AddParam(Param* param, bool in_pieces);
  int64_t room_bytes() const;

  void Await(Param*, int64_t) override {}
  void GradientReady(Param* param, int64_t step) override;
  void LossNotFinite(const std::string& layer, int64_t step) override;
  void Finish(int64_t step) override;

  void Take(Param* param, const GradientRows& rows) override;

  std::map<const Param*, UpdaterState>& states() { return states_; }
  int64_t skipped() const { return skipped_; }  // steps dropped by on_nonfinite: kSkip
  void set_skipped(int64_t steps) { skipped_ = steps; }

 private:
  void Apply(Param* param, int64_t step, bool check);
  void Update(Context* ctx, Param* param, int64_t step, int64_t begin, const float* grad,
              int64_t size);
  void NotFinite(const Param& param, int64_t step);
  void Diverged(const std::string& text);
  void ClipByNorm();

  Context* ctx_;
  std::unique_ptr<Updater> updater_;
  std::unique_ptr<LearningRate> learning_rate_;
  float weight_decay_, clip_norm_;
  bool skip_;   // on_nonfinite: kSkip
  bool defer_;  // updates wait for Finish
  bool drop_ = false;
  int64_t skipped_ = 0;
  std::vector<float> room_;
  std::vector<Param*> ready_;
  std::map<const Param*, UpdaterState> states_;
};

}  // namespace singa
