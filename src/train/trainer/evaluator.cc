#include "train/trainer/evaluator.h"

#include "base/thread/activity_mark.h"
#include "base/thread/core_binding.h"
#include "base/thread/omp_threads.h"
#include "nn/feature/carried_steps.h"
#include "nn/graph/graph.h"
#include "nn/input/await_records.h"
#include "nn/plan/open_net.h"
#include "singa/base/error.h"
#include "singa/nn/record_reader.h"
#include "singa/tensor/stream.h"
#include "train/trainer/plan_net.h"

namespace singa {
namespace {

// Copies known bad records. Both nets read the same stores.
void ShareBadRecords(const NetReaders& from, NetReaders to) {
  for (const auto& [layer, records] : from.BadRecords()) to.RestoreBadRecords(layer, records);
}

}  // namespace

Evaluator::Evaluator(const JobProto& job, Phase phase, ParamTable* params, Algorithm* algorithm,
                     Context* ctx)
    : job_(job), phase_(phase), params_(params), algorithm_(algorithm), ctx_(ctx) {
  const OmpThreads threads(ctx_->threads);
  net_ = PlanNet(job_, phase_, {}, params_, *algorithm_, ctx_, &memory_);
  if ((phase == kTest ? job.test_steps() : job.validate_steps()) > 0) return;
  bool store = false;
  for (const NetNode& node : net_.nodes()) {
    if (!node.wiring.is_input) continue;
    store = store || (node.layer->reader() && !node.conf.has_user_type());
    asks_user_ = asks_user_ || node.conf.has_user_type();
  }
  asks_user_ = asks_user_ && !store;
  if (!store && !asks_user_) FailSteps("where no input layer reads a store");
}

void Evaluator::FailSteps(const std::string& why) const {
  throw ConfigError(phase_ == kTest ? "test_steps" : "validate_steps", "must be > 0 " + why);
}

void Evaluator::Open(const NetArena& arena) {
  arena_ = arena;
  OpenNet(*ctx_, arena, &net_);
  if (asks_user_ && readers().CountRecords() < 0)
    FailSteps("where no input layer has a number of records");
}

// Returns false if it was stopped.
bool Evaluator::RunBatches(Net* net, int64_t first_batch, int64_t batches,
                           const std::function<bool()>& stop, OutputFiles* files,
                           MetricSums* sums) {
  const ActivityMark::Scope evaluates(ctx_->mark, Activity::kBetween);
  for (NetNode& node : net->nodes()) node.layer->WriteTo(files);
  BeginPass(net, first_batch);
  const int64_t carried = CarriedSteps(*net);
  for (int64_t i = 0; i < batches; ++i) {
    if (carried > 0 && ctx_->past == carried &&
        !BeginAnew(net, first_batch + i, RepeatedSteps(carried), stop))
      return false;
    if (!AwaitRecords(*ctx_, phase_, stop, net) || stop()) return false;
    algorithm_->TestOneBatch(*ctx_, *net);
    ++ctx_->past;
    sums->Take(*ctx_);
  }
  return true;
}

void Evaluator::BeginPass(Net* net, int64_t first_batch) {
  for (NetNode& node : net->nodes())
    if (RecordReader* reader = node.layer->reader()) reader->Seek(first_batch * net_.batch());
  net->BeginPass(*ctx_, first_batch);
  ctx_->past = 0;
}

// Begins anew `again` batches before `batch`, and computes these batches again, without writing. A
// layer that reads the net's output gives its feature of `batch` first, because that output
// changes: the net computes it again with fewer time steps before it. Returns false if it was
// stopped.
bool Evaluator::BeginAnew(Net* net, int64_t batch, int64_t again,
                          const std::function<bool()>& stop) {
  for (NetNode& node : net->nodes())
    if (node.wiring.is_input && !node.in.empty()) net->ComputeFeature(*ctx_, node, phase_);
  BeginPass(net, batch - again);
  for (; ctx_->past < again; ++ctx_->past) {
    if (stop()) return false;
    for (NetNode& node : net->nodes())
      if (!node.wiring.writes_file) net->ComputeFeature(*ctx_, node, phase_);
    if (ctx_->stream) ctx_->stream->Wait();  // copies read what the next batch overwrites
  }
  net->ClearMetrics(*ctx_);
  return true;
}

std::optional<MetricSums> Evaluator::Run(int64_t steps, const std::function<bool()>& stop) {
  const AllCores cores;  // also for threads that OpenMP starts
  const OmpThreads threads(ctx_->threads);
  MetricSums sums(&net_);
  OutputFiles files;
  const bool whole =
      steps > 0 ? RunBatches(&net_, 0, steps, stop, &files, &sums) : RunStore(stop, &files, &sums);
  if (!whole) return std::nullopt;
  written_ = files.Finish();
  refused_ = files.refused();
  return sums;
}

// Evaluates every record once.
bool Evaluator::RunStore(const std::function<bool()>& stop, OutputFiles* files, MetricSums* sums) {
  const int64_t records = readers().CountRecords(), batch = net_.batch(), rest = records % batch;
  Net* tail = rest > 0 ? TailNet(rest) : nullptr;
  if (!RunBatches(&net_, 0, records / batch, stop, files, sums)) return false;
  if (!tail) return true;
  MetricSums tail_sums(tail);
  const NetReaders tail_readers(tail);
  ShareBadRecords(readers(), tail_readers);
  if (!RunBatches(tail, records / batch, 1, stop, files, &tail_sums)) return false;
  ShareBadRecords(tail_readers, readers());
  sums->Add(tail_sums);
  return true;
}

// Returns the same net for a batch of `rows` rows.
Net* Evaluator::TailNet(int64_t rows) {
  if (!tail_) {
    JobProto job = job_;
    for (LayerProto& layer : *job.mutable_neuralnet()->mutable_layer()) {
      if (!InPhase(layer, phase_)) continue;
      const std::unique_ptr<Layer> maker = MakeLayer(layer);
      if (const RecordReader* reader = maker->reader())
        reader->SetBatchSize(static_cast<int32_t>(rows), &layer);
    }
    NetMemory memory;
    tail_ = std::make_unique<Net>(PlanNet(job, phase_, {}, params_, *algorithm_, ctx_, &memory));
    if (tail_->batch() != rows)
      FailSteps(StrCat("where a user's layer has records that are no multiple of its batch, ",
                       net_.batch()));
    OpenNet(*ctx_, arena_.Fits(memory) ? arena_ : NetArena::Allocate(*ctx_, memory), tail_.get());
    if (watch_) watch_->Watch(tail_.get());
  }
  return tail_.get();
}

}  // namespace singa
