#include "train/trainer/trainer.h"

#include <algorithm>

#include "base/system/cgroup.h"
#include "base/thread/omp_threads.h"
#include "nn/plan/host_part.h"
#include "nn/plan/open_net.h"
#include "singa/base/error.h"
#include "tensor/gpu/gpus.h"
#include "train/apply/step_rule.h"
#include "train/trainer/device_path.h"
#include "train/trainer/host_path.h"
#include "train/trainer/plan_net.h"
#include "train/trainer/worker_memory.h"

namespace singa {

bool RunsPhase(const JobProto& job, Phase phase) {
  if (phase == kVal) return job.validate_freq() > 0;
  return job.test_freq() > 0 || job.test_steps() > 0 || job.test_epochs() > 0;
}

namespace {

// Returns the threads of an evaluation: those of all workers of the group, also in other processes,
// since they all wait meanwhile. The metrics, which may choose the best checkpoint, thus have the
// same bits in all topologies.
int EvaluationThreads(const WorkerPlace& place) {
  const int cores = place.cores > 0 ? place.cores : UsableCores();
  const int wanted = std::min(place.threads * place.workers, cores);
  return AllowedThreads(std::max(place.threads, wanted));
}

}  // namespace

struct Trainer::Alone {
  explicit Alone(const JobProto& job) : replica(job), updates(job, &replica) {}
  Replica replica;
  ReplicaUpdates updates;
  std::optional<GradientReduction> reduction;  // none before Allocate
};

Trainer::~Trainer() {
  LeaveGroup();
  if (device_) device_->Drain();
}

Trainer::Trainer(const JobProto& job, int threads, std::vector<KernelChoice>* choices)
    : Trainer(job, {.threads = threads, .gpu = job.gpu_size() > 0 ? job.gpu(0) : -1}, nullptr,
              nullptr, std::make_unique<Alone>(job), choices) {}

Trainer::Trainer(const JobProto& job, const WorkerPlace& place, Replica* replica,
                 SliceUpdates* updates)
    : Trainer(job, place, replica, updates, nullptr, nullptr) {}

Trainer::Trainer(const JobProto& job, const WorkerPlace& place, Replica* replica,
                 SliceUpdates* updates, std::unique_ptr<Alone> alone,
                 std::vector<KernelChoice>* choices)
    : alone_(std::move(alone)),
      job_(job),
      place_(place),
      replica_(alone_ ? &alone_->replica : replica),
      updates_(alone_ ? &alone_->updates : updates) {
  ctx_.threads = place.threads;
  ctx_.plain = job.plain_kernels();
  ctx_.seed = job.seed();
  ctx_.worker_group = place.group;
  ctx_.state = &state_;
  ctx_.mark = &mark_;
  if (place.gpu >= 0) device_ = std::make_unique<WorkerDevice>(job, OpenGpu(place.gpu), &ctx_);
  exchange_ctx_ = ctx_.ForHost();
  SetOmpThreads(place.threads);
  try {
    algorithm_ = MakeAlgorithm(job.train_one_batch());
  } catch (const ConfigError& error) {
    throw error.Under("train_one_batch");
  }
  ctx_.choices = choices;
  net_ = PlanNet(job_, kTrain, place, &params_, *algorithm_, &ctx_, &memory_of_nets_);
  ctx_.choices = nullptr;
  trained_ = FindTrained();
  why_host_updates_ = WhyHostUpdates();
  if (why_host_updates_.empty())
    device_->MakeRoom(DeviceUpdates::NumbersBytes(replica_->rule(), trained_.params.size()), &ctx_);
  if (place.group == 0 && place.worker == 0) PlanEvaluators();
  for (const Evaluator* evaluator : {test_.get(), validate_.get()})
    if (evaluator) memory_of_nets_.ShareArena(evaluator->memory());
  if (ctx_.precision == Precision::kFloat16 && algorithm_->forward_backward()) ScaleLosses();
  memory_ = Count();
}

void Trainer::PlanEvaluators() {
  evaluation_ctx_ = ctx_;
  evaluation_ctx_.threads = EvaluationThreads(place_);
  const auto plan = [this](Phase phase) {
    return std::make_unique<Evaluator>(job_, phase, &params_, algorithm_.get(), &evaluation_ctx_);
  };
  if (RunsPhase(job_, kTest)) test_ = plan(kTest);
  if (RunsPhase(job_, kVal)) validate_ = plan(kVal);
}

// Returns whether a gradient is handed on in pieces. Other algorithms may need whole gradients, and
// so do debug output, updates that depend on all gradients, and groups with a worker on a GPU.
bool Trainer::InPieces(const NetNode& node, const Param& param) const {
  return algorithm_->forward_backward() && !job_.debug() && job_.gpu_size() == 0 &&
         !StepRule(job_).needs_all() && piece_plan().Wants(node, param);
}

PiecePlan Trainer::piece_plan() const {
  return PiecePlan(place_.sharing(), place_.workers, place_.threads, place_.spans_processes());
}

TrainedParams Trainer::FindTrained() {
  TrainedParams trained;
  std::vector<Shape> shapes;
  for (const auto& param : params_.params())
    for (const NetNode& node : net_.nodes()) {
      if (std::ranges::find(node.completes, param.get()) == node.completes.end()) continue;
      trained.params.push_back(param.get());
      trained.in_pieces.push_back(InPieces(node, *param));
      shapes.push_back(param->shape());
    }
  trained.table = SliceTable(shapes);
  return trained;
}

// A device updates the values of a worker alone or in a group of GPUs, if all that trains is on the
// device and all steps are alike.
std::string Trainer::WhyHostUpdates() const {
  if (!device_) return "a worker has no GPU";
  if (place_.groups > 1) return "the job has several worker groups";
  if (place_.workers > 1 && !place_.gpus) return "the group's GPUs do not add up the gradients";
  if (!updates_->own_values()) return "servers have the values";
  if (!replica_->rule().on_device())
    return StrCat("updater \"", job_.updater().user_type(), "\" has code for the host alone");
  if (!algorithm_->captured_pass())
    return StrCat("algorithm \"", job_.train_one_batch().user_alg(),
                  "\" does not say that its steps are alike (Algorithm::captured_pass)");
  return WhyHostWorks(net_);
}

// Sets up the scaling of losses. A gradient that overflows is found before its update, and the next
// step uses a smaller scale.
void Trainer::ScaleLosses() {
  if (!why_host_updates_.empty())
    throw ConfigError("precision",
                      StrCat("must not be kFloat16, which scales gradients, so that updates have "
                             "to be the GPUs'; here they are the host's: ",
                             why_host_updates_, " (kBFloat16 needs no scale)"));
  for (const NetNode& node : net_.nodes())
    if (node.traits.originates_gradient && !node.declare->params().empty())
      throw ConfigError(StrCat("neuralnet.", node.path),
                        "must have no params with precision: kFloat16: it is a loss, whose "
                        "gradients are scaled");
  loss_scale_.emplace();
  ctx_.scales_losses = true;
}

std::vector<const Net*> Trainer::Nets() const {
  std::vector<const Net*> nets = {&net_};
  for (const Evaluator* evaluator : {test_.get(), validate_.get()})
    if (evaluator) nets.push_back(&evaluator->net());
  return nets;
}

JobMemory Trainer::Count() const {
  return CountMemory({.place = place_,
                      .params = params_,
                      .trained = trained_,
                      .pieces = piece_plan(),
                      .states = static_cast<int64_t>(replica_->state_count()),
                      .memory = memory_of_nets_,
                      .nets = Nets(),
                      .workspace = ctx_.stream ? ctx_.stream->workspace_bytes() : 0,
                      .on_device = device_ != nullptr,
                      .updates_on_device = why_host_updates_.empty()});
}

void Trainer::Allocate() {
  AllocateValues(nullptr);
  alone_->reduction.emplace(trained_.table, updates_, MemoryGroup::Options());
  Open(&*alone_->reduction);
}

void Trainer::AllocateIn(GradientReduction* reduction, const GroupMemory* shared, Trainer* lead) {
  if (shared) BindTo(*shared);
  AllocateValues(lead);
  Open(reduction);
}

void Trainer::AllocateValues(const Trainer* lead) {
  for (const auto& param : params_.params()) {
    if (!param->data.empty()) continue;
    param->data = lead && param->trains() ? lead->params_.Find(param->name())->host()
                                          : Tensor::Allocate(param->shape());
  }
}

void Trainer::BindTo(const GroupMemory& shared) {
  for (size_t i = 0; i < trained_.params.size(); ++i) {
    Param* const param = trained_.params[i];
    const int number = static_cast<int>(i);
    param->data.Bind(shared.values(number));
    if (trained_.in_pieces[i]) continue;
    param->grad.SetShape(param->shape());
    param->grad.Bind(shared.gradient(place_.worker, number));
  }
  if (place_.leads() && replica_->table().size() == 0)
    replica_->AttachShared(trained_.table, trained_.params, shared.shared_states());
}

void Trainer::Open(GradientReduction* reduction) {
  if (place_.leads()) updates_->Attach(trained_.table, trained_.params);
  const bool on_device = why_host_updates_.empty();
  GroupExchange::Gradients gradients;
  if (!on_device) gradients = {trained_.params, trained_.in_pieces, piece_plan().room_floats()};
  exchange_.emplace(reduction, place_.worker - place_.sharing().first, &exchange_ctx_, gradients);
  if (place_.workers > 1) ctx_.group = &*exchange_;
  path_ = on_device ? OpenOnDevice() : device_ ? OpenLayersOnDevice() : OpenOnHost();
}

void Trainer::OpenNets() {
  const NetArena arena = NetArena::Allocate(ctx_, memory_of_nets_);
  OpenNet(ctx_, arena, &net_);
  for (NetNode& node : net_.nodes()) node.layer->WriteTo(&outputs_);
  for (Evaluator* evaluator : {test_.get(), validate_.get()})
    if (evaluator) evaluator->Open(arena);
  metrics_ = MetricSums(&net_);
}

std::unique_ptr<StepPath> Trainer::OpenOnHost() {
  OpenNets();
  return std::make_unique<HostPath>(HostPath::Parts{&*exchange_, updates_, &metrics_, &ctx_});
}

std::unique_ptr<StepPath> Trainer::OpenLayersOnDevice() {
  auto params = std::make_unique<DeviceExchange>(&*exchange_, &ctx_);
  PlaceParams(Nets(), params.get());
  OpenNets();
  return std::make_unique<DeviceLayersPath>(
      HostPath::Parts{&*exchange_, updates_, &metrics_, &ctx_}, std::move(params), device_.get());
}

std::unique_ptr<StepPath> Trainer::OpenOnDevice() {
  std::unique_ptr<DeviceUpdates> updates = PlaceUpdates();
  OpenNets();
  updates->AttachMetrics(&metrics_);
  return std::make_unique<DevicePath>(std::move(updates),
                                      DevicePath::Parts{.net = &net_,
                                                        .pass = algorithm_->captured_pass().value(),
                                                        .device = device_.get(),
                                                        .loss_scale = loss_scale(),
                                                        .ctx = &ctx_});
}

std::unique_ptr<DeviceUpdates> Trainer::PlaceUpdates() {
  auto updates = std::make_unique<DeviceUpdates>(
      job_, DeviceUpdates::Worker{.net = &net_,
                                  .trained = trained_.params,
                                  .replica = replica_,
                                  .updates = updates_,
                                  .device = device_.get(),
                                  .ctx = &ctx_,
                                  .judges_losses = algorithm_->forward_backward(),
                                  .leads = place_.leads(),
                                  .loss_scale = loss_scale(),
                                  .member = place_.gpus ? &*place_.gpus : nullptr});
  if (place_.gpus) ctx_.group = updates.get();
  PlaceParams(Nets(), updates.get());
  return updates;
}

void Trainer::TrainStep(int64_t step) { TrainStep(step, &path_->exchange()); }

void Trainer::TrainStep(int64_t step, ParamExchange* exchange) {
  state_.step = step;
  mark_.SetStep(step);
  const ActivityMark::Scope trains(&mark_, Activity::kBetween);
  const auto pass = [&] { algorithm_->TrainOneBatch(ctx_, net_, *exchange); };
  path_->Run(step, pass, exchange == &path_->exchange());
}

MetricSums& Trainer::metrics() {
  path_->CollectMetrics();
  return metrics_;
}

std::optional<double> Trainer::GradientNorm(int64_t step) {
  if (job_.updater().clip_norm() <= 0) return std::nullopt;
  return path_->GradientNorm(step);
}

void Trainer::Finish() {
  path_->Await();
  outputs_.Finish();
  if (outputs_.refused()) throw *outputs_.refused();
}

}  // namespace singa
