#include "train/trainer/worker_model.h"

#include <algorithm>

#include "base/thread/core_binding.h"
#include "base/thread/omp_threads.h"
#include "nn/plan/open_net.h"
#include "singa/base/error.h"
#include "tensor/gpu/gpus.h"
#include "train/apply/step_rule.h"
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

std::unique_ptr<Algorithm> AlgorithmOf(const JobProto& job) {
  try {
    return MakeAlgorithm(job.train_one_batch());
  } catch (const ConfigError& error) {
    throw error.Under("train_one_batch");
  }
}

}  // namespace

WorkerModel::WorkerModel(const JobProto& job, const WorkerPlace& place,
                         std::vector<KernelChoice>* choices)
    : job_(job), place_(place) {
  ctx_.threads = place.threads;
  ctx_.plain = job.plain_kernels();
  ctx_.seed = job.seed();
  ctx_.worker_group = place.group;
  state_.batches = job.accumulate_steps();
  ctx_.state = &state_;
  ctx_.mark = &mark_;
  if (place.gpu >= 0) device_ = std::make_unique<WorkerDevice>(job, OpenGpu(place.gpu), &ctx_);
  SetOmpThreads(place.threads);
  algorithm_ = AlgorithmOf(job);
  ctx_.choices = choices;
  net_ = PlanNet(job_, kTrain, place, &parts_, *algorithm_, &ctx_, &memory_of_nets_);
  params_ = parts_.divided() ? parts_.Wholes() : std::move(parts_);
  ctx_.choices = nullptr;
  trained_ = FindTrained();
  if (place.group == 0 && place.worker == 0) PlanEvaluators();
}

void WorkerModel::PlanEvaluators() {
  evaluation_ctx_ = ctx_;
  evaluation_ctx_.threads = EvaluationThreads(place_);
  const auto plan = [this](Phase phase) {
    return std::make_unique<Evaluator>(job_, phase, &params_, algorithm_.get(), &evaluation_ctx_);
  };
  if (RunsPhase(job_, kTest)) test_ = plan(kTest);
  if (RunsPhase(job_, kVal)) validate_ = plan(kVal);
  for (const Evaluator* evaluator : evaluators()) memory_of_nets_.ShareArena(evaluator->memory());
}

std::vector<Evaluator*> WorkerModel::evaluators() const {
  std::vector<Evaluator*> all;
  for (Evaluator* evaluator : {test_.get(), validate_.get()})
    if (evaluator) all.push_back(evaluator);
  return all;
}

std::vector<const Net*> WorkerModel::nets() const {
  std::vector<const Net*> nets = {&net_};
  for (const Evaluator* evaluator : evaluators()) nets.push_back(&evaluator->net());
  return nets;
}

// Returns whether a gradient is handed on in pieces. Other algorithms may need whole gradients, and
// so do debug output, histograms of the gradients of a worker alone, steps of several batches,
// updates that depend on all gradients, and groups with a worker on a GPU.
bool WorkerModel::InPieces(const NetNode& node, const Param& param) const {
  const bool counted =
      job_.tensorboard() && job_.tensorboard_histogram_freq() > 0 && place_.workers == 1;
  return algorithm_->forward_backward() && !job_.debug() && !counted && job_.gpu_size() == 0 &&
         job_.accumulate_steps() == 1 && !StepRule(job_).needs_all() &&
         PiecePlanOf(place_).Wants(node, param);
}

TrainedParams WorkerModel::FindTrained() const {
  TrainedParams trained;
  std::vector<Shape> shapes;
  std::vector<ParamDivision> divisions;
  for (size_t i = 0; i < params_.params().size(); ++i) {
    Param* const whole = params_.params()[i].get();
    Param* const own = parts_.params().empty() ? whole : parts_.params()[i].get();
    for (const NetNode& node : net_.nodes()) {
      if (std::ranges::find(node.completes, own) == node.completes.end()) continue;
      trained.params.push_back(whole);
      trained.own.push_back(own);
      trained.in_pieces.push_back(InPieces(node, *own));
      shapes.push_back(whole->shape());
      const int contributors = own->contributors();
      const int parts = own->is_part() ? place_.workers / contributors : 1;
      divisions.push_back({parts, contributors});
      trained.by.push_back({place_.worker % parts, parts, contributors});
    }
  }
  trained.table = SliceTable(shapes, divisions);
  if (!parts_.params().empty())
    for (const auto& whole : params_.params()) trained.of_other_phases.push_back(whole.get());
  return trained;
}

JobMemory WorkerModel::Count(int64_t states, bool updates_on_device) const {
  return CountMemory({.place = place_,
                      .params = params_,
                      .trained = trained_,
                      .pieces = PiecePlanOf(place_),
                      .states = states,
                      .memory = memory_of_nets_,
                      .nets = nets(),
                      .workspace = ctx_.stream ? ctx_.stream->workspace_bytes() : 0,
                      .on_device = device_ != nullptr,
                      .updates_on_device = updates_on_device,
                      .all_reduce = job_.cluster().all_reduce()});
}

void WorkerModel::AllocateValues(const GroupMemory* shared, const WorkerModel* lead) {
  if (shared) BindTo(*shared);
  for (const auto& param : params_.params()) {
    if (!param->data.empty()) continue;
    param->data = lead && param->trains() ? lead->params_.Find(param->name())->host()
                                          : Tensor::Allocate(param->shape());
  }
  BindParts();
}

void WorkerModel::BindParts() {
  for (const auto& part : parts_.params())
    part->data.Bind(params_.Find(part->name())->data.data() + part->begin());
}

void WorkerModel::BindTo(const GroupMemory& shared) {
  for (size_t i = 0; i < trained_.params.size(); ++i) {
    Param* const own = trained_.own[i];
    const int number = static_cast<int>(i);
    trained_.params[i]->data.Bind(shared.values(number));
    if (trained_.in_pieces[i]) continue;
    own->grad.SetShape(own->shape());
    own->grad.Bind(shared.gradient(place_.worker, number) + own->begin());
  }
}

void WorkerModel::Open() {
  const NetArena arena = NetArena::Allocate(ctx_, memory_of_nets_);
  OpenNet(ctx_, arena, &net_);
  evaluation_ctx_.device_state = ctx_.device_state;  // WorkerDevice::MakeRoom may have moved it
  for (Evaluator* evaluator : evaluators()) evaluator->Open(arena);
}

}  // namespace singa
