// DeviceUpdates: the DeviceParams of a worker that trains alone: values, gradients and what the
// updater remembers stay on the device, which applies its updates itself, all params at once. The
// host hands out steps without waiting for them, one ahead of the device, and looks at what became
// of each when it is done.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "singa/nn/net.h"
#include "singa/proto/job.pb.h"
#include "singa/tensor/stream.h"
#include "train/device/device_metrics.h"
#include "train/device/device_params.h"
#include "train/replica.h"
#include "train/slice_updates.h"

namespace singa {

class DeviceUpdates final : public DeviceParams {
 public:
  // All outlive it. `replica`: has the values and states on the host, of `trained` params;
  // `skips`: counts steps without effect.
  DeviceUpdates(const JobProto& job, Replica* replica, std::vector<Param*> trained,
                SliceUpdates* skips, Context* ctx);

  void Place(Param* param) override;
  // After all Place; the net is bound. `judges_losses`: one that is not finite drops its step.
  void Bind(const Net& net, bool judges_losses, MetricSums* metrics);

  void Renew() override { stale_ = true; }
  void BringValues() override;
  void GiveValues() override;
  // Until all steps are done: their metrics are in the MetricSums. Throws DivergedError for one
  // that was not finite.
  void Settle();

  // Around the exchange's calls of one step. What is between may be captured.
  void BeginStep(int64_t step);
  void EndStep(int64_t step);

  void Await(Param*, int64_t) override {}
  void GradientReady(Param*, int64_t) override {}
  bool sees_losses() const override { return judges_losses_; }
  void LossNotFinite(const std::string& layer, int64_t step) override;
  void Finish(int64_t step) override;

 private:
  // What a step's report is copied to, and when it is there.
  struct OnItsWay {
    int64_t step;
    std::shared_ptr<void> report;  // pinned
    std::unique_ptr<Event> here;
  };
  static constexpr size_t kAhead = 1;  // steps that the host leaves under way

  void MakePieces();
  void Bring();
  void SendNumbers(int64_t step);
  void LookAt(size_t most);  // until at most so many reports are on their way
  void Look(const OnItsWay& report);
  std::string TextOf(const StepReport& report) const;
  void AddToCounts(int64_t updates);

  Replica& replica_;
  const std::vector<Param*> trained_;
  SliceUpdates& skips_;
  Context* const ctx_;
  const float clip_norm_;
  const bool skip_;  // on_nonfinite: kSkip

  std::vector<Param*> placed_;
  std::vector<std::vector<Tensor>> states_;  // of each trained param
  std::vector<std::string> losses_;          // their layers
  Tensor loss_cells_, pieces_, found_, numbers_, report_;
  int64_t largest_ = 0;                   // piece
  std::shared_ptr<void> pinned_numbers_;  // of the updater, for each trained param
  std::unique_ptr<Event> sent_;           // the numbers
  std::unique_ptr<DeviceMetrics> metrics_;
  std::deque<OnItsWay> on_their_way_;
  std::vector<std::shared_ptr<void>> free_reports_;
  bool judges_losses_ = false;
  bool stale_ = true;     // the host's values are newer
  bool changed_ = false;  // the device's are
};

}  // namespace singa
