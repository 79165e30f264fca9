#include "singa/nn/net.h"

#include <utility>

#include "base/thread/activity_mark.h"
#include "nn/loss/scale_gradient.h"
#include "nn/plan/check_inputs.h"
#include "nn/plan/net_layout.h"
#include "nn/plan/under_layer.h"
#include "singa/base/error.h"
#include "singa/tensor/memory.h"

namespace singa {
namespace {

// Multiplies the gradients that a loss gives its sources.
void ScaleGradients(Context& ctx, const NetNode& loss) {
  const float weight = loss.conf.loss_weight();
  if (weight == 1 && !ctx.scales_losses) return;
  const StepState* const state = ctx.device_state ? ctx.device_state : ctx.state;
  for (Port* port : loss.in)
    if (Tensor& grad = port->grad; !grad.empty())
      ScaleGradient(ctx, grad.data(), grad.size(), weight, ctx.scales_losses ? state : nullptr);
}

}  // namespace

Net::Net() : layout_(std::make_unique<NetLayout>()) {}
Net::Net(Phase phase, bool causal, std::deque<NetNode> nodes, std::unique_ptr<NetLayout> layout)
    : phase_(phase), causal_(causal), nodes_(std::move(nodes)), layout_(std::move(layout)) {}
Net::~Net() = default;
Net::Net(Net&&) noexcept = default;
Net& Net::operator=(Net&&) noexcept = default;

NetNode* Net::Find(const std::string& name) {
  for (NetNode& node : nodes_)
    if (node.name == name) return &node;
  return nullptr;
}

RowSpan Net::InputSpan() const {
  for (const NetNode& node : nodes_)
    if (node.wiring.is_input && !node.out.empty()) return node.out[0]->span;
  return nodes_.empty() ? RowSpan() : nodes_[0].out[0]->span;
}

void Net::BeginPass(const Context& ctx, int64_t batches_before) {
  for (NetNode& node : nodes_) {
    Context own = node.ContextOf(ctx);
    node.layer->BeginPass(own, batches_before);
  }
}

void Net::ComputeFeature(Context& ctx, NetNode& node, Phase flags) {
  if (node.fused || (device_only_ && !node.on_device)) return;
  if (ctx.mark)
    ctx.mark->Set(phase_ != kTrain       ? Activity::kEvaluating
                  : node.wiring.is_input ? Activity::kReading
                                         : Activity::kFeature,
                  &node.name);
  Context own = node.ContextOf(ctx);
  own.scratch = layout_->SideOf(node).scratch_memory;
  Transfers& transfers = layout_->transfers[node.place];
  try {
    if (!device_only_) {
      transfers.BeforeFeature(ctx);
      CheckInputs(*this, node, flags);
    }
    node.layer->ComputeFeature(own, flags, node.in, node.out);
  } catch (const ConfigError& error) {  // a setting that does not fit the data
    throw error.Under(node.path).Under("neuralnet");
  } catch (const DeviceError& error) {
    throw UnderLayer(node, error);
  }
  transfers.AfterFeature(ctx);
}

void Net::ComputeGradient(Context& ctx, NetNode& node) {
  if (!node.runs_backward) return;
  if (ctx.mark) ctx.mark->Set(Activity::kGradient, &node.name);
  Context own = node.ContextOf(ctx);
  Transfers& transfers = layout_->transfers[node.place];
  transfers.BeforeGradient(ctx);
  for (const NetNode::Unread& unread : node.unread) {
    Tensor& grad = unread.port->grad;
    const int64_t step_size = grad.size() / unread.steps;
    ZeroFloats(own, grad.data() + unread.step * step_size, step_size);
  }
  if (node.fused) return;
  own.scratch = layout_->SideOf(node).scratch_memory;
  try {
    node.layer->ComputeGradient(own, node.in, node.out);
  } catch (const DeviceError& error) {
    throw UnderLayer(node, error);
  }
  if (node.is_loss()) ScaleGradients(own, node);
  transfers.AfterGradient(ctx);
  for (Param* param : node.declared().given) param->CountContribution();
}

void Net::BeginStep() {
  if (adds_gradients_) return;
  for (NetNode& node : nodes_)
    for (Param* param : node.declared().params) param->BeginStep();
}

void Net::SeeMetrics(Context& ctx) {
  if (!ctx.stream) return;
  for (NetNode& node : nodes_) {
    Declared& declared = node.declared();
    if (node.on_device && !declared.metrics.empty())
      ctx.stream->Copy(declared.metric_cells.as<void>(), declared.seen_cells.as<void>(),
                       declared.metric_cells.bytes());
  }
  ctx.stream->Wait();
}

void Net::ClearMetrics(Context& ctx) {
  for (NetNode& node : nodes_) {
    Tensor& cells = node.declared().metric_cells;
    if (cells.empty()) continue;
    Context own = node.ContextOf(ctx);
    ZeroBytes(own, cells.as<void>(), cells.bytes());
  }
}

}  // namespace singa
