#include "train/trainer/trainer.h"

#include <algorithm>
#include <set>

#include "base/system/cgroup.h"
#include "base/thread/omp_threads.h"
#include "singa/base/error.h"
#include "singa/nn/record_reader.h"
#include "tensor/gpu/gpus.h"
#include "train/apply/step_rule.h"

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
  FindTrained();
  updates_on_device_ = WhyHostUpdates().empty();
  if (updates_on_device_)
    device_->MakeRoom(DeviceUpdates::NumbersBytes(replica_->rule(), trained_.size()), &ctx_);
  if (place.group == 0 && place.worker == 0) PlanEvaluators();
  for (const Evaluator* evaluator : {test_.get(), validate_.get()})
    if (evaluator) memory_of_nets_.Share(evaluator->memory());
  if (ctx_.precision == Precision::kFloat16 && algorithm_->forward_backward()) ScaleLosses();
  CountMemory();
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

void Trainer::FindTrained() {
  std::vector<Shape> shapes;
  for (const auto& param : params_.params())
    for (const NetNode& node : net_.nodes()) {
      const auto& completes = node.completes;
      if (std::find(completes.begin(), completes.end(), param.get()) == completes.end()) continue;
      trained_.push_back(param.get());
      in_pieces_.push_back(InPieces(node, *param));
      shapes.push_back(param->shape());
    }
  table_ = SliceTable(shapes);
}

void Trainer::Allocate() {
  AllocateValues(nullptr);
  alone_->reduction.emplace(table_, updates_, MemoryGroup::Options());
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
  for (size_t i = 0; i < trained_.size(); ++i) {
    const int param = static_cast<int>(i);
    trained_[i]->data.Bind(shared.values(param));
    if (in_pieces_[i]) continue;
    trained_[i]->grad.SetShape(trained_[i]->shape());
    trained_[i]->grad.Bind(shared.gradient(place_.worker, param));
  }
  if (place_.leads() && replica_->table().size() == 0)
    replica_->BindShared(table_, trained_, shared.shared_states());
}

std::vector<float*> Trainer::TrainedValues() {
  std::vector<float*> values;
  for (Param* param : trained_) values.push_back(param->host().data());
  return values;
}

void Trainer::Open(GradientReduction* reduction) {
  if (place_.leads()) updates_->Bind(table_, trained_);
  GroupExchange::Gradients gradients;
  if (!updates_on_device_) gradients = {trained_, in_pieces_, piece_plan().room_floats()};
  exchange_.emplace(reduction, place_.worker - place_.sharing().first, &exchange_ctx_, gradients);
  if (place_.workers > 1) ctx_.group = &*exchange_;
  if (device_) PlaceOnDevice();
  const NetArena arena = NetArena::Allocate(ctx_, memory_of_nets_);
  net_.Bind(ctx_, arena);
  net_.Open(ctx_);
  for (NetNode& node : net_.nodes()) node.layer->WriteTo(&outputs_);
  for (Evaluator* evaluator : {test_.get(), validate_.get()})
    if (evaluator) evaluator->Open(arena);
  metrics_ = MetricSums(&net_);
  if (!own_updates_) return;
  own_updates_->Bind(&metrics_);
  if (algorithm_->captured_pass())
    graph_ = std::make_unique<StepGraph>(&net_, &ctx_, *algorithm_->captured_pass());
}

void Trainer::TrainStep(int64_t step) { TrainStep(step, &exchange()); }

void Trainer::TrainStep(int64_t step, ParamExchange* exchange) {
  state_.step = step;
  mark_.SetStep(step);
  const ActivityMark::Scope trains(&mark_, Activity::kBetween);
  if (device_) device_->gpu().Use();
  if (own_updates_) own_updates_->BeginStep(step);
  if (loss_scale_) state_.loss_scale = static_cast<float>(loss_scale_->value());
  if (device_) device_->Begin(state_);
  const auto train = [&] { algorithm_->TrainOneBatch(ctx_, net_, *exchange); };
  if (own_updates_) {
    try {
      if (graph_ && exchange == own_updates_)
        graph_->Run(train);
      else
        train();
    } catch (const DataError&) {  // if an earlier step has diverged, Settle throws that first
      own_updates_->Settle();
      throw;
    }
    return own_updates_->EndStep();
  }
  train();
  if (updates_->skipped(step))
    metrics_.Drop(ctx_);
  else
    metrics_.Take(ctx_);
}

double Trainer::TakeWaitMs() {
  double wait_ms = 0;
  for (NetNode& node : net_.nodes())
    if (RecordReader* reader = node.layer->reader()) wait_ms += reader->TakeWaitMs();
  return wait_ms;
}

std::vector<std::pair<std::string, int64_t>> Trainer::ReaderPositions() const {
  std::vector<std::pair<std::string, int64_t>> positions;
  std::set<std::string> seen;  // copies of an unrolled layer have one position
  for (const NetNode& node : net_.nodes())
    if (const RecordReader* reader = node.layer->reader(); reader && seen.insert(node.name).second)
      positions.emplace_back(node.name, reader->Position());
  return positions;
}

void Trainer::SeekReaders(const std::vector<std::pair<std::string, int64_t>>& positions) {
  for (const auto& [name, position] : positions)
    for (NetNode& node : net_.nodes())
      if (RecordReader* reader = node.layer->reader(); reader && node.name == name)
        reader->Seek(position);
}

bool Trainer::SkipBatches(int64_t steps) {
  for (NetNode& node : net_.nodes()) {
    RecordReader* const reader = node.layer->reader();
    if (!reader || steps == 0) continue;
    if (reader->Stride() == 0) return false;
    reader->Seek(reader->Position() + steps * reader->Stride());
  }
  return true;
}

}  // namespace singa
