#include "train/state/init_params.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/file/crc32c.h"
#include "io/checkpoint/finite_params.h"
#include "singa/base/error.h"
#include "singa/train/initializer.h"
#include "train/trainer/job_memory.h"

namespace singa {
namespace {

// Copies the transposed matrix of a file.
void CopyTransposed(const ParamsFile::Entry& entry, Param* param) {
  const int64_t rows = param->shape()[0], columns = param->shape()[1];
  float* data = param->host().data();
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) *data++ = entry.values[j * rows + i];
}

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

}  // namespace

void AllocateParams(int64_t rest, const ParamTable& params) {
  int64_t bytes = rest;
  for (const auto& param : params.params()) bytes += param->data.bytes();
  CheckFits("the net", bytes);
  for (const auto& param : params.params()) param->data = Tensor::Allocate(param->shape());
}

InitReport LoadParamFiles(const std::vector<std::string>& files, const ParamTable& params,
                          Match match) {
  ParamSources sources(&params);
  std::vector<ParamsFile> read;
  for (size_t i = 0; i < files.size(); ++i) {
    read.push_back(LoadParams(files[i]));
    sources.Add(i, files[i], read.back());
  }
  const ConfigErrors problems = sources.Problems(match);
  if (!problems.empty()) throw problems.front();
  InitReport report = sources.Report();
  for (size_t i = 0; i < read.size(); ++i) {
    std::vector<std::string> used;
    for (const auto& [name, index] : report.loaded_by)
      if (index == i) used.push_back(name);
    RequireFinite(read[i], used);
  }
  for (const auto& [name, index] : report.loaded_by) {
    Param* const param = params.Find(name);
    const ParamsFile::Entry& entry = read[index].params().at(name);
    if (report.transposed.contains(name))
      CopyTransposed(entry, param);
    else
      CopyValues(entry, read[index].path(), param);
    report.checksum = ExtendCrc32c(report.checksum, param->host().data(),
                                   static_cast<size_t>(param->data.bytes()));
  }
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
