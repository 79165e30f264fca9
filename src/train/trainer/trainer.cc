#include "train/trainer/trainer.h"

#include <functional>

#include "nn/connection/bridge.h"
#include "nn/plan/host_part.h"
#include "singa/base/error.h"
#include "train/learning_rate/epoch_steps.h"
#include "train/trainer/device_path.h"
#include "train/trainer/host_path.h"

namespace singa {

struct Trainer::Alone {
  explicit Alone(const JobProto& job) : replica(job), updates(job, &replica) {}
  Replica replica;
  ReplicaUpdates updates;
  std::optional<GradientReduction> reduction;  // none before Allocate
};

Trainer::~Trainer() {
  LeaveGroup();
  if (model_.device()) model_.device()->Drain();
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
      model_(job, place, choices),
      exchange_ctx_(model_.ctx().ForHost()),
      replica_(alone_ ? &alone_->replica : replica),
      updates_(alone_ ? &alone_->updates : updates),
      why_host_updates_(WhyHostUpdates()) {
  const bool on_device = why_host_updates_.empty();
  if (on_device)
    model_.device()->MakeRoom(
        DeviceUpdates::NumbersBytes(replica_->rule(), model_.trained().params.size()),
        &model_.ctx());
  if (model_.ctx().precision == Precision::kFloat16 && model_.algorithm().forward_backward())
    ScaleLosses();
  memory_ = model_.Count(static_cast<int64_t>(replica_->state_count()), on_device);
}

// A device updates the values of a worker alone or in a group of GPUs, if all that trains is on the
// device and all steps are alike.
std::string Trainer::WhyHostUpdates() const {
  const WorkerPlace& place = model_.place();
  if (!model_.device()) return "a worker has no GPU";
  if (place.groups > 1) return "the job has several worker groups";
  if (place.workers > 1 && !place.gpus) return "the group's GPUs do not add up the gradients";
  if (model_.trained().divided() && place.here < place.workers)
    return "the workers of several processes divide params";
  if (model_.trained().divided() && place.sender)
    return "the workers divide params, and do not send whole gradients";
  if (!updates_->own_values()) return "servers have the values";
  const JobProto& job = model_.job();
  if (!replica_->rule().on_device())
    return StrCat("updater \"", job.updater().user_type(), "\" has code for the host alone");
  if (!model_.algorithm().captured_pass())
    return StrCat("algorithm \"", job.train_one_batch().user_alg(),
                  "\" does not say that its steps are alike (Algorithm::captured_pass)");
  return WhyHostWorks(model_.net());
}

// Sets up the scaling of losses. A gradient that overflows is found before its update, and the next
// step uses a smaller scale.
void Trainer::ScaleLosses() {
  if (!why_host_updates_.empty())
    throw ConfigError("precision",
                      StrCat("must not be kFloat16, which scales gradients, so that updates have "
                             "to be the GPUs'; here they are the host's: ",
                             why_host_updates_, " (kBFloat16 needs no scale)"));
  for (const NetNode& node : model_.net().nodes())
    if (node.traits.originates_gradient && !node.declared().params.empty())
      throw ConfigError(StrCat("neuralnet.", node.path),
                        "must have no params with precision: kFloat16: it is a loss, whose "
                        "gradients are scaled");
  loss_scale_.emplace();
  model_.ctx().scales_losses = true;
}

void Trainer::Allocate() {
  model_.AllocateValues(nullptr, nullptr);
  alone_->reduction.emplace(model_.trained().table, updates_, MemoryGroup::Options());
  Open(&*alone_->reduction);
  if (!alone_->replica.rule().counts_epochs()) return;
  const double steps = EpochSteps(model_.readers().CountRecords(), model_.samples_per_step());
  CheckEpochSteps(steps, "updater.learning_rate.unit");
  alone_->replica.SetEpochSteps(steps);
}

void Trainer::AllocateIn(GradientReduction* reduction, RegionExchange* exchange,
                         const GroupMemory* shared, const Trainer* lead) {
  model_.AllocateValues(shared, lead ? &lead->model_ : nullptr);
  model_.ctx().exchange = exchange;
  if (shared && model_.place().leads() && replica_->table().size() == 0)
    replica_->AttachShared(model_.trained().table, model_.trained().params,
                           shared->shared_states());
  Open(reduction);
}

void Trainer::Open(GradientReduction* reduction) {
  const WorkerPlace& place = model_.place();
  const TrainedParams& trained = model_.trained();
  if (place.leads()) updates_->Attach(trained.table, trained.params);
  const bool on_device = why_host_updates_.empty();
  GroupExchange::Gradients gradients;
  if (!on_device) {
    gradients = {.params = trained.own, .in_pieces = trained.in_pieces};
    gradients.room_floats = PiecePlanOf(place).room_floats(gradients.has_own_pieces());
  }
  exchange_.emplace(reduction, place.worker - place.sharing().first, &exchange_ctx_, gradients);
  if (place.workers > 1) model_.ctx().group = &*exchange_;
  if (model_.ctx().state->batches > 1) accumulated_.emplace(&model_.net(), &model_.ctx());
  path_ = on_device ? OpenOnDevice() : model_.device() ? OpenLayersOnDevice() : OpenOnHost();
}

void Trainer::OpenNets() {
  model_.Open();
  for (NetNode& node : model_.net().nodes()) node.layer->WriteTo(&outputs_);
  metrics_ = MetricSums(&model_.net());
}

std::unique_ptr<StepPath> Trainer::OpenOnHost() {
  OpenNets();
  return std::make_unique<HostPath>(
      HostPath::Parts{&*exchange_, updates_, &metrics_, &model_.ctx()});
}

std::unique_ptr<StepPath> Trainer::OpenLayersOnDevice() {
  auto params = std::make_unique<DeviceExchange>(&*exchange_, &model_.ctx(), &model_.trained());
  PlaceParams(model_.nets(), params.get());
  OpenNets();
  return std::make_unique<DeviceLayersPath>(
      HostPath::Parts{&*exchange_, updates_, &metrics_, &model_.ctx()}, std::move(params),
      model_.device());
}

std::unique_ptr<StepPath> Trainer::OpenOnDevice() {
  std::unique_ptr<DeviceUpdates> updates = PlaceUpdates();
  OpenNets();
  updates->AttachMetrics(&metrics_);
  return std::make_unique<DevicePath>(
      std::move(updates), DevicePath::Parts{.net = &model_.net(),
                                            .pass = model_.algorithm().captured_pass().value(),
                                            .device = model_.device(),
                                            .loss_scale = loss_scale(),
                                            .ctx = &model_.ctx()});
}

std::unique_ptr<DeviceUpdates> Trainer::PlaceUpdates() {
  const WorkerPlace& place = model_.place();
  auto updates = std::make_unique<DeviceUpdates>(
      model_.job(),
      DeviceUpdates::Worker{.net = &model_.net(),
                            .trained = &model_.trained(),
                            .replica = replica_,
                            .updates = updates_,
                            .device = model_.device(),
                            .ctx = &model_.ctx(),
                            .judges_losses = model_.algorithm().forward_backward(),
                            .leads = place.leads(),
                            .loss_scale = loss_scale(),
                            .member = place.gpus ? &*place.gpus : nullptr,
                            .sender = place.sender ? &*place.sender : nullptr,
                            .regions = SizesOfBridges(model_.net().nodes(), place.workers)});
  if (place.gpus) {
    model_.ctx().group = updates.get();
    model_.ctx().exchange = updates->exchange();
  }
  PlaceParams(model_.nets(), updates.get());
  return updates;
}

bool Trainer::TrainStep(int64_t step, BatchGate* gate) {
  return Train(step, &path_->exchange(), gate);
}

void Trainer::TrainStep(int64_t step, ParamExchange* exchange) { Train(step, exchange, nullptr); }

bool Trainer::Train(int64_t step, ParamExchange* exchange, BatchGate* gate) {
  model_.ctx().state->step = step;
  model_.mark().SetStep(step);
  const ActivityMark::Scope trains(&model_.mark(), Activity::kBetween);
  bool done = true;
  const auto pass = [&] { done = TrainBatches(exchange, gate); };
  // A reference is small enough that std::function allocates nothing.
  path_->Run(step, std::ref(pass), exchange == &path_->exchange() && !accumulated_);
  return done;
}

// Returns false if `gate` abandons the step. A step that was dropped has ended its exchange, so it
// is never abandoned.
bool Trainer::TrainBatches(ParamExchange* exchange, BatchGate* gate) {
  Net& net = model_.net();
  if (!accumulated_) {
    model_.algorithm().TrainOneBatch(model_.ctx(), net, *exchange);
    return true;
  }
  StepState& state = *model_.ctx().state;
  for (state.batch = 0; state.batch < state.batches; ++state.batch) {
    if (state.batch > 0) path_->BeginBatch();
    net.set_adds_gradients(state.batch > 0);
    accumulated_->BeginBatch(exchange);
    if (gate && !accumulated_->dropped() && !gate->Begin(state.batch)) break;
    if (accumulated_->dropped())
      SkipBatch();
    else
      model_.algorithm().TrainOneBatch(model_.ctx(), net, *accumulated_);
  }
  const bool done = state.batch == state.batches;
  state.batch = 0;
  return done;
}

// Reads the records of a batch, so that the next step has its own, whether this one was dropped or
// not.
void Trainer::SkipBatch() {
  for (NetNode& node : model_.net().nodes())
    if (node.wiring.is_input)
      model_.net().ComputeFeature(model_.ctx(), node, static_cast<Phase>(kTrain | kForward));
}

MetricSums& Trainer::metrics() {
  path_->CollectMetrics();
  return metrics_;
}

std::optional<double> Trainer::GradientNorm(int64_t step) {
  if (model_.job().updater().clip_norm() <= 0) return std::nullopt;
  return path_->GradientNorm(step);
}

void Trainer::Finish() {
  path_->Await();
  outputs_.Finish();
  if (outputs_.refused()) throw *outputs_.refused();
}

}  // namespace singa
