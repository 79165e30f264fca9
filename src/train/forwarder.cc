#include "train/forwarder.h"

#include <omp.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "nn/neuron/flat_rows.h"
#include "nn/plan/net_builder.h"
#include "singa/base/error.h"
#include "train/trainer.h"

namespace singa {
namespace {

// The calling thread's number of OpenMP threads, for as long as this lives.
class OmpThreads {
 public:
  explicit OmpThreads(int threads) : before_(omp_get_max_threads()) {
    omp_set_num_threads(threads);
  }
  ~OmpThreads() { omp_set_num_threads(before_); }
  OmpThreads(const OmpThreads&) = delete;

 private:
  const int before_;
};

}  // namespace

Forwarder::Forwarder(const JobProto& job, const ForwardOptions& options)
    : job_(job), options_(options) {
  ctx_.threads = options.threads;
  ctx_.plain = job.plain_kernels();
  ctx_.seed = job.seed();
  ctx_.state = &state_;
  nets_.emplace_back().rows = options.max_batch;
  for (auto rows = static_cast<int64_t>(std::bit_floor(uint64_t(options.max_batch))); rows > 0;
       rows /= 2)
    if (rows < options.max_batch) nets_.emplace_back().rows = rows;
  const OmpThreads threads(options.threads);
  Make(&nets_[0]);
}

const NetNode& Forwarder::input() const {
  const std::deque<NetNode>& nodes = nets_[0].net->nodes();
  return *std::find_if(nodes.begin(), nodes.end(),
                       [](const NetNode& node) { return node.wiring.is_input && node.in.empty(); });
}

// All others are what it is computed from, so where it is not named it is the last.
NetNode* Forwarder::Output(Net* net) const {
  return options_.layer.empty() ? &net->nodes().back() : net->Find(options_.layer);
}

void Forwarder::Make(Sized* sized) {
  const NetUse use = {options_.layer, sized->rows, &fed_};
  NetOptions options;
  options.phase = kTest;
  options.gradients = false;
  options.use = &use;
  sized->net = std::make_unique<Net>(BuildNet(job_.neuralnet(), options, &params_));
  try {
    sized->arena_bytes = sized->net->Plan(ctx_).arena;
  } catch (const ConfigError& error) {
    throw error.Under("neuralnet");
  }
}

void Forwarder::Allocate(Sized* sized) {
  if (sized->arena_bytes > UsableMemory())
    throw DeviceError(StrCat("a batch of ", sized->rows, " rows needs ", sized->arena_bytes >> 20,
                             " MiB of memory, the machine has ", UsableMemory() >> 20));
  if (arena_.empty()) arena_ = Tensor::Allocate({sized->arena_bytes}, DType::kU8);
  sized->net->Bind(arena_.bytes() >= sized->arena_bytes
                       ? arena_
                       : Tensor::Allocate({sized->arena_bytes}, DType::kU8));
  sized->net->Open(ctx_);
}

void Forwarder::Open(const ParamTable& values) {
  for (const auto& param : params_.params()) param->data = values.Find(param->name())->data;
  const OmpThreads threads(options_.threads);
  Allocate(&nets_[0]);
}

void Forwarder::RunBatch(Sized* sized, const float* rows, float* out) {
  if (!sized->net) {
    Sized made;
    made.rows = sized->rows;
    Make(&made);
    Allocate(&made);
    *sized = std::move(made);
  }
  fed_.data = rows;
  Net& net = *sized->net;
  for (NetNode& node : net.nodes()) {
    node.layer->BeginPass();  // what came before must not change what these rows give
    net.ComputeFeature(ctx_, node, kTest);
  }
  const Tensor& feature = Output(&net)->out[0]->data;
  const FlatRows flat(feature.shape());
  if (flat.in_order())
    std::memcpy(out, feature.data(), feature.bytes());
  else
    flat.FromStored(ctx_, feature.data(), out);
}

void Forwarder::Run(const float* rows, int64_t n, float* out) {
  const OmpThreads threads(options_.threads);
  const int64_t in_size = input_size(), out_size = output_size();
  for (Sized& sized : nets_)
    for (; n >= sized.rows; n -= sized.rows) {
      RunBatch(&sized, rows, out);
      rows += sized.rows * in_size;
      out += sized.rows * out_size;
    }
}

}  // namespace singa
