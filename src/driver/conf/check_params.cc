#include "driver/conf/check_params.h"

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

}  // namespace singa
