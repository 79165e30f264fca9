// ServedUpdates: sends a worker group's gradients to servers, and brings their values back: the
// threads' side of a Client.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/thread/progress_deadline.h"
#include "cluster/client/client.h"
#include "cluster/client/gradient_encoder.h"
#include "comm/collective/link_collective.h"
#include "train/apply/slice_updates.h"

namespace singa {

class ServedUpdates final : public SliceUpdates {
 public:
  // `skip`: on_nonfinite is kSkip; `between`: over the processes of the group; `deadline`: of who
  // waits for servers. Both outlive it.
  ServedUpdates(bool skip, LinkCollective* between, const ProgressDeadline* deadline)
      : skip_(skip), between_(between), deadline_(*deadline) {}

  // Before the first step.
  void Connect(const ClientSetup& setup, std::vector<float*> values, Outbox* out);
  // Where another process had the group before: gets the values. Returns the group's next step.
  // Throws as Await.
  int64_t TakeOver();

  // Its client is there when the servers are.
  void Bind(const SliceTable&, const std::vector<Param*>&) override {}
  bool needs_all() const override { return skip_; }
  void Take(Context& ctx, int slice, int64_t step, std::span<float* const> sums) override;
  void LossNotFinite(const std::string& layer, int64_t step) override;
  void Finish(Context& ctx, int64_t step, int worker, int workers,
              std::span<float* const> sums) override;
  void Check() override;
  bool skipped(int64_t step) const override { return dropped_ == step; }
  double GradientNorm(int64_t step) override;
  void Await(int param, int64_t step) override;
  // Milliseconds, of all workers together, that they waited for values, or for the group's
  // processes to say what is dropped, since the last call.
  double TakeWaitMs() { return 1e-6 * static_cast<double>(waited_.exchange(0)); }
  StalenessCounts TakeStaleness();  // Client's
  int64_t skips() const override { return skips_; }
  void set_skips(int64_t steps) override { skips_ = steps; }

  // What follows any thread may call.
  // From process `rank`, which is sure.
  void Deliver(int rank, const Message& message);
  // From now on nothing is delivered: the values may go.
  void Close();
  // The job has failed: Await and Check throw `error`.
  void Fail(std::exception_ptr error);
  // Has the client do `work`, then waits until `done` holds. Throws as Await.
  void Do(const std::function<void(Client&)>& work, const std::function<bool(Client&)>& done);

 private:
  void AwaitLocked(std::unique_lock<std::mutex>* lock, const std::function<bool()>& done);
  void Diverge(const std::string& text);

  const bool skip_;
  LinkCollective* const between_;
  const ProgressDeadline& deadline_;
  std::atomic<int64_t> dropped_{-1}, skips_{0};
  std::atomic<int64_t> waited_{0};  // nanoseconds
  const SliceTable* table_ = nullptr;
  const std::vector<ServedParam>* params_ = nullptr;
  std::unique_ptr<GradientEncoder> encoder_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::unique_ptr<Client> client_;
  std::vector<int64_t> sent_;  // of each slice: the last step that a gradient was sent of
  bool closed_ = false;
  std::exception_ptr failure_;
};

}  // namespace singa
