// ServedUpdates: sends a worker group's gradients to servers, and brings their values back: the
// threads' side of a Client.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cluster/client.h"
#include "train/slice_updates.h"

namespace singa {

class ServedUpdates final : public SliceUpdates {
 public:
  explicit ServedUpdates(bool skip) : skip_(skip) {}

  // Before the first step.
  void Connect(const ClientSetup& setup, std::vector<float*> values, Outbox* out);

  // Its client is there when the servers are.
  void Bind(const SliceTable&, const std::vector<Param*>&) override {}
  bool needs_all() const override { return skip_; }
  void Take(Context& ctx, int slice, int64_t step, float* sum) override;
  void LossNotFinite(const std::string& layer, int64_t step) override;
  void Finish(Context& ctx, int64_t step, int worker, int workers) override;
  void Check() override;
  bool skipped(int64_t step) const override { return dropped_ == step; }
  void Await(int param, int64_t step) override;
  int64_t skips() const override { return skips_; }
  void set_skips(int64_t steps) override { skips_ = steps; }

  // What follows any thread may call.
  // From process `rank`, which is sure.
  void Deliver(int rank, const Message& message);
  // The job has failed: Await and Check throw DivergedError.
  void Fail(const std::string& text);
  // Has the client do `work`, then waits until `done` holds. Throws as Await.
  void Do(const std::function<void(Client&)>& work, const std::function<bool(Client&)>& done);

 private:
  void AwaitLocked(std::unique_lock<std::mutex>* lock, const std::function<bool()>& done);

  const bool skip_;  // on_nonfinite: kSkip
  std::atomic<int64_t> dropped_{-1}, skips_{0};
  const SliceTable* table_ = nullptr;
  const std::vector<ServedParam>* params_ = nullptr;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::unique_ptr<Client> client_;
  std::vector<int64_t> sent_;  // of each slice: the last step that a gradient was sent of
  std::string failure_;
};

}  // namespace singa
