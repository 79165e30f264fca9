#include "driver/job/layer_profile.h"

#include <nlohmann/json.hpp>
#include <string>

#include "io/file/text_file.h"

namespace singa {

LayerProfile::LayerProfile(Trainer* worker, const Workspace* workspace, SideFiles* side_files)
    : worker_(*worker), workspace_(*workspace), side_files_(*side_files) {
  side_files_.Try([this] { workspace_.files()->RemoveTree(workspace_.layer_times()); });
}

void LayerProfile::BeginStep() {
  if (begun_++ == kWarmUp && !worker_.model().device())
    timer_.emplace(&worker_, &clock_, /*takes_waits=*/false);  // rows tell the waits
  if (timer_) timer_->Clear();
}

void LayerProfile::EndStep() {
  if (!timer_) return;
  times_.push_back(timer_->layers());
  if (std::ssize(times_) < kSteps) return;
  timer_.reset();
  side_files_.Try([this] { Write(); });
}

void LayerProfile::Write() {
  std::string text;
  size_t layer = 0;
  for (const NetNode& node : worker_.model().net().nodes()) {
    const nlohmann::ordered_json row = {
        {"layer", node.full_name},
        {"forward_ms", MedianOf(times_, layer, &LayerTimes::forward)},
        {"backward_ms", MedianOf(times_, layer, &LayerTimes::backward)}};
    text += (layer++ == 0 ? "" : ",\n ") +
            row.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  WriteText(workspace_.files(), workspace_.layer_times(), "[" + text + "]\n");
}

}  // namespace singa
