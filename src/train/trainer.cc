#include "train/trainer.h"

#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "base/cgroup.h"
#include "singa/base/error.h"

namespace singa {

int64_t UsableMemory() {
  const int64_t machine = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  return std::min(machine, CgroupMemory().value_or(machine));
}

bool RunsPhase(const JobProto& job, Phase phase) {
  if (phase == kVal) return job.validate_freq() > 0;
  return job.test_freq() > 0 || job.test_steps() > 0 || job.test_epochs() > 0;
}

Trainer::Trainer(const JobProto& job, int threads, std::vector<KernelChoice>* choices) : job_(job) {
  ctx_.threads = threads;
  ctx_.plain = job.plain_kernels();
  ctx_.seed = job.seed();
  ctx_.state = &state_;
  omp_set_num_threads(threads);
  try {
    algorithm_ = MakeAlgorithm(job.train_one_batch());
  } catch (const ConfigError& error) {
    throw error.Under("train_one_batch");
  }
  ctx_.choices = choices;
  net_ = PlanNet(job_, kTrain, &params_, *algorithm_, &ctx_, &net_memory_);
  ctx_.choices = nullptr;
  if (RunsPhase(job, kTest))
    test_ = std::make_unique<Evaluator>(job_, kTest, &params_, algorithm_.get(), &ctx_);
  if (RunsPhase(job, kVal))
    validate_ = std::make_unique<Evaluator>(job_, kVal, &params_, algorithm_.get(), &ctx_);
  exchange_ = std::make_unique<LocalExchange>(job_, &ctx_);
  CountMemory();
}

void Trainer::CountMemory() {
  const int64_t states = static_cast<int64_t>(exchange_->state_count());
  for (const auto& param : params_.params()) memory_.params += param->data.bytes();
  int64_t room = 0;
  for (const NetNode& node : net_.nodes())
    for (const Param* param : node.completes) {
      if (InPieces(node, *param))
        room = exchange_->room_bytes();
      else
        memory_.gradients += param->grad.bytes();
      memory_.updater += states * param->data.bytes();
    }
  memory_.gradients += room;
  memory_.arena = net_memory_.arena;
  memory_.unplanned = net_memory_.unplanned;
  memory_.forever = net_memory_.forever;
  for (const Evaluator* evaluator : {test_.get(), validate_.get()}) {
    if (!evaluator) continue;
    memory_.arena = std::max(memory_.arena, evaluator->arena_bytes());
    memory_.forever += evaluator->memory().forever;
  }
}

// An algorithm that goes its own way may want to see whole gradients, or to add up several; so does
// whoever looks for a fault.
bool Trainer::InPieces(const NetNode& node, const Param& param) const {
  return algorithm_->forward_backward() && !job_.debug() && exchange_->WantsPieces(node, param);
}

void Trainer::Allocate() {
  const int64_t machine = UsableMemory();
  if (memory_.total() > machine)
    throw DeviceError(StrCat("the job needs ", memory_.total() >> 20,
                             " MiB of memory, the machine ", "has ", machine >> 20));
  for (const auto& param : params_.params()) param->data = Tensor::Allocate(param->shape());
  for (const NetNode& node : net_.nodes())
    for (Param* param : node.completes) exchange_->AddParam(param, InPieces(node, *param));
  const Tensor arena = Tensor::Allocate({memory_.arena}, DType::kU8);
  net_.Bind(arena);
  net_.Open(ctx_);
  for (NetNode& node : net_.nodes()) node.layer->WriteTo(&outputs_);
  for (Evaluator* evaluator : {test_.get(), validate_.get()})
    if (evaluator) evaluator->Open(arena);
  metrics_ = MetricSums(&net_);
}

void Trainer::TrainStep(int64_t step, ParamExchange* exchange) {
  state_.step = step;
  const int64_t skipped = exchange_->skipped();
  algorithm_->TrainOneBatch(ctx_, net_, *exchange);
  if (exchange_->skipped() == skipped)
    metrics_.Take();
  else
    metrics_.Drop();
}

double Trainer::TakeWaitMs() {
  double wait_ms = 0;
  for (NetNode& node : net_.nodes()) wait_ms += node.layer->TakeWaitMs();
  return wait_ms;
}

std::vector<std::pair<std::string, int64_t>> Trainer::ReaderPositions() const {
  std::vector<std::pair<std::string, int64_t>> positions;
  std::set<std::string> seen;  // copies of an unrolled layer are at one place
  for (const NetNode& node : net_.nodes())
    if (const int64_t position = node.layer->ReaderPosition(); position >= 0)
      if (seen.insert(node.name).second) positions.emplace_back(node.name, position);
  return positions;
}

void Trainer::SeekReaders(const std::vector<std::pair<std::string, int64_t>>& positions) {
  for (const auto& [name, position] : positions)
    for (NetNode& node : net_.nodes())
      if (node.name == name) node.layer->SeekReader(position);
}

}  // namespace singa
