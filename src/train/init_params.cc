#include "train/init_params.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "io/checkpoint/params_file.h"
#include "singa/base/error.h"
#include "singa/train/initializer.h"
#include "train/job_memory.h"

namespace singa {
namespace {

void CopyValues(const ParamsFile::Entry& entry, const std::string& file, Param* param) {
  float* data = param->host().data();
  std::memcpy(data, entry.values.data(), param->data.bytes());
  const float epsilon = param->inverse_epsilon();
  if (!entry.by_v03 || epsilon == 0) return;
  for (int64_t i = 0; i < param->size(); ++i) {
    const double inverse = data[i], variance = 1 / (inverse * inverse) - epsilon;
    if (!(inverse > 0) || !std::isfinite(variance))
      throw DataError(file, -1,
                      StrCat("param \"", param->name(),
                             "\" holds inverse variances, which must be > 0; one is ", data[i]));
    data[i] = static_cast<float>(std::max(0., variance));
  }
}

// Returns the largest version of a param that it loads; -1: it loads none.
int64_t LoadFile(const std::string& path, int index, const ParamTable& params,
                 std::set<std::string>* loaded, std::set<std::string>* unused) {
  const ParamsFile file = LoadParams(path);
  int64_t version = -1;
  for (const auto& [name, entry] : file.params()) {
    Param* param = params.Find(name);
    if (!param) {
      unused->insert(name);
      continue;
    }
    if (!(entry.shape == param->shape()))
      throw ConfigError(
          StrCat("checkpoint_path[", index, "]"),
          StrCat("param \"", name, "\" has the shape ", entry.shape.ToString(), " in \"",
                 file.path(), "\", in the net ", param->shape().ToString()));
    CopyValues(entry, file.path(), param);
    loaded->insert(name);
    version = std::max({version, entry.version, int64_t{0}});
  }
  return version;
}

[[noreturn]] void ThrowStrange(size_t index, const std::string& file) {
  throw ConfigError(StrCat("checkpoint_path[", index, "]"),
                    StrCat("no param of \"", file, "\" is one of the net's"));
}

}  // namespace

void AllocateParams(int64_t rest, const ParamTable& params) {
  int64_t bytes = rest;
  for (const auto& param : params.params()) bytes += param->data.bytes();
  if (bytes > UsableMemory())
    throw DeviceError(StrCat("the net needs ", bytes >> 20, " MiB of memory, the machine has ",
                             UsableMemory() >> 20));
  for (const auto& param : params.params()) param->data = Tensor::Allocate(param->shape());
}

InitReport LoadParamFiles(const std::vector<std::string>& files, const ParamTable& params,
                          Match match) {
  std::set<std::string> loaded, unused;
  InitReport report;
  for (size_t i = 0; i < files.size(); ++i) {
    const int64_t version = LoadFile(files[i], static_cast<int>(i), params, &loaded, &unused);
    if (version >= 0) report.version = version;
    const bool last = i + 1 == files.size();
    if (version < 0 && (match == Match::kEachFile || (last && loaded.empty())))
      ThrowStrange(i, files[i]);
  }
  report.unused.assign(unused.begin(), unused.end());
  for (const auto& param : params.params())
    (loaded.count(param->name()) ? report.loaded : report.initialised).push_back(param->name());
  return report;
}

InitReport InitParams(const Context& ctx, const std::vector<std::string>& files,
                      ParamTable* params) {
  Context host = ctx.ForHost();
  InitReport report = LoadParamFiles(files, *params);
  for (const std::string& name : report.initialised) {
    Param* param = params->Find(name);
    try {
      const Philox stream{ctx.seed, HashName(name), 0};
      const auto initializer = MakeInitializer(param->conf().init());
      initializer->CheckShape(param->shape());
      initializer->Fill(host, stream, param->shape(), param->host().data());
    } catch (const ConfigError& error) {
      throw error.Under(param->path() + ".init").Under("neuralnet");
    }
  }
  return report;
}

}  // namespace singa
