#include "driver/conf/check_params.h"

#include <map>
#include <utility>

#include "base/text/edit_distance.h"
#include "base/text/name_pattern.h"
#include "driver/conf/message_walk.h"
#include "nn/graph/graph.h"
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

// Whether a param has a name that a param_scale matches, and whether one takes each of its factors.
struct ScaleUse {
  bool matches = false, lr = false, wd = false;
};

// Returns the blocks of params in the conf by their paths, relative to the NetProto.
std::map<std::string, const ParamProto*> ParamBlocks(const NetProto& net) {
  std::vector<std::string> names;
  for (const LayerProto& layer : net.layer()) names.push_back(layer.name());
  const std::vector<std::string> paths = LayerPaths(names);
  std::map<std::string, const ParamProto*> blocks;
  for (int i = 0; i < net.layer_size(); ++i)
    for (int k = 0; k < net.layer(i).param_size(); ++k)
      blocks[StrCat(paths[i], ".param[", k, "]")] = &net.layer(i).param(k);
  return blocks;
}

// A param takes each factor from its own block, or else from the last param_scale that has it.
std::vector<ScaleUse> UsesOf(const NetProto& net, const ParamTable& params) {
  std::vector<ScaleUse> uses(net.param_scale_size());
  const std::map<std::string, const ParamProto*> blocks = ParamBlocks(net);
  for (const auto& param : params.params()) {
    const auto block = blocks.find(param->path());
    bool lr = block != blocks.end() && block->second->has_lr_scale();
    bool wd = block != blocks.end() && block->second->has_wd_scale();
    for (int i = net.param_scale_size() - 1; i >= 0; --i) {
      const ParamScaleProto& scale = net.param_scale(i);
      if (!MatchesPattern(scale.names(), param->name())) continue;
      uses[i].matches = true;
      if (scale.has_lr_scale() && !std::exchange(lr, true)) uses[i].lr = true;
      if (scale.has_wd_scale() && !std::exchange(wd, true)) uses[i].wd = true;
    }
  }
  return uses;
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
  const std::vector<ScaleUse> uses = UsesOf(net, params);
  ConfigErrors warnings;
  for (int i = 0; i < net.param_scale_size(); ++i) {
    const ParamScaleProto& scale = net.param_scale(i);
    if (!scale.has_names()) continue;  // an error of its own
    const std::string path = StrCat("neuralnet.param_scale[", i, "]");
    const auto overruled = [&](const std::string& field) {
      warnings.emplace_back(JoinPath(path, field),
                            StrCat("has no effect: each param that it matches has its own ", field,
                                   ", or that of a later param_scale"));
    };
    if (!uses[i].matches)
      warnings.emplace_back(
          path + ".names",
          StrCat("no param has such a name",
                 warnings.size() < kMostHints ? DidYouMean(scale.names(), names) : ""));
    if (uses[i].matches && scale.has_lr_scale() && !uses[i].lr) overruled("lr_scale");
    if (uses[i].matches && scale.has_wd_scale() && !uses[i].wd) overruled("wd_scale");
    if (!scale.has_lr_scale() && !scale.has_wd_scale())
      warnings.emplace_back(path, "has no effect: it sets neither lr_scale nor wd_scale");
  }
  return warnings;
}

}  // namespace singa
