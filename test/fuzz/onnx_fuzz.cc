// Reads any bytes as an ONNX model, and imports it. They are refused with an Error, or are a net
// whose layers read layers before them.
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>

#include "driver/onnx/import/job_import.h"
#include "singa/base/error.h"

namespace singa {
namespace {

void Require(bool fact) {
  if (!fact) std::abort();
}

void Check(const JobProto& job) {
  std::set<std::string> names;
  for (const LayerProto& layer : job.neuralnet().layer()) {
    for (const std::string& source : layer.srclayers())
      Require(names.contains(source) || names.contains(source.substr(0, source.rfind(':'))));
    Require(!layer.name().empty() && names.insert(layer.name()).second);
  }
}

}  // namespace
}  // namespace singa

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const std::string file = "/nowhere/fuzz.onnx";
    const singa::OnnxModel model = singa::ReadOnnxModel(std::as_bytes(std::span(data, size)), file);
    singa::TensorValues tensors(file);
    const singa::ImportedJob imported = singa::ImportJob(model, file, {}, &tensors);
    singa::Check(imported.job);
    for (const singa::ImportedValues& param : imported.params)
      singa::Require(singa::ProductOf(param.shape) == std::ssize(param.numbers));
  } catch (const singa::Error&) {
  }
  return 0;
}
