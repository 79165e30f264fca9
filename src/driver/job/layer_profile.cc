#include "driver/job/layer_profile.h"

#include <nlohmann/json.hpp>
#include <string>

#include "base/text/json_text.h"
#include "io/file/text_file.h"

namespace singa {

LayerProfile::LayerProfile(const JobProto& job, bool resumes, Trainer* worker,
                           const Workspace* workspace, SideFiles* side_files)
    : worker_(*worker),
      workspace_(*workspace),
      side_files_(*side_files),
      measures_(!worker->model().device() && !job.train_one_batch().has_user_alg()) {
  if (!resumes)
    side_files_.Try([this] { workspace_.files()->RemoveTree(workspace_.layer_times()); });
}

void LayerProfile::BeginStep() {
  if (begun_++ == kWarmUp && measures_)
    timer_.emplace(&worker_, &clock_, /*takes_waits=*/false);  // rows tell the waits
  if (timer_) timer_->Clear();
}

void LayerProfile::EndStep() {
  if (!timer_) return;
  times_.push_back(timer_->layers());
  if (std::ssize(times_) < kSteps) return;
  timer_.reset();
  side_files_.Try([this] { Write(); });
  times_ = {};
}

void LayerProfile::Write() {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const NetNode& node : worker_.model().net().nodes()) {
    const size_t layer = rows.size();
    rows.push_back(
        nlohmann::ordered_json{{"layer", node.full_name},
                               {"forward_ms", MedianOf(times_, layer, &LayerTimes::forward)},
                               {"backward_ms", MedianOf(times_, layer, &LayerTimes::backward)}});
  }
  WriteText(workspace_.files(), workspace_.layer_times(), JsonText(rows) + "\n");
}

}  // namespace singa
