#include "driver/plan/kept_times.h"

#include "driver/plan/model_errors.h"
#include "driver/plan/plan_cache.h"
#include "driver/plan/plan_texts.h"

namespace singa {
std::vector<PartTimes> KeptTimes::Of(const std::vector<PartRequest>& requests) {
  std::vector<std::string> names;
  std::vector<PartTimes> times;
  for (const PartRequest& request : requests) {
    const bool keeps = request.job.plugin_size() == 0;  // plugins change
    names.push_back(keeps ? KeyOf(request) + ".json" : "");
    if (!keeps || fresh_) continue;
    const std::optional<std::string> text = ReadPlanCache(names.back());
    if (auto kept = text ? TimesOf(*text) : std::nullopt) times.push_back(std::move(*kept));
  }
  // Plans compare these times, so they are measured together.
  kept_ = times.size() == requests.size();
  if (kept_) return times;
  if (measures_) measures_();
  times = measured_.Of(requests);
  for (size_t i = 0; i < times.size(); ++i)
    if (!names[i].empty()) WritePlanCache(names[i], ToText(times[i]));
  return times;
}

std::string KeptTimes::source() const {
  return measured_.source() + (kept_ ? ", before (-fresh measures again)" : "");
}

ModelError KeptTimes::model_error() const { return KeptModelError(); }

}  // namespace singa
