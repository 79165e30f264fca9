#include "singa/driver/model.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "driver/conf/check_job.h"
#include "driver/job/trained_files.h"
#include "singa/proto/job.pb.h"
#include "train/forwarder.h"
#include "train/init_params.h"

namespace singa {

struct Model::Content {
  JobProto job;
  std::string wanted, layer;
  std::vector<int64_t> input_shape, output_shape;
  int64_t input_size = 0, output_size = 0, batch = 0;
  bool classifies = false;
  ParamTable params;
  std::vector<std::string> warnings;
};

namespace {

constexpr int64_t kDefaultBatch = 64;  // of an input layer that has no batchsize

std::vector<int64_t> RowShape(const Shape& shape) {
  std::vector<int64_t> sizes;
  for (int i = 1; i < shape.dims(); ++i) sizes.push_back(shape[i]);
  return sizes;
}

int64_t BatchOf(const LayerProto& input) {
  int64_t batch = int64_t{input.sharddata_conf().batchsize()} + input.lmdbdata_conf().batchsize();
  for (int32_t rows : input.store_conf().batchsize()) batch += rows;
  return batch > 0 ? batch : kDefaultBatch;
}

// Whether a layer of the test phase takes the first output of `layer` for scores of classes.
bool Classifies(const NetProto& net, const NetNode& layer) {
  if (layer.conf.type() == kSoftmax && !layer.conf.has_user_type()) return true;
  return std::any_of(net.layer().begin(), net.layer().end(), [&](const LayerProto& reader) {
    const bool accuracy = !reader.has_user_type() && reader.type() == kAccuracy;
    return InPhase(reader, kTest) && reader.srclayers_size() > 0 &&
           reader.srclayers(0) == layer.name && (accuracy || IsSoftmaxLoss(reader));
  });
}

JobProto ReadJob(const std::string& conf, const std::vector<std::string>& sets) {
  const std::unique_ptr<CheckedJob> checked = CheckJob(conf, sets, {.use = JobUse::kTest});
  if (!checked->conf.ok()) throw Error(checked->conf.exit_code(), checked->conf.Render());
  return checked->job;
}

// A mistake that lies in the choice of the checkpoint, not in the job.
[[noreturn]] void ThrowMisfit(const ConfigError& error) {
  throw Error(error.code(), "the checkpoint does not fit the net: " + error.message());
}

std::vector<std::string> FilesOf(const JobProto& job, const ModelOptions& options,
                                 std::vector<std::string>* warnings) {
  const auto warn = [&](const std::string& text) { warnings->push_back(text); };
  if (options.checkpoint.empty()) return TrainedFiles(job, warn);
  return {TrainedFile(options.checkpoint, warn)};
}

void LoadAll(const std::vector<std::string>& files, const ParamTable& params) {
  if (params.params().empty()) return;  // of a layer that nothing trained is below
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

Model::Model(const std::string& conf, const ModelOptions& options)
    : Model(ReadJob(conf, options.sets), options) {}

Model::Model(const JobProto& job, const ModelOptions& options) {
  const ConfFindings found = CheckValues(job, JobUse::kTest);
  if (!found.errors.empty()) throw found.errors.front();
  const auto content = std::make_shared<Content>();
  content->job = job;
  content->wanted = options.layer;
  Forwarder net(job, {.layer = options.layer});
  const NetNode &input = net.input(), &output = net.output();
  content->layer = output.name;
  content->input_shape = RowShape(input.out[0]->data.shape());
  content->output_shape = RowShape(output.out[0]->data.shape());
  content->input_size = net.input_size();
  content->output_size = net.output_size();
  content->batch = BatchOf(input.conf);
  content->classifies = Classifies(job.neuralnet(), output);
  content->params = std::move(net.params());
  AllocateParams(0, content->params);
  LoadAll(FilesOf(job, options, &content->warnings), content->params);
  content_ = content;
}

const std::string& Model::layer() const { return content_->layer; }
const std::vector<int64_t>& Model::output_shape() const { return content_->output_shape; }
int64_t Model::output_size() const { return content_->output_size; }
bool Model::classifies() const { return content_->classifies; }
const std::vector<int64_t>& Model::input_shape() const { return content_->input_shape; }
int64_t Model::input_size() const { return content_->input_size; }
int64_t Model::batch() const { return content_->batch; }
const std::vector<std::string>& Model::warnings() const { return content_->warnings; }

struct Session::Content {
  Content(std::shared_ptr<const Model::Content> shared, const ForwardOptions& options)
      : model(std::move(shared)), net(model->job, options) {}

  std::shared_ptr<const Model::Content> model;
  Forwarder net;
};

namespace {

ForwardOptions OptionsOf(const SessionOptions& options, const std::string& layer, int64_t batch) {
  constexpr int kMostThreads = 1024;
  if (options.threads < 1 || options.threads > kMostThreads)
    throw Error(kExitUsage,
                StrCat("threads must be from 1 to ", kMostThreads, ", are ", options.threads));
  if (options.max_batch < 0 || options.max_batch > std::numeric_limits<int32_t>::max())
    throw Error(kExitUsage, StrCat("max_batch must be from 0 to 2^31 - 1, is ", options.max_batch));
  return {layer, options.max_batch > 0 ? options.max_batch : batch, options.threads};
}

}  // namespace

Session::Session(const Model& model, const SessionOptions& options)
    : content_(std::make_unique<Content>(
          model.content_, OptionsOf(options, model.content_->wanted, model.content_->batch))) {
  content_->net.Open(content_->model->params);
}

Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

void Session::Run(std::span<const float> rows, std::span<float> out) {
  const int64_t in_size = content_->model->input_size, out_size = content_->model->output_size;
  const auto given = static_cast<int64_t>(rows.size()), room = static_cast<int64_t>(out.size());
  if (given % in_size != 0)
    throw Error(kExitUsage, StrCat(given, " numbers are no whole number of rows of ", in_size));
  const int64_t n = given / in_size;
  if (room != n * out_size)
    throw Error(kExitUsage,
                StrCat(n, " rows give ", n * out_size, " numbers, there is room for ", room));
  content_->net.Run(rows.data(), n, out.data());
}

std::vector<float> Session::Run(std::span<const float> rows) {
  std::vector<float> out(rows.size() / content_->model->input_size * content_->model->output_size);
  Run(rows, out);
  return out;
}

}  // namespace singa
