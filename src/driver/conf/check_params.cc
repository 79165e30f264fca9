#include "driver/conf/check_params.h"

#include <algorithm>

#include "base/text/edit_distance.h"
#include "base/text/name_pattern.h"
#include "singa/base/error.h"
#include "singa/train/initializer.h"
#include "train/state/param_sources.h"

namespace singa {
namespace {

void CheckInit(const Param& param, ConfigErrors* errors) {
  try {
    MakeInitializer(param.conf().init())->CheckShape(param.shape());
  } catch (const ConfigError& error) {
    errors->push_back(error.Under(param.path() + ".init").Under("neuralnet"));
  }
}

}  // namespace

ConfigErrors CheckFirstValues(const JobProto& job, const ParamTable& params, bool read_files) {
  ConfigErrors errors;
  const std::vector<std::string> files(job.checkpoint_path().begin(), job.checkpoint_path().end());
  if (!files.empty() && !read_files) return errors;
  const InitReport report = JudgeParamFiles(files, params, &errors);
  if (!errors.empty()) return errors;
  for (const std::string& name : report.initialised) CheckInit(*params.Find(name), &errors);
  return errors;
}

ConfigErrors ScaleWarnings(const NetProto& net, const ParamTable& params) {
  constexpr size_t kMostHints = 20;  // a search for a similar name takes long
  std::vector<std::string> names;
  for (const auto& param : params.params()) names.push_back(param->name());
  ConfigErrors warnings;
  for (int i = 0; i < net.param_scale_size(); ++i) {
    const ParamScaleProto& scale = net.param_scale(i);
    if (!scale.has_names()) continue;  // an error of its own
    const std::string path = StrCat("neuralnet.param_scale[", i, "]");
    const bool matches = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return MatchesPattern(scale.names(), name);
    });
    if (!matches)
      warnings.emplace_back(
          path + ".names",
          StrCat("no param has such a name",
                 warnings.size() < kMostHints ? DidYouMean(scale.names(), names) : ""));
    if (!scale.has_lr_scale() && !scale.has_wd_scale())
      warnings.emplace_back(path, "has no effect: it sets neither lr_scale nor wd_scale");
  }
  return warnings;
}

}  // namespace singa
