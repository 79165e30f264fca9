#include "singa/driver/model.h"
#include "base/text/counted.h"

#include <limits>
#include <memory>
#include <utility>

#include "driver/conf/check_gpus.h"
#include "driver/conf/check_job.h"
#include "driver/conf/repeat_blocks.h"
#include "driver/job/trained_files.h"
#include "driver/plugin/load_plugins.h"
#include "nn/graph/wiring_of.h"
#include "singa/nn/record_reader.h"
#include "singa/proto/job.pb.h"
#include "tensor/gpu/gpus.h"
#include "train/state/init_params.h"
#include "train/trainer/forwarder.h"

namespace singa {

struct Model::Content {
  // Builds the net and loads its params. REQUIRES: `job` is set and checked.
  void Load(const ModelOptions& options);

  JobProto job;
  std::string wanted, layer, input_layer;
  RowLayout in, out;
  int64_t batch = 0;
  bool classifies = false, carries_state = false, causal = true;
  std::optional<int32_t> ignored;
  std::shared_ptr<Gpu> gpu;        // null: the CPU
  ParamTable params;               // on the GPU, if their layers are
  std::vector<std::string> files;  // files of the params
  std::vector<std::string> warnings;
};

namespace {

constexpr int64_t kDefaultBatch = 64;  // for an input layer without a batchsize

int64_t BatchOf(const LayerProto& input) {
  const std::unique_ptr<Layer> layer = MakeLayer(input);
  const RecordReader* const reader = layer->reader();
  const int64_t batch = reader ? reader->BatchSize(input) : 0;
  return batch > 0 ? batch : kDefaultBatch;
}

// Returns the layers of the test phase that read the first output of `layer` as scores of classes.
// It includes `layer` itself if it replaces its own loss.
std::vector<const LayerProto*> Judges(const NetProto& net, const NetNode& layer) {
  std::vector<const LayerProto*> judges;
  for (const LayerProto& reader : net.layer()) {
    if (!InPhase(reader, kTest) || reader.srclayers_size() == 0) continue;
    const bool near = reader.srclayers(0) == layer.name || reader.name() == layer.name;
    if (near && WiringOf(reader).reads_scores) judges.push_back(&reader);
  }
  return judges;
}

std::optional<int32_t> IgnoredLabel(const std::vector<const LayerProto*>& judges) {
  for (const LayerProto* judge : judges) {
    if (judge->softmaxloss_conf().has_ignore_label())
      return judge->softmaxloss_conf().ignore_label();
    if (judge->argsort_conf().has_ignore_label()) return judge->argsort_conf().ignore_label();
  }
  return {};
}

// Reads and checks the conf. Adds findings about GPUs to `warnings`.
JobProto ReadJob(const std::string& conf, const ModelOptions& options,
                 std::vector<std::string>* warnings) {
  std::vector<std::string> sets = options.sets;
  if (options.gpu) sets.push_back(*options.gpu < 0 ? "gpu=" : StrCat("gpu=", *options.gpu));
  const std::unique_ptr<CheckedJob> checked = CheckJob(conf, sets, {.use = JobUse::kTest});
  if (!checked->conf.ok()) throw Error(checked->conf.exit_code(), checked->conf.Render());
  for (const Diagnostic& found : checked->conf.diagnostics())
    if ((found.path.empty() ? found.set : found.path) == "gpu")
      warnings->push_back("gpu: " + found.text);
  return checked->job;
}

// Checks a job that has no file.
JobProto JudgedJob(JobProto job, const ModelOptions& options, std::vector<std::string>* warnings) {
  LoadPluginsOf(job);
  ExpandBlocksOf(&job);
  if (options.gpu) job.clear_gpu();
  if (options.gpu && *options.gpu >= 0) job.add_gpu(*options.gpu);
  ConfFindings found = CheckValues(job, JobUse::kTest);
  if (!found.errors.empty()) throw found.errors.front();
  found = CheckGpus(&job);
  if (!found.errors.empty()) throw found.errors.front();
  for (const ConfigError& warning : found.warnings) warnings->push_back(warning.what());
  return job;
}

// Throws an error about the choice of the checkpoint, not about the job.
[[noreturn]] void ThrowMisfit(const ConfigError& error) {
  throw Error(error.code(), "the checkpoint does not fit the net: " + error.message());
}

std::vector<std::string> FilesOf(const JobProto& job, const ModelOptions& options,
                                 std::vector<std::string>* warnings) {
  return FilesToUse(job, options.checkpoint, options.sets,
                    [&](const std::string& text) { warnings->push_back(text); });
}

void LoadAll(const std::vector<std::string>& files, const ParamTable& params) {
  if (params.params().empty()) return;  // nothing below the layer is trained
  InitReport report;
  try {
    report = LoadParamFiles(files, params, Match::kOneFile);
  } catch (const ConfigError& error) {
    ThrowMisfit(error);
  }
  if (!report.initialised.empty())
    throw DataError(
        files.back(), -1,
        StrCat("lacks ", report.initialised.size(), " of the net's ", params.params().size(),
               " params, such as \"", report.initialised.front(), "\""));
}

}  // namespace

Model::Model(const std::string& conf, const ModelOptions& options) {
  const auto content = std::make_shared<Content>();
  content->job = ReadJob(conf, options, &content->warnings);
  content->Load(options);
  content_ = content;
}

Model::Model(const JobProto& job, const ModelOptions& options) {
  const auto content = std::make_shared<Content>();
  content->job = JudgedJob(job, options, &content->warnings);
  content->Load(options);
  content_ = content;
}

void Model::Content::Load(const ModelOptions& options) {
  wanted = options.layer;
  if (job.gpu_size() > 0) gpu = OpenGpu(job.gpu(0));
  Forwarder net(job, {.layer = wanted, .gpu = gpu});
  const NetNode &first = net.input(), &last = net.output();
  layer = last.name;
  input_layer = first.name;
  in = net.input_row();
  out = net.output_row();
  batch = BatchOf(first.conf);
  carries_state = net.carries();
  causal = net.causal();
  const std::vector<const LayerProto*> judges = Judges(job.neuralnet(), last);
  classifies = last.traits.gives_softmax || !judges.empty();
  ignored = IgnoredLabel(judges);
  AllocateParams(0, net.params());
  const auto find = [&] { return FilesOf(job, options, &warnings); };
  UseTrained(find,
             [&](const std::vector<std::string>& found) { LoadAll(files = found, net.params()); });
  net.PlaceValues();
  params = std::move(net.params());
}

const std::string& Model::layer() const { return content_->layer; }
const std::vector<int64_t>& Model::output_shape() const { return content_->out.shape; }
int64_t Model::output_size() const { return content_->out.size; }
int64_t Model::output_steps() const { return content_->out.steps; }
bool Model::classifies() const { return content_->classifies; }
bool Model::carries_state() const { return content_->carries_state; }
bool Model::causal() const { return content_->causal; }
std::optional<int32_t> Model::ignored_label() const { return content_->ignored; }
const std::string& Model::input_layer() const { return content_->input_layer; }
const std::vector<int64_t>& Model::input_shape() const { return content_->in.shape; }
int64_t Model::input_size() const { return content_->in.size; }
int64_t Model::input_steps() const { return content_->in.steps; }
int64_t Model::batch() const { return content_->batch; }
const std::vector<std::string>& Model::files() const { return content_->files; }
const std::vector<std::string>& Model::warnings() const { return content_->warnings; }

struct Session::Content {
  Content(std::shared_ptr<const Model::Content> shared, const ForwardOptions& options)
      : model(std::move(shared)), net(model->job, options) {}

