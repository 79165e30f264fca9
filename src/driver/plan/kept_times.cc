#include "driver/plan/kept_times.h"

#include <optional>

#include "base/file/sha256.h"
#include "driver/plan/model_errors.h"
#include "driver/plan/plan_cache.h"
#include "driver/plan/plan_texts.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

// Returns the name of the text with the times of all parts; "": it is not kept, as plugins change.
std::string NameOf(const std::vector<PartRequest>& requests) {
  std::string keys;
  for (const PartRequest& request : requests) {
    if (request.job.plugin_size() > 0) return "";
    keys += KeyOf(request);
  }
  return StrCat("times-", Sha256Hex(keys), ".json");
}

}  // namespace

std::vector<PartTimes> KeptTimes::Of(const std::vector<PartRequest>& requests) {
  const std::string name = NameOf(requests);
  const std::optional<std::string> text =
      fresh_ || name.empty() ? std::nullopt : ReadPlanCache(name);
  std::optional<std::vector<PartTimes>> times = text ? TimesOf(*text) : std::nullopt;
  kept_ = times && times->size() == requests.size();
  if (kept_) return std::move(*times);
  std::vector<PartTimes> measured = measured_.Of(requests);
  if (!name.empty()) WritePlanCache(name, ToText(measured));
  return measured;
}

std::string KeptTimes::source() const {
  return measured_.source() + (kept_ ? ", before (-fresh measures again)" : "");
}

ModelError KeptTimes::model_error() const { return KeptModelError(); }

}  // namespace singa
