// ServedUpdates sends a worker group's gradients to servers, and brings their values back. It is
// the thread-safe front of a Client.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/thread/mutex.h"
#include "base/thread/progress_deadline.h"
#include "cluster/client/client.h"
#include "cluster/client/gradient_encoder.h"
#include "cluster/client/held_gradients.h"
#include "cluster/client/lacking_processes.h"
#include "cluster/protocol/gradient_codec.h"
#include "comm/collective/link_collective.h"
#include "train/apply/not_finite.h"
#include "train/apply/slice_updates.h"
#include "train/apply/step_rule.h"

namespace singa {

class ServedUpdates final : public SliceUpdates {
 public:
  // `between`: over the processes of the group; `deadline`: of threads that wait for servers. Both
  // must outlive this.
  ServedUpdates(const JobProto& job, LinkCollective* between, const ProgressDeadline* deadline)
      : skip_(StepRule(job).skips),
        clip_norm_(ClipsLocally(job) ? job.updater().clip_norm() : 0),
        between_(between),
        deadline_(*deadline) {}

  // Makes the client. REQUIRES: the group has begun no step.
  void Connect(const ClientSetup& setup, std::vector<float*> values, Outbox* out);
  // Gets the values of a group that another process had before. Returns the group's next step.
  // Throws as Await does.
  int64_t TakeOver();

  // Connect does the work, when the servers are there.
  void Attach(const SliceTable&, const std::vector<Param*>&) override {}
  bool needs_all() const override { return skip_ || clip_norm_ > 0; }
  void Submit(Context& ctx, int slice, int64_t step, std::span<float* const> sums) override;
  void LossNotFinite(const std::string& layer, int64_t step, int worker) override;
  void Finish(Context& ctx, int64_t step, int worker, int workers,
              std::span<float* const> sums) override;
  void Check() override;
  bool skipped(int64_t step) const override { return dropped_ == step; }
  double GradientNorm(int64_t step) override;
  void Await(int param, int64_t step) override;
  // Returns the encoder of its gradients; null before Connect. REQUIRES: no step is under way.
  GradientEncoder* encoder() { return encoder_.get(); }
  // Returns the milliseconds, of all workers together, that they waited since the last call: for
  // values, or for the group's processes to agree on a dropped step.
  double TakeWaitMs() { return 1e-6 * static_cast<double>(waited_.exchange(0)); }
  // Returns the milliseconds, of all workers together, that they encoded since the last call.
  double TakeCodingMs() { return 1e-6 * static_cast<double>(coded_.exchange(0)); }
  StalenessCounts TakeStaleness();  // as Client::TakeStaleness
  int64_t skips() const override { return skips_; }
  void set_skips(int64_t steps) override { skips_ = steps; }

  // Any thread may call the methods below. Takes a message from process `rank`, which is
  // authenticated.
  void Deliver(int rank, const Message& message);
  // Drops all later messages, so that the params' memory may be freed.
  void Close();
  // Makes Await and Check throw `error`: the job has failed.
  void Fail(std::exception_ptr error);
  // Runs `work` on the client, then blocks until `done` holds. Throws as Await does.
  void Do(const std::function<void(Client&)>& work, const std::function<bool(Client&)>& done);

 private:
  void AwaitLocked(MutexLock* lock, const std::function<bool()>& done) REQUIRES(mutex_);
  void NoteAnswers() REQUIRES(mutex_);
  void Diverge(const std::string& text);
  void Push(int64_t step, int slice, std::span<float* const> sums);
  LackingProcesses WhoLacks(Context& ctx, int64_t step);
  void PushHeld(int64_t step, int worker, int workers);
  void PushRest(int64_t step);

  const bool skip_;        // on_nonfinite is kSkip
  const float clip_norm_;  // of the group's gradients, if each process clips its own; else 0
  LinkCollective* const between_;
  const ProgressDeadline& deadline_;
  SkipReason skip_reason_;
  std::atomic<int64_t> dropped_{-1}, skips_{0};
  std::atomic<int64_t> waited_{0}, coded_{0};  // nanoseconds
  std::atomic<int> pushed_{0};                 // workers that have pushed what is held of the step
  const Topology* topology_ = nullptr;
  int group_ = 0, process_ = 0;
  const SliceTable* table_ = nullptr;
  const std::vector<ServedParam>* params_ = nullptr;
  std::unique_ptr<GradientEncoder> encoder_;
  std::unique_ptr<HeldGradients> held_;  // null: gradients are sent at once
  double norm_ = 0;  // of the last step, if this clips; the first worker's thread has it
  Mutex mutex_;
  std::condition_variable changed_;
  std::unique_ptr<Client> client_ GUARDED_BY(mutex_);
  std::vector<int64_t> sent_ GUARDED_BY(mutex_);  // by slice: the last step whose gradient was sent
  std::vector<int64_t> noted_ GUARDED_BY(mutex_);  // by slice: the last step told to events()
  bool closed_ GUARDED_BY(mutex_) = false;
  std::exception_ptr failure_ GUARDED_BY(mutex_);
};

}  // namespace singa