  std::shared_ptr<const Model::Content> model;
  Forwarder net;
};

namespace {

// Checks the options. `batch` is the model's batch size.
ForwardOptions OptionsOf(const SessionOptions& options, int64_t batch) {
  constexpr int kMostThreads = 1024;
  if (options.threads < 1 || options.threads > kMostThreads)
    throw Error(kExitUsage,
                StrCat("threads must be from 1 to ", kMostThreads, ", are ", options.threads));
  if (options.max_batch < 0 || options.max_batch > std::numeric_limits<int32_t>::max())
    throw Error(kExitUsage, StrCat("max_batch must be from 0 to 2^31 - 1, is ", options.max_batch));
  const bool one_sequence = options.one_sequence || options.step_by_step;
  if (one_sequence && options.max_batch > 1)
    throw Error(kExitUsage, StrCat("max_batch must be 0 or 1 for rows of one sequence, is ",
                                   options.max_batch));
  if (one_sequence) batch = 1;
  return {.max_batch = options.max_batch > 0 ? options.max_batch : batch,
          .threads = options.threads,
          .one_sequence = one_sequence,
          .step_by_step = options.step_by_step};
}

}  // namespace

Session::Session(const Model& model, const SessionOptions& options) {
  const Model::Content& shared = *model.content_;
  ForwardOptions forward = OptionsOf(options, shared.batch);
  forward.layer = shared.wanted;
  forward.gpu = shared.gpu;
  content_ = std::make_unique<Content>(model.content_, forward);
  content_->net.Open(shared.params);
}

Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

void Session::Run(std::span<const float> rows, std::span<float> out) {
  const int64_t in_size = content_->net.input_row().size;
  const int64_t out_size = content_->net.output_row().size;
  const auto given = static_cast<int64_t>(rows.size()), room = static_cast<int64_t>(out.size());
  if (given % in_size != 0)
    throw Error(kExitUsage, StrCat(Counted(given, "number is", "numbers are"),
                                   " no whole number of rows of ", in_size));
  const int64_t n = given / in_size;
  if (room != n * out_size)
    throw Error(kExitUsage, StrCat(Counted(n, "row gives", "rows give"), " ",
                                   Counted(n * out_size, "number"), ", there is room for ", room));
  content_->net.Run(rows.data(), n, out.data());
}

std::vector<float> Session::Run(std::span<const float> rows) {
  const Forwarder& net = content_->net;
  std::vector<float> out(rows.size() / net.input_row().size * net.output_row().size);
  Run(rows, out);
  return out;
}

void Session::Reset() { content_->net.Reset(); }

}  // namespace singa
