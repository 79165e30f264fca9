#include "singa/train/updater.h"

#include <glog/logging.h>

#include <cmath>
#include <limits>

#include "base/check_range.h"
#include "base/make_by_type.h"

namespace singa {

void Updater::Setup(const UpdaterProto& conf) {
  CheckRange(conf.weight_decay() >= 0, "weight_decay", ">= 0", conf.weight_decay());
  CheckRange(conf.clip_norm() >= 0, "clip_norm", ">= 0", conf.clip_norm());
  CheckRange(!std::isnan(conf.clip_low()), "clip_low", "a number", conf.clip_low());
  CheckRange(!std::isnan(conf.clip_high()), "clip_high", "a number", conf.clip_high());
  const bool clips = conf.clip_high() > conf.clip_low();
  clip_low_ = clips ? conf.clip_low() : -std::numeric_limits<float>::infinity();
  clip_high_ = clips ? conf.clip_high() : std::numeric_limits<float>::infinity();
}

std::vector<std::string> Updater::states() const { return {}; }

void Updater::Prepare(const UpdateStep&, void*) const {
  LOG(FATAL) << "the updater runs on the host alone";
}

void Updater::UpdateAll(Context&, const UpdateBatch&) const {
  LOG(FATAL) << "the updater runs on the host alone";
}

UpdaterRegistry& Updaters() {
  static UpdaterRegistry registry("updater");
  return registry;
}

std::unique_ptr<Updater> MakeUpdater(const UpdaterProto& conf) {
  return MakeByType(Updaters(), conf, kUserUpdater, "needs a type or a user_type");
}

}  // namespace singa
