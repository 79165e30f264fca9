// The parts of Trainer for a worker with a device, and the memory that it needs there.
#include <set>
#include <vector>

#include "singa/base/error.h"
#include "train/device/device_exchange.h"
#include "train/trainer/trainer.h"

namespace singa {

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
  return net_.HostsPart();
}

// Sets up the scaling of losses. A gradient that overflows is found before its update, and the next
// step uses a smaller scale.
void Trainer::ScaleLosses() {
  if (!updates_on_device_)
    throw ConfigError("precision",
                      StrCat("must not be kFloat16, which scales gradients, so that updates have "
                             "to be the GPUs'; here they are the host's: ",
                             WhyHostUpdates(), " (kBFloat16 needs no scale)"));
  for (const NetNode& node : net_.nodes())
    if (node.traits.originates_gradient && !node.declare->params().empty())
      throw ConfigError(StrCat("neuralnet.", node.path),
                        "must have no params with precision: kFloat16: it is a loss, whose "
                        "gradients are scaled");
  loss_scale_.emplace();
  ctx_.scales_losses = true;
}

void Trainer::PlaceOnDevice() {
  if (updates_on_device_) {
    auto updates = std::make_unique<DeviceUpdates>(
        job_, DeviceUpdates::Worker{.net = &net_,
                                    .trained = trained_,
                                    .replica = replica_,
                                    .updates = updates_,
                                    .device = device_.get(),
                                    .ctx = &ctx_,
                                    .judges_losses = algorithm_->forward_backward(),
                                    .leads = place_.leads(),
                                    .loss_scale = loss_scale(),
                                    .member = place_.gpus ? &*place_.gpus : nullptr});
    own_updates_ = updates.get();
    if (place_.gpus) ctx_.group = own_updates_;
    device_params_ = std::move(updates);
  } else {
    device_params_ = std::make_unique<DeviceExchange>(&*exchange_, &ctx_);
  }
  PlaceParams(Nets(), device_params_.get());
}

std::vector<const Net*> Trainer::Nets() const {
  std::vector<const Net*> nets = {&net_};
  for (const Evaluator* evaluator : {test_.get(), validate_.get()})
    if (evaluator) nets.push_back(&evaluator->net());
  return nets;
}

ParamExchange& Trainer::exchange() {
  if (device_params_) return *device_params_;
  return *exchange_;
}

void Trainer::MarkDeviceStale() {
  if (device_params_) device_params_->Renew();
}

// These are called between steps, by a thread that may have used another device before.
void Trainer::Download() {
  if (device_) device_->gpu().Use();
  if (device_params_) device_params_->Download();
}

void Trainer::Upload() {
  if (device_) device_->gpu().Use();
  if (device_params_) device_params_->Upload();
}

void Trainer::AwaitDevice() {
  if (device_) device_->gpu().Use();
  if (own_updates_) own_updates_->Settle();
}

MetricSums& Trainer::metrics() {
  AwaitDevice();
  if (own_updates_) own_updates_->GiveMetrics();
  return metrics_;
}

std::optional<double> Trainer::GradientNorm(int64_t step) {
  if (job_.updater().clip_norm() <= 0) return std::nullopt;
  AwaitDevice();
  return own_updates_ ? own_updates_->gradient_norm() : updates_->GradientNorm(step);
}

// The captured work goes before the group of GPUs that it uses.
void Trainer::LeaveGroup() {
  graph_.reset();
  if (own_updates_) own_updates_->Leave();
}

void Trainer::Finish() {
  AwaitDevice();
  outputs_.Finish();
  if (outputs_.refused()) throw *outputs_.refused();
}

// Values and updater states count with the process's first worker, which owns them.
MemoryUse Trainer::ParamMemory() const {
  const bool first = place_.group == 0 && place_.leads();
  const int64_t states = first ? static_cast<int64_t>(replica_->state_count()) : 0;
  MemoryUse use;
  for (const auto& param : params_.params())
    if (first || !param->trains()) use.params += param->data.bytes();
  bool pieces = false;
  for (size_t i = 0; i < trained_.size(); ++i) {
    use.updater += states * trained_[i]->data.bytes();
    if (!in_pieces_[i]) use.gradients += trained_[i]->data.bytes();
    pieces = pieces || in_pieces_[i];
  }
  if (pieces) use.gradients += piece_plan().bytes();
  return use;
}

void Trainer::CountMemory() {
  memory_.host = ParamMemory();
  MemoryUse& use = device_ ? memory_.gpus : memory_.host;
  use.arena = memory_of_nets_.arena;
  use.unplanned = memory_of_nets_.unplanned;
  use.forever = memory_of_nets_.forever;
  if (device_) CountDevice();
}

void Trainer::CountDevice() {
  MemoryUse &host = memory_.host, &gpu = memory_.gpus;
  std::set<const Param*> there;
  for (const Net* net : Nets())
    for (const NetNode& node : net->nodes())
      if (net->OnDevice(node))
        there.insert(node.declare->params().begin(), node.declare->params().end());
  for (const Param* param : there) gpu.params += param->data.bytes();
  for (const Param* param : trained_)
    if (there.count(param)) gpu.gradients += param->data.bytes();
  gpu.forever += ctx_.stream->workspace_bytes();  // other streams only copy and add up
  host.forever = memory_of_nets_.host_forever;
  host.pinned = memory_of_nets_.host_arena;
  if (updates_on_device_) {
    gpu.updater = static_cast<int64_t>(replica_->state_count()) * gpu.gradients;
    host.gradients = 0;
  } else {
    host.pinned += gpu.params + gpu.gradients;
  }
}

}  // namespace singa
