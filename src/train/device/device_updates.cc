#include "train/device/device_updates.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "singa/base/error.h"
#include "singa/tensor/memory.h"
#include "train/apply/not_finite.h"
#include "train/device/gpu_compression.h"
#include "train/device/on_device.h"

namespace singa {
namespace {

void Copy(const Context& ctx, const Tensor& from, float* host) {
  const Tensor values = OnHost(ctx, from);
  std::memcpy(host, values.data(), values.bytes());
}

// Returns the rule of the sums. Workers that bound their own gradients leave the sum as it is.
StepRule RuleOf(JobProto job, const GpuSender* sender) {
  if (sender && sender->clip_norm > 0) job.mutable_updater()->clear_clip_norm();
  return StepRule(job);
}

constexpr size_t kAhead = 1;  // steps that the host leaves under way

}  // namespace

DeviceUpdates::DeviceUpdates(const JobProto& job, const Worker& worker)
    : worker_(worker),
      replica_(*worker.replica),
      trained_(worker_.trained->own),
      ctx_(worker.ctx),
      on_host_(worker.ctx->group),
      rule_(RuleOf(job, worker.sender)),
      waits_(rule_.skips || worker.loss_scale),
      outcomes_(
          {.ctx = worker.ctx,
           .updates = worker.updates,
           .loss_scale = worker.loss_scale,
           .skips = rule_.skips,
           .leads = worker.leads,
           .losses = worker.judges_losses ? LossLayers(*worker.net) : std::vector<std::string>(),
           .ahead = kAhead,
           .place_of = [this](const StepReport& report) { return PlaceOf(report); }}),
      transfers_(worker.member ? ctx_->stream->gpu().NewStream() : nullptr),
      gradients_(worker.ctx, *worker.trained, outcomes_.losses()),
      all_reduce_(job.cluster().all_reduce()),
      counts_(trained_.size()) {
  if (worker_.member) own_.emplace(ctx_, outcomes_.losses());
  if (worker_.sender)
    compressed_ = CompressionOf(all_reduce_)
                      .make({job, *worker_.trained, *worker_.sender, ctx_, outcomes_.losses(),
                             worker_.leads, &states_});
  if (worker_.regions.tags > 0)
    exchange_.emplace(worker_.regions, worker_.member->member, ctx_, transfers_.get());
}

// The captured work and the events go before the streams that they belong to. A stream that is
// destroyed waits for its transfers, which end once the group is left.
void DeviceUpdates::Leave() {
  group_.reset();
  gradients_.DropSums();
  if (compressed_) compressed_->Drop();
  exchange_.reset();
  transfers_.reset();
}

void DeviceUpdates::Place(Param* param) {
  const auto trained = std::find(trained_.begin(), trained_.end(), param);
  if (trained != trained_.end()) param->grad.Bind(gradients_.of(trained - trained_.begin()));
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

// Returns whether the worker is the first that has its rows of a param.
bool DeviceUpdates::HasFirst(size_t p) const {
  const Contributors& by = worker_.trained->by[p];
  return by.all() ? worker_.leads : worker_.member->member == by.first;
}

bool DeviceUpdates::Lacks(const Slice& cut) const {
  const Param& own = *trained_[cut.param];
  return cut.begin < own.begin() || cut.begin >= own.begin() + own.size();
}

// Makes pieces of the params whose gradients the first step has announced. Other params are never
// updated. If the workers divide params, the first worker that has a piece inspects it, and the
// findings are added up.
void DeviceUpdates::MakePieces() {
  const size_t averages = replica_.rule().averages() ? 1 : 0;  // among the states of a param
  for (int s = 0; s < replica_.table().size(); ++s) {
    const Slice& cut = replica_.table()[s];
    Param& param = *trained_[cut.param];
    if (std::find(announced_.begin(), announced_.end(), cut.param) == announced_.end()) continue;
    UpdatePiece piece = {};
    float* average = nullptr;
    if (!Lacks(cut)) {
      const int64_t begin = cut.begin - param.begin();
      piece.w = param.data.data() + begin;
      piece.g = param.grad.data() + begin;
      std::vector<Tensor>& states = states_[cut.param];
      for (size_t i = 0; i < states.size() - averages; ++i)
        piece.states[i] = states[i].data() + begin;
      if (averages > 0) average = states.back().data() + begin;
      piece.n = cut.size;
      piece.param = cut.param;
    }
    if (compressed_) compressed_->Add(s, param.grad.data() + cut.begin, piece, average);
    if (own_ && !compressed_) own_->Add(piece);
    pieces_.Add(&param, piece, average, !worker_.trained->divided() || HasFirst(cut.param));
  }
  pieces_.Place(*ctx_);
  if (own_ && !compressed_) own_->Place();
}

// The nets of other phases may have whole params of their own, which the host has by now.
void DeviceUpdates::Upload() {
  Settle();
  UploadIfStale();
  for (Param* param : placed_)
    if (worker_.trained->IsOfOtherPhases(param))
      CopyFromHost(*ctx_, param->host().data(), param->data.data(), param->data.bytes());
}

void DeviceUpdates::UploadIfStale() {
  if (!std::exchange(stale_, false)) return;
  for (Param* param : placed_)
    CopyFromHost(*ctx_, param->host().data(), param->data.data(), param->data.bytes());
  for (size_t p = 0; p < trained_.size(); ++p)
    for (size_t i = 0; i < states_[p].size(); ++i) {
      const float* const host = replica_.states()[p].tensors[i].data() + trained_[p]->begin();
      CopyFromHost(*ctx_, host, states_[p][i].data(), states_[p][i].bytes());
    }
  if (compressed_) compressed_->Upload();
  for (size_t p = 0; p < trained_.size(); ++p) counts_[p] = replica_.count(static_cast<int>(p));
}

void DeviceUpdates::Download() {
  Settle();
  if (!std::exchange(changed_, false) || stale_) return;
  if (compressed_) compressed_->Download();
  for (Param* param : placed_) {
    const bool updated = std::ranges::find(trained_, param) != trained_.end();
    if (worker_.leads && !updated && !worker_.trained->IsOfOtherPhases(param))
      Copy(*ctx_, param->data, param->host().data());
  }
  for (size_t p = 0; p < trained_.size(); ++p) {
    if (!HasFirst(p)) continue;
    Copy(*ctx_, trained_[p]->data, trained_[p]->host().data());
    for (size_t i = 0; i < states_[p].size(); ++i)
      Copy(*ctx_, states_[p][i], replica_.states()[p].tensors[i].data() + trained_[p]->begin());
    replica_.set_count(static_cast<int>(p), counts_[p]);
  }
}

void DeviceUpdates::Join() {
  group_ = JoinGpuGroup(*worker_.member, &ctx_->stream->gpu());
  if (exchange_) exchange_->Join(group_.get(), [this] { MeetGroup(); });
}

// Steps without effect do not count as updates: AwaitReports takes them off counts_.
void DeviceUpdates::BeginStep(int64_t step) {
  if (worker_.member && !group_) Join();
  UploadIfStale();
  if (compressed_) compressed_->Begin(step);
  if (waits_) AwaitReports(0);
  metrics_->Upload();
  changed_ = true;
  char* to = static_cast<char*>(worker_.device->NextNumbers());
  const UpdateRule& rule = replica_.rule();
  for (size_t p = 0; p < trained_.size(); ++p, to += rule.step_bytes())
    rule.Prepare(ScaleOf(*trained_[p]), step, counts_[p] + 1, to);
  for (size_t p = 0; p < trained_.size(); ++p, to += rule.average_bytes())
    rule.PrepareAverage(counts_[p] + 1, to);
}

void DeviceUpdates::GradientReady(Param* param, int64_t) {
  const auto trained = std::find(trained_.begin(), trained_.end(), param) - trained_.begin();
  if (gradients_.has_sums() && worker_.net->device_only()) gradients_.Ready(trained);
  if (!pieces_.placed()) announced_.push_back(static_cast<int>(trained));
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

GroupMember DeviceUpdates::Member() {
  return {group_.get(), *worker_.member, ctx_, transfers_.get(), [this] { MeetGroup(); }};
}

void DeviceUpdates::AddUp(int64_t step) {
  if (compressed_) return compressed_->AddUp(Member(), step, gradients_.bad_losses());
  const bool divided = worker_.trained->divided(), captured = worker_.net->device_only();
  if (!gradients_.has_sums())
    gradients_.MakeSums(
        group_.get(), *worker_.member, transfers_.get(), announced_, all_reduce_,
        [this] { MeetGroup(); }, &*own_);
  if (!captured)
    own_->InspectAll();
  else if (divided)
    own_->Inspect(ctx_->stream, gradients_.of_some());
  MeetGroup();
  if (divided) {
    gradients_.AddUpParts();
    MeetGroup();
  }
  gradients_.AddUpCommon(captured);
  MeetGroup();
}

void DeviceUpdates::Finish(int64_t step) {
  if (!pieces_.placed()) MakePieces();
  StepReport* const report = outcomes_.report();
  const auto* const losses = loss_cells_.as<const double*>();
  InspectLosses(*ctx_, losses, outcomes_.losses(), gradients_.bad_losses());
  if (own_) InspectLosses(*ctx_, losses, outcomes_.losses(), own_->bad_losses());
  if (group_) AddUp(step);
  Judge();
  pieces_.Update(*ctx_, replica_.rule(), worker_.device->numbers(), std::ssize(trained_),
                 &report->verdict);
  metrics_->Take(&report->verdict);
}

void DeviceUpdates::Judge() {
  StepEvidence evidence = {.bad_losses = gradients_.bad_losses(),
                           .loss_count = outcomes_.losses(),
                           .pieces = pieces_.found(),
                           .piece_count = pieces_.count(),
                           .clip_norm = rule_.clip_norm,
                           .ends = !waits_,
                           .state = ctx_->device_state};
  if (!compressed_ || !compressed_->AddFindings(&evidence))
    pieces_.Inspect(*ctx_, rule_.clip_norm > 0);
  if (worker_.trained->divided()) {
    const std::span<double> findings = pieces_.findings();
    SumInOrder(*ctx_, findings.data(), std::ssize(findings));
  }
  JudgeStep(*ctx_, evidence, outcomes_.report());
}

void DeviceUpdates::EndStep() {
  AddToCounts(1);
  if (compressed_) compressed_->Updated(Member(), ctx_->state->step, &outcomes_.report()->verdict);
  outcomes_.SendReport();
  AwaitReports(group_ ? 0 : kAhead);  // workers of a group do the same step
}

// No worker is named if only the sum is not finite.
NotFiniteAt DeviceUpdates::PlaceOf(const StepReport& report) {
  if (!own_) return {};
  const bool is_own = report.loss >= 0 ? own_->LossIsBad(report.loss)
                      : compressed_    ? compressed_->OwnIsBad(report.piece)
                                       : own_->PieceIsBad(report.piece);
  return worker_.updates->PlaceOfWorker(FirstOf(on_host_, *worker_.member, is_own));
}

void DeviceUpdates::AwaitReports(size_t most) {
  AddToCounts(-outcomes_.AwaitReports(most, pieces_.params(), group_.get()));
}

void DeviceUpdates::AddToCounts(int64_t updates) {
  for (const int p : announced_) counts_[p] += updates;
}

}  // namespace singa
