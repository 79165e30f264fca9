#include "train/device/device_updates.h"

#include <glog/logging.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/worker_mark.h"
#include "singa/base/error.h"
#include "singa/tensor/memory.h"
#include "train/not_finite.h"

namespace singa {
namespace {

// `items` on the context's device.
template <typename T>
Tensor OnDevice(const Context& ctx, const std::vector<T>& items) {
  const int64_t bytes = static_cast<int64_t>(items.size() * sizeof(T));
  Tensor tensor = Allocate(ctx, {bytes}, DType::kU8);
  CopyFromHost(ctx, items.data(), tensor.as<void>(), bytes);
  return tensor;
}

void Copy(const Context& ctx, const Tensor& from, Tensor* host) {
  const Tensor values = OnHost(ctx, from);
  std::memcpy(host->data(), values.data(), values.bytes());
}

// Floats up to where a gradient may begin.
constexpr int64_t Aligned(int64_t floats) { return (floats + 63) / 64 * 64; }
constexpr size_t kAhead = 1;  // steps that the host leaves under way

}  // namespace

DeviceUpdates::DeviceUpdates(const JobProto& job, const Worker& worker)
    : worker_(worker),
      replica_(*worker.replica),
      trained_(worker_.trained),
      ctx_(worker.ctx),
      on_host_(worker.ctx->group),
      clip_norm_(job.updater().clip_norm()),
      skip_(job.on_nonfinite() == JobProto::kSkip),
      waits_(skip_ || worker.loss_scale),
      at_once_(job.cluster().all_reduce().fusion_elements()),
      counts_(trained_.size()) {
  for (const NetNode& node : worker.net->nodes())
    if (worker.judges_losses && node.traits.originates_gradient)
      losses_.insert(losses_.end(), node.declare->metrics().size(), node.name);
  int64_t floats = Aligned(loss_count());
  for (const Param* param : trained_) {
    grad_begin_.push_back(floats);
    floats += Aligned(param->size());
  }
  try {
    gradients_ = Allocate(*ctx_, {floats});
  } catch (const DeviceError& error) {
    throw DeviceError(StrCat("the gradients of all params: ", error.what()));
  }
}

void DeviceUpdates::Place(Param* param) {
  const auto trained = std::find(trained_.begin(), trained_.end(), param);
  if (trained != trained_.end())
    param->grad.Bind(gradients_.data() + grad_begin_[trained - trained_.begin()]);
  param->PutOnDevice(AllocateFor(*param, *ctx_));
  placed_.push_back(param);
}

void DeviceUpdates::Bind(MetricSums* metrics) {
  std::vector<const double*> cells;
  for (const NetNode& node : worker_.net->nodes())
    if (worker_.judges_losses && node.traits.originates_gradient)
      for (const Metric& metric : node.declare->metrics())
        cells.push_back(metric.cell.as<double>());
  loss_cells_ = OnDevice(*ctx_, cells);
  for (const Param* param : trained_) {
    std::vector<Tensor>& states = states_.emplace_back();
    for (size_t i = 0; i < replica_.state_count(); ++i)
      states.push_back(AllocateFor(*param, *ctx_));
  }
  report_ = OnDevice(*ctx_, std::vector<StepReport>(1));
  for (size_t i = 0; i <= kAhead; ++i)
    free_reports_.push_back(ctx_->stream->gpu().AllocatePinned(sizeof(StepReport)));
  metrics_ = std::make_unique<DeviceMetrics>(metrics, ctx_);
}

// Of the params whose gradients the first step has announced: others are never updated.
void DeviceUpdates::MakePieces() {
  std::vector<UpdatePiece> pieces;
  for (const Slice& cut : replica_.table().slices()) {
    Param& param = *trained_[cut.param];
    if (std::find(announced_.begin(), announced_.end(), cut.param) == announced_.end()) continue;
    UpdatePiece& piece = pieces.emplace_back();
    piece.w = param.data.data() + cut.begin;
    piece.g = param.grad.data() + cut.begin;
    for (size_t i = 0; i < states_[cut.param].size(); ++i)
      piece.states[i] = states_[cut.param][i].data() + cut.begin;
    piece.n = cut.size;
    piece.param = cut.param;
    largest_ = std::max(largest_, cut.size);
    params_of_pieces_.push_back(&param);
  }
  pieces_ = OnDevice(*ctx_, pieces);
  found_ = OnDevice(*ctx_, std::vector<PieceFinding>(pieces.size()));
}

void DeviceUpdates::BringValues() {
  Settle();
  Bring();
}

void DeviceUpdates::Bring() {
  if (!std::exchange(stale_, false)) return;
  for (Param* param : placed_)
    CopyFromHost(*ctx_, param->host().data(), param->data.data(), param->data.bytes());
  for (size_t p = 0; p < trained_.size(); ++p)
    for (size_t i = 0; i < states_[p].size(); ++i) {
      const Tensor& host = replica_.states()[p].tensors[i];
      CopyFromHost(*ctx_, host.data(), states_[p][i].data(), host.bytes());
    }
  for (size_t p = 0; p < trained_.size(); ++p) counts_[p] = replica_.count(static_cast<int>(p));
}

void DeviceUpdates::GiveValues() {
  Settle();
  if (!std::exchange(changed_, false) || stale_) return;
  for (Param* param : placed_) Copy(*ctx_, param->data, &param->host());
  for (size_t p = 0; p < trained_.size(); ++p)
    for (size_t i = 0; i < states_[p].size(); ++i)
      Copy(*ctx_, states_[p][i], &replica_.states()[p].tensors[i]);
  for (size_t p = 0; p < trained_.size(); ++p) replica_.set_count(static_cast<int>(p), counts_[p]);
}

// One without effect does not count as an update.
void DeviceUpdates::BeginStep(int64_t step) {
  if (worker_.member && !group_) group_ = JoinGpuGroup(*worker_.member, &ctx_->stream->gpu());
  Bring();
  if (waits_) LookAt(0);
  metrics_->Bring();
  changed_ = true;
  char* to = static_cast<char*>(worker_.device->NextNumbers());
  const UpdateRule& rule = replica_.rule();
  for (size_t p = 0; p < trained_.size(); ++p, to += rule.step_bytes())
    rule.Prepare(ScaleOf(*trained_[p]), step, counts_[p] + 1, to);
}

void DeviceUpdates::GradientReady(Param* param, int64_t) {
  if (sums_ && worker_.net->device_only()) sums_->Ready();
  if (has_pieces_) return;
  const auto trained = std::find(trained_.begin(), trained_.end(), param);
  announced_.push_back(static_cast<int>(trained - trained_.begin()));
}

void DeviceUpdates::LossNotFinite(const std::string& layer, int64_t step) {
  throw DivergedError(LossNotFiniteText(layer, step));
}

// Loading a kernel or allocating memory may wait for the work of all GPUs: so nobody adds up before
// all have come so far, and goes on before all have begun to. What is captured has been loaded.
void DeviceUpdates::MeetGroup() {
  double nothing = 0;
  if (!worker_.net->device_only()) on_host_->Sum({&nothing, 1});
}

void DeviceUpdates::SumInOrder(Context& ctx, double* values, int64_t n) {
  if (!ctx.stream) return on_host_->SumInOrder(ctx, values, n);
  MeetGroup();
  group_->Sum(values, n, *ctx.stream);
  MeetGroup();
}

void DeviceUpdates::Finish(int64_t) {
  if (!std::exchange(has_pieces_, true)) MakePieces();
  auto* const report = report_.as<StepReport>();
  const auto* const pieces = pieces_.as<UpdatePiece>();
  auto* const found = found_.as<PieceFinding>();
  const auto count = static_cast<int64_t>(params_of_pieces_.size());
  InspectLosses(*ctx_, loss_cells_.as<const double*>(), loss_count(), bad_losses());
  if (group_) {
    if (!sums_)
      sums_ = std::make_unique<GradientSums>(
          group_.get(), ctx_, &gradients_, GradientSums::Layout{grad_begin_, announced_, at_once_});
    MeetGroup();
    sums_->Finish(worker_.net->device_only());
    MeetGroup();
  }
  InspectPieces(*ctx_, pieces, count, clip_norm_ > 0, found);
  JudgeStep(*ctx_,
            {bad_losses(), loss_count(), found, count, clip_norm_, !waits_, ctx_->device_state},
            report);
  replica_.rule().ApplyAll(*ctx_,
                           {worker_.device->numbers(), pieces, count, largest_, &report->verdict});
  metrics_->Take(&report->verdict);
}

void DeviceUpdates::EndStep() {
  AddToCounts(1);
  OnItsWay next = {std::move(free_reports_.back()), nullptr};
  free_reports_.pop_back();
  ctx_->stream->Copy(report_.as<void>(), next.report.get(), sizeof(StepReport));
  next.here = ctx_->stream->Record();
  on_their_way_.push_back(std::move(next));
  LookAt(group_ ? 0 : kAhead);  // the workers of a group are never apart
}

void DeviceUpdates::LookAt(size_t most) {
  const WorkerMark::Scope waits(ctx_->mark, group_ ? Doing::kAwaitsWorkers : Doing::kUpdating);
  while (on_their_way_.size() > most) {
    OnItsWay report = std::move(on_their_way_.front());
    on_their_way_.pop_front();
    free_reports_.push_back(report.report);
    if (group_)
      group_->Await(*report.here);
    else
      report.here->Wait();
    Look(report);
  }
}

void DeviceUpdates::Look(const OnItsWay& of_step) {
  const auto& report = *static_cast<const StepReport*>(of_step.report.get());
  LossScale* const scale = worker_.loss_scale;
  if (!report.verdict.dropped) {
    if (scale) scale->Took();
    return;
  }
  if (scale && scale->BacksOff()) {
    AddToCounts(-1);
    if (worker_.leads)
      LOG(INFO) << TextOf(report) << ": losses are scaled by " << scale->value() << " from now on";
    return;
  }
  if (!skip_) throw DivergedError(TextOf(report));
  AddToCounts(-1);
  if (!worker_.leads) return;
  LOG(WARNING) << TextOf(report) << "; the step is skipped";
  worker_.updates->set_skips(worker_.updates->skips() + 1);
}

std::string DeviceUpdates::TextOf(const StepReport& report) const {
  if (report.loss >= 0) return LossNotFiniteText(losses_[report.loss], report.step);
  return GradientNotFiniteText(*params_of_pieces_[report.piece], report.step);
}

void DeviceUpdates::AddToCounts(int64_t updates) {
  for (const int p : announced_) counts_[p] += updates;
}

}  // namespace singa
