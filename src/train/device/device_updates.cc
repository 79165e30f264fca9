#include "train/device/device_updates.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "singa/base/error.h"
#include "singa/tensor/memory.h"
#include "train/apply/not_finite.h"

namespace singa {
namespace {

// Copies `items` to the context's device.
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

// Rounds up to a place where a gradient may begin.
constexpr int64_t Aligned(int64_t floats) { return (floats + 63) / 64 * 64; }
constexpr size_t kAhead = 1;  // steps that the host leaves under way

// Returns the layers of the worker's losses; none if it does not judge them.
std::vector<std::string> LossesOf(const DeviceUpdates::Worker& worker) {
  std::vector<std::string> layers;
  for (const NetNode& node : worker.net->nodes())
    if (worker.judges_losses && node.traits.originates_gradient)
      layers.insert(layers.end(), node.declared().metrics.size(), node.name);
  return layers;
}

}  // namespace

DeviceUpdates::DeviceUpdates(const JobProto& job, const Worker& worker)
    : worker_(worker),
      replica_(*worker.replica),
      trained_(worker_.trained),
      ctx_(worker.ctx),
      on_host_(worker.ctx->group),
      rule_(job),
      waits_(rule_.skips || worker.loss_scale),
      outcomes_({.ctx = worker.ctx,
                 .updates = worker.updates,
                 .loss_scale = worker.loss_scale,
                 .skips = rule_.skips,
                 .leads = worker.leads,
                 .losses = LossesOf(worker),
                 .ahead = kAhead}),
      at_once_(job.cluster().all_reduce().fusion_elements()),
      counts_(trained_.size()) {
  int64_t floats = Aligned(outcomes_.losses());
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

void DeviceUpdates::AttachMetrics(MetricSums* metrics) {
  std::vector<const double*> cells;
  for (const NetNode& node : worker_.net->nodes())
    if (worker_.judges_losses && node.traits.originates_gradient)
      for (const Metric& metric : node.declared().metrics)
        cells.push_back(metric.cell.as<double>());
  loss_cells_ = OnDevice(*ctx_, cells);
  for (const Param* param : trained_) {
    std::vector<Tensor>& states = states_.emplace_back();
    for (size_t i = 0; i < replica_.state_count(); ++i)
      states.push_back(AllocateFor(*param, *ctx_));
  }
  metrics_ = std::make_unique<DeviceMetrics>(metrics, ctx_);
}

// Makes pieces of the params whose gradients the first step has announced. Other params are never
// updated.
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
  piece_count_ = std::ssize(pieces);
  pieces_ = OnDevice(*ctx_, pieces);
  found_ = OnDevice(*ctx_, std::vector<PieceFinding>(pieces.size()));
}

void DeviceUpdates::Upload() {
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

void DeviceUpdates::Download() {
  Settle();
  if (!std::exchange(changed_, false) || stale_) return;
  for (Param* param : placed_) Copy(*ctx_, param->data, &param->host());
  for (size_t p = 0; p < trained_.size(); ++p)
    for (size_t i = 0; i < states_[p].size(); ++i)
      Copy(*ctx_, states_[p][i], &replica_.states()[p].tensors[i]);
  for (size_t p = 0; p < trained_.size(); ++p) replica_.set_count(static_cast<int>(p), counts_[p]);
}

// Steps without effect do not count as updates: LookAt takes them off counts_.
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
  if (piece_count_ >= 0) return;
  const auto trained = std::find(trained_.begin(), trained_.end(), param);
  announced_.push_back(static_cast<int>(trained - trained_.begin()));
}

void DeviceUpdates::LossNotFinite(const std::string& layer, int64_t step) {
  throw DivergedError(LossNotFiniteText(layer, step));
}

// Loading a kernel or allocating memory may wait for the work of all GPUs. Workers therefore meet
// before a sum and after it has begun. A captured step has loaded all before.
void DeviceUpdates::MeetGroup() {
  double nothing = 0;
  if (!worker_.net->device_only()) on_host_->Sum({&nothing, 1});
}

void DeviceUpdates::SumInOrder(Context& ctx, double* values, int64_t n) {
  if (!ctx.stream) return on_host_->SumInOrder(ctx, values, n);
  MeetGroup();
  const std::span numbers(values, static_cast<size_t>(n));
  GpuCollective(group_.get(), worker_.member->member, worker_.member->members, ctx.stream)
      .StartAllReduce(numbers, numbers);
  MeetGroup();
}

void DeviceUpdates::Finish(int64_t) {
  if (piece_count_ < 0) MakePieces();
  StepReport* const report = outcomes_.report();
  const auto* const pieces = pieces_.as<UpdatePiece>();
  auto* const found = found_.as<PieceFinding>();
  InspectLosses(*ctx_, loss_cells_.as<const double*>(), outcomes_.losses(), bad_losses());
  if (group_) {
    if (!sums_)
      sums_ =
          std::make_unique<GradientSums>(group_.get(), *worker_.member, ctx_, &gradients_,
                                         GradientSums::Layout{grad_begin_, announced_, at_once_});
    MeetGroup();
    sums_->Finish(worker_.net->device_only());
    MeetGroup();
  }
  InspectPieces(*ctx_, pieces, piece_count_, rule_.clip_norm > 0, found);
  JudgeStep(*ctx_,
            {bad_losses(), outcomes_.losses(), found, piece_count_, rule_.clip_norm, !waits_,
             ctx_->device_state},
            report);
  replica_.rule().ApplyAll(
      *ctx_, {worker_.device->numbers(), pieces, piece_count_, largest_, &report->verdict});
  metrics_->Take(&report->verdict);
}

void DeviceUpdates::EndStep() {
  AddToCounts(1);
  outcomes_.Follow();
  LookAt(group_ ? 0 : kAhead);  // workers of a group do the same step
}

void DeviceUpdates::LookAt(size_t most) {
  AddToCounts(-outcomes_.LookAt(most, params_of_pieces_, group_.get()));
}

void DeviceUpdates::AddToCounts(int64_t updates) {
  for (const int p : announced_) counts_[p] += updates;
}

}  // namespace singa
