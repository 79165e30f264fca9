#include "driver/predict/predict_request.h"

#include <algorithm>
#include <cmath>

#include "io/store/store.h"
#include "singa/base/error.h"

namespace singa {
namespace {

int64_t AtLeastOne(const Arguments& args, const std::string& flag) {
  const auto number = args.ToNumber<int32_t>(flag, args.Get(flag));
  if (number < 1) args.ThrowUsage(StrCat("-", flag, " must be >= 1, is ", number));
  return number;
}

void ReadFormat(const Arguments& args, PredictionFormat* to) {
  const std::string plain = args.Has("report") ? "text" : "csv";
  const std::string format = args.Get("format", plain);
  if (format != plain && format != "json")
    args.ThrowUsage(StrCat("-format must be ", plain, " or json",
                           args.Has("report") ? " for a -report" : "", ", is \"", format, "\""));
  to->json = format == "json";
  to->ids = args.Has("id");
  if (args.Has("topk")) to->top = AtLeastOne(args, "topk");
}

void ReadReport(const Arguments& args, PredictRequest* to) {
  to->report = args.Has("report");
  if (args.Has("worst") && !to->report) args.ThrowUsage("-worst is for -report");
  if (args.Has("worst")) to->worst = AtLeastOne(args, "worst");
  if (to->report && args.Has("no_labels"))
    args.ThrowUsage("-report compares with labels: it has no -no_labels");
  if (to->report && args.Has("id")) args.ThrowUsage("-id is for predictions: a -report has no -id");
}

void ReadSource(const Arguments& args, SourceOptions* source) {
  source->backend = args.Get("from");
  source->label_path = args.Get("labels");
  source->id_column = args.Get("id");
  if (args.Has("id") && source->id_column.empty())
    args.ThrowUsage("-id must name a column, or give its number from 1");
  source->labels = !args.Has("no_labels");
  if (TraitsOf(args.Get("from")).no_file)
    args.ThrowUsage("-from: " + args.Get("from") + " records are no INPUT");
  try {
    if (args.Has("from")) CheckBackend(args.Get("from"));
  } catch (const ConfigError& error) {
    args.ThrowUsage("-from: " + error.message());
  }
}

std::vector<std::string> ReadInputs(const Arguments& args) {
  const std::vector<std::string>& inputs = args.operands();
  if (inputs.empty())
    args.ThrowUsage(StrCat("INPUT is missing: singa predict -conf ", args.Get("conf"), " INPUT"));
  if (args.Has("labels") && inputs.size() > 1) args.ThrowUsage("-labels is of one INPUT");
  if (std::count(inputs.begin(), inputs.end(), "-") > 1) args.ThrowUsage("stdin can be read once");
  return inputs;
}

GenerateOptions ReadGenerate(const Arguments& args, uint64_t seed) {
  for (const char* flag :
       {"layer", "topk", "format", "batch", "from", "labels", "no_labels", "id", "report", "worst"})
    if (args.Has(flag)) args.ThrowUsage(StrCat("-generate has no -", flag));
  if (!args.operands().empty())
    args.ThrowUsage(StrCat("-generate has no INPUT, is given \"", args.operands()[0],
                           "\": -prime TEXT says what the text goes on from"));
  GenerateOptions options = {.characters = AtLeastOne(args, "generate"), .seed = seed};
  if (args.Has("prime")) options.prime = args.Get("prime");
  if (options.prime && options.prime->empty()) args.ThrowUsage("-prime must have a character");
  if (args.Has("seed")) options.seed = args.ToNumber<uint64_t>("seed", args.Get("seed"));
  if (!args.Has("temperature")) return options;
  const auto temperature = args.ToNumber<float>("temperature", args.Get("temperature"));
  if (!(temperature > 0) || !std::isfinite(temperature) || !std::isfinite(1 / temperature))
    args.ThrowUsage(StrCat("-temperature must be > 0 and finite, is ", args.Get("temperature")));
  options.temperature = temperature;
  return options;
}

// Refuses the flags of other uses.
void CheckServe(const Arguments& args) {
  for (const char* flag : {"format", "from", "labels", "no_labels", "id", "report", "worst",
                           "generate", "prime", "temperature", "seed"})
    if (args.Has(flag)) args.ThrowUsage(StrCat("-serve has no -", flag));
  if (!args.operands().empty())
    args.ThrowUsage(
        StrCat("-serve has no INPUT, is given \"", args.operands()[0], "\": clients send records"));
}

}  // namespace

PredictRequest ReadPredictRequest(const Arguments& args, uint64_t seed) {
  PredictRequest request;
  request.model = {.checkpoint = args.Get("checkpoint"), .layer = args.Get("layer")};
  request.model.sets = args.Settings();
  request.serve = args.Has("serve");
  if (request.serve) CheckServe(args);
  for (const char* flag : {"host", "port"})
    if (args.Has(flag) && !request.serve) args.ThrowUsage(StrCat("-", flag, " is for -serve"));
  if (args.Has("generate")) {
    request.generate = ReadGenerate(args, seed);
    return request;
  }
  for (const char* flag : {"prime", "temperature", "seed"})
    if (args.Has(flag)) args.ThrowUsage(StrCat("-", flag, " is for -generate"));
  ReadFormat(args, &request.format);
  request.format.json = request.format.json || request.serve;
  ReadReport(args, &request);
  if (args.Has("batch")) request.session.max_batch = AtLeastOne(args, "batch");
  if (request.serve) return request;
  ReadSource(args, &request.source);
  request.inputs = ReadInputs(args);
  return request;
}

}  // namespace singa
