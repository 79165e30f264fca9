// LinkedUpdates is the SliceUpdates of a worker group whose processes each have the values and the
// updater, and exchange numbers by a RankLink. RankUpdates and PartialUpdates implement it.
#pragma once

#include <atomic>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/client/lacking_processes.h"
#include "cluster/client/model_gather.h"
#include "cluster/protocol/topology.h"
#include "cluster/ranks/bucket_exchange.h"
#include "comm/collective/link_collective.h"
#include "io/checkpoint/stored_tensor.h"
#include "train/apply/not_finite.h"
#include "train/apply/replica.h"
#include "train/apply/slice_updates.h"
#include "train/apply/step_rule.h"
#include "train/reduce/trained_params.h"

namespace singa {

class LinkedUpdates : public SliceUpdates {
 public:
  // All must outlive the updates.
  struct Setup {
    const JobProto& job;
    const Topology& topology;
    RankLink* link;           // between the processes, for the thread that exchanges
    LinkCollective* between;  // for the first worker's thread
    const ProgressDeadline* deadline;
    Replica* replica;
    // A thread exchanges buckets beside the backward pass; else a worker does so at its end.
    bool aside = true;
  };
  explicit LinkedUpdates(const Setup& setup) : setup_(setup), rule_(setup.job) {}

  // Begins with step `first`. REQUIRES: the replica has the first values of `table`. The link is
  // used from the first gradient on.
  virtual void Connect(const SliceTable& table, int64_t first) = 0;
  // Returns the bytes that it needs for the params.
  virtual int64_t Bytes(const TrainedParams& trained) const = 0;
  // Returns whether the values here are the model once AwaitAll has returned.
  virtual bool has_model() const = 0;
  // Returns the model. All processes call it, and none is in a step.
  virtual std::vector<SliceState> ShareModel() = 0;
  // Puts this process's own values back, if rank 0 has put those of ShareModel into the replica.
  virtual void BringOwnBack() {}
  // Returns what a checkpoint needs of this process beside the model, in place. REQUIRES: no step
  // is under way.
  virtual std::vector<StoredTensor> State() = 0;
  // Returns the kind of State (train/reduce/exchange_state.h), the same in all processes.
  virtual std::string_view state_kind() const = 0;
  // Returns whether State has a tensor of this name, which is of state_kind().
  virtual bool HasState(const std::string& name) const = 0;
  // Takes tensors of State, by name. Returns false if some of this process's own are missing, or do
  // not fit; what they hold then begins anew.
  virtual bool Restore(const std::map<std::string, std::vector<float>>& state) = 0;

  // Blocks until the values here include all steps before `step`. Throws as Check does.
  void AwaitAll(int64_t step) { exchange_->AwaitFresh(step); }
  // Does the same for all steps that have begun here. REQUIRES: no step is under way.
  void Settle();
  // Makes all waits, now or later, throw `error`.
  void Fail(const std::exception_ptr& error);
  // Ends the thread that exchanges, which uses the params' memory, and must not wait for another
  // process. Destructors call it in the class whose members the thread uses.
  void StopExchange() {
    if (exchange_) exchange_->Stop();
  }
  // Return the milliseconds, of all workers together, that they waited for other processes, and
  // that they encoded gradients, since the last call.
  double TakeWaitMs() { return 1e-6 * static_cast<double>(waited_.exchange(0)); }
  double TakeCodingMs() { return 1e-6 * static_cast<double>(coded_.exchange(0)); }
  // Returns the milliseconds that the thread which exchanges gradients computed a shorter form of
  // them, since the last call.
  virtual double TakeWorkMs() { return 0; }

  // Connect does the work, when the link is open.
  void Attach(const SliceTable&, const std::vector<Param*>&) override {}
  bool needs_all() const override { return rule_.needs_all(); }
  void LossNotFinite(const std::string& layer, int64_t step, int worker) override;
  void Check() override { exchange_->Check(); }
  bool skipped(int64_t step) const override { return skipped_ == step; }
  double GradientNorm(int64_t) override { return norm_; }
  int64_t skips() const override { return skips_; }
  void set_skips(int64_t steps) override { skips_ = steps; }
  void Await(int param, int64_t step) override;

 protected:
  // Makes exchange_, and starts its thread if there is one.
  void StartExchange(BucketExchange::Setup setup);
  // At the end of a step, exchanges its buckets in this thread if no other does so.
  void ExchangeHere(int64_t step);
  static constexpr int kGroup = 0;  // the job's only worker group

  int rank() const { return setup_.link->rank(); }
  // Returns the share of the group's workers that this process has.
  float share() const;
  // Returns the beginning of names in a checkpoint, which tells the workers of this process.
  std::string PrefixOf(std::string_view kind) const;
  // Notes that the workers here have begun `step`.
  void NoteStep(int64_t step) { last_step_ = step; }
  // With kSkip: asks all processes whether they have no finite loss, or no finite gradient;
  // `lacks`: this one.
  LackingProcesses WhoLacks(bool lacks) { return AskWhoLacks(setup_.between, lacks); }
  // `lacking`: none if only the sum over the processes is not finite.
  void Skip(int64_t step, const LackingProcesses& lacking = {});
  // Returns whether the sums of this process are finite. If not, and steps are not skipped, the job
  // ends.
  bool CheckFinite(Context& ctx, int slice, int64_t step, std::span<float* const> sums);

  const Setup setup_;
  const StepRule rule_;
  SliceTable table_;
  double norm_ = 0;                            // of the last step; the first worker's thread has it
  std::atomic<int64_t> waited_{0}, coded_{0};  // nanoseconds
  std::unique_ptr<BucketExchange> exchange_;   // null before Connect

 private:
  SkipReason skip_reason_;
  std::atomic<int64_t> last_step_{-1}, skipped_{-1}, skips_{0};
};

}  // namespace singa
