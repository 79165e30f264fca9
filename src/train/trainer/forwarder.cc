#include "train/trainer/forwarder.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/text/counted.h"
#include "base/thread/omp_threads.h"
#include "base/thread/thread.h"
#include "nn/feature/carried_steps.h"
#include "nn/feature/flat_rows.h"
#include "nn/feature/row_index.h"
#include "nn/plan/net_builder.h"
#include "nn/plan/open_net.h"
#include "nn/plan/prepare_net.h"
#include "singa/base/error.h"
#include "singa/tensor/memory.h"
#include "train/device/device_exchange.h"
#include "train/trainer/job_memory.h"

namespace singa {
namespace {

// Returns the shape of one step of the layer's feature, batch first.
Shape StepShape(const NetNode& node) {
  const Shape& all = node.out[0]->data.shape();
  const int steps = node.conf.unroll_len();  // steps of this node
  if (steps == 1) return all;
  Shape step = all;
  if (!node.wiring.sequence) {
    step.Set(0, all[0] / steps);
    return step;
  }
  std::vector<int64_t> sizes;
  for (int i = 1; i < all.dims(); ++i) sizes.push_back(all[i]);
  return Shape(std::span<const int64_t>(sizes));
}

int64_t OutputSteps(const Net& net, const NetNode& output) {
  if (output.conf.unroll_len() > 1) return output.conf.unroll_len();
  return std::count_if(net.nodes().begin(), net.nodes().end(),
                       [&](const NetNode& node) { return node.name == output.name; });
}

// Returns a row's layout. `step`: shape of a step, batch first. `sequence`: whether the row is a
// sequence, even of one step.
RowLayout LayoutOf(bool sequence, int64_t steps, const Shape& step) {
  RowLayout row = {steps, {}, steps * step.size(1)};
  if (sequence) row.shape.push_back(steps);
  for (int i = 1; i < step.dims(); ++i) row.shape.push_back(step[i]);
  return row;
}

}  // namespace

Forwarder::Forwarder(const JobProto& job, const ForwardOptions& options)
    : job_(job), options_(options) {
  ctx_.threads = AllowedThreads(options.threads);
  ctx_.plain = job.plain_kernels();
  ctx_.seed = job.seed();
  ctx_.state = &state_;
  if (options.gpu) device_ = std::make_unique<WorkerDevice>(job_, options.gpu, &ctx_);
  if (ctx_.device == Device::kCpu && !ctx_.plain) ctx_.constant = &constant_;
  nets_.emplace_back().rows = options.max_batch;
  for (auto rows = static_cast<int64_t>(std::bit_floor(uint64_t(options.max_batch))); rows > 0;
       rows /= 2)
    if (rows < options.max_batch) nets_.emplace_back().rows = rows;
  const OmpThreads threads(ctx_.threads);
  CheckThreads(ctx_.threads - 1);
  Make(&nets_[0]);
  const Wiring& given = input().wiring;
  in_ = LayoutOf(given.outputs_are_steps, StepsOfRow(given), input().out[0]->data.shape());
  const int64_t steps = OutputSteps(*nets_[0].net, output());
  out_step_ = StepShape(output());
  out_ = LayoutOf(steps > 1, steps, out_step_);
  if (options_.step_by_step) carried_ = CarriedSteps(*nets_[0].net);
}

Forwarder::~Forwarder() {
  if (device_) device_->Drain();
}

const NetNode& Forwarder::input() const {
  const std::deque<NetNode>& nodes = nets_[0].net->nodes();
  return *std::find_if(nodes.begin(), nodes.end(),
                       [](const NetNode& node) { return node.wiring.is_input && node.in.empty(); });
}

bool Forwarder::carries() const {
  const std::deque<NetNode>& nodes = nets_[0].net->nodes();
  return std::any_of(nodes.begin(), nodes.end(), [](const NetNode& node) {
    if (node.wiring.is_input && node.in.empty()) return false;  // this is a Feed
    const auto& buffers = node.declared().buffers;
    return node.conf.has_user_type() ||
           std::any_of(buffers.begin(), buffers.end(),
                       [](const Buffer& buffer) { return buffer.keep == Keep::kForever; });
  });
}

// If no layer is named, the last node's layer is the output, since all others only lead to it.
const NetNode* Forwarder::FindOutput(const Net& net) const {
  const std::string& name = options_.layer.empty() ? net.nodes().back().name : options_.layer;
  return &*std::find_if(net.nodes().begin(), net.nodes().end(), [&](const NetNode& node) {
    return node.name == name && node.conf.unroll_index() == 0;
  });
}

void Forwarder::Make(Sized* sized) {
  const NetUse use = {options_.layer, sized->rows, &fed_, options_.step_by_step};
  NetOptions options;
  options.phase = kTest;
  options.gradients = false;
  options.fold = options_.fold;
  options.use = &use;
  sized->net = std::make_unique<Net>(BuildNet(job_.neuralnet(), options, &params_));
  sized->output = FindOutput(*sized->net);
  const int64_t rows = StepShape(*sized->output)[0];
  if (rows != sized->rows)
    throw ConfigError("neuralnet." + sized->output->path,
                      StrCat("gives ", Counted(rows, "row"), " for ",
                             Counted(sized->rows, "record"), ": must be one each"));
  try {
    sized->memory = PrepareNet(ctx_, sized->net.get());
  } catch (const ConfigError& error) {
    throw error.Under("neuralnet");
  }
}

void Forwarder::Allocate(Sized* sized) {
  CheckFits("a batch of " + Counted(sized->rows, "row"),
            device_ ? sized->memory.host_arena : sized->memory.arena);
  if (arena_.main.empty()) arena_ = NetArena::Allocate(ctx_, sized->memory);
  OpenNet(ctx_, arena_.Fits(sized->memory) ? arena_ : NetArena::Allocate(ctx_, sized->memory),
          sized->net.get());
  if (!sized->output->on_device) return;
  sized->seen.SetShape({sized->rows * out_.size});
  sized->seen.Own(device_->gpu().AllocatePinned(sized->seen.bytes()));
}

void Forwarder::PlaceValues() {
  if (!device_) return;
  DeviceExchange exchange(nullptr, &ctx_);
  PlaceParams({nets_[0].net.get()}, &exchange);
  exchange.Upload();
  ctx_.stream->Wait();
}

void Forwarder::Open(const ParamTable& values) {
  for (const auto& param : params_.params()) param->data = values.Find(param->name())->data;
  const OmpThreads threads(ctx_.threads);
  if (device_) device_->Begin(state_);
  Allocate(&nets_[0]);
}

void Forwarder::Compute(Net* net, int64_t first_row) {
  for (NetNode& node : net->nodes()) {
    try {
      net->ComputeFeature(ctx_, node, kTest);
    } catch (const IndexError& error) {
      const RowSpan& span = node.in[0]->span;
      if (span.rows != net->batch()) throw;  // joined or cut rows are no given rows
      const bool stepped = in_.steps > 1 || span.steps > 1 || node.full_name != node.name;
      const int64_t step = span.first_step + error.row() / span.rows;
      throw RowError(first_row + error.row() % span.rows, stepped ? step : -1, error.what());
    }
  }
}

// Returns the output on the host, when a GPU has done its work.
const float* Forwarder::OutputOnHost(Sized* sized) {
  const float* feature = sized->output->out[0]->data.data();
  if (!device_) return feature;
  if (!sized->seen.empty()) {
    ctx_.stream->Copy(feature, sized->seen.data(), sized->seen.bytes());
    feature = sized->seen.data();
  }
  ctx_.stream->Wait();
  return feature;
}

// Steps of a row lie apart if a batch has several rows: [T, b, k] in the net, [b, T, k] in `out`.
void Forwarder::CopyOut(Sized* sized, float* out) {
  const int64_t steps = out_.steps, rows = sized->rows, size = out_.size / steps;
  Shape together = out_step_;
  const bool apart = steps > 1 && rows > 1;
  together.Set(0, apart ? 1 : steps * rows);
  const FlatRows flat(together);
  const float* feature = OutputOnHost(sized);
  Context host = ctx_.ForHost();
  const auto copy = [&](const float* stored, float* to) {
    if (flat.in_order())
      std::memcpy(to, stored, together.size() * sizeof(float));
    else
      flat.FromStored(host, stored, to);
  };
  if (!apart) return copy(feature, out);
  for (int64_t t = 0; t < steps; ++t)
    for (int64_t r = 0; r < rows; ++r)
      copy(feature + (t * rows + r) * size, out + (r * steps + t) * size);
}

void Forwarder::RunBatch(Sized* sized, const float* rows, int64_t first_row, float* out) {
  if (!sized->net) {
    Sized made;
    made.rows = sized->rows;
    Make(&made);
    Allocate(&made);
    *sized = std::move(made);
  }
  Net& net = *sized->net;
  if (!goes_on_) {
    net.BeginPass(ctx_, 0);  // earlier rows must not change these rows' output
    ctx_.past = 0;
    last_steps_.clear();
  }
  goes_on_ = options_.one_sequence;
  if (carried_ > 0 && ctx_.past == carried_) BeginAnew(&net, first_row);
  fed_.data = rows;
  if (options_.one_sequence) CopyStates(&net, true);
  try {
    Compute(&net, first_row);
  } catch (const RowError&) {
    if (options_.one_sequence) CopyStates(&net, false);
    throw;
  }
  if (options_.step_by_step) NoteStep(rows);
  CopyOut(sized, out);
}

// Computes the last steps again as the first ones.
void Forwarder::BeginAnew(Net* net, int64_t first_row) {
  net->BeginPass(ctx_, 0);
  ctx_.past = 0;
  for (size_t at = 0; at < last_steps_.size(); at += in_.size, ++ctx_.past) {
    fed_.data = last_steps_.data() + at;
    Compute(net, first_row);
    if (device_) ctx_.stream->Wait();  // copies to the GPU read what the next step overwrites
  }
}

void Forwarder::NoteStep(const float* row) {
  ++ctx_.past;
  const auto most = static_cast<size_t>(RepeatedSteps(carried_) * in_.size);
  if (most == 0) return;
  last_steps_.insert(last_steps_.end(), row, row + in_.size);
  if (last_steps_.size() > most)
    last_steps_.erase(last_steps_.begin(), last_steps_.begin() + in_.size);
}

// Copies the states that layers carry from row to row to kept_, or back. Time steps that layers
// keep need no copy: those from ctx_.past on are not read.
void Forwarder::CopyStates(Net* net, bool keep) {
  size_t next = 0;
  for (NetNode& node : net->nodes()) {
    if (node.conf.carried_steps() > 0) continue;
    Context own = node.ContextOf(ctx_);
    for (Buffer& buffer : node.declared().buffers) {
      if (buffer.keep != Keep::kForever) continue;
      Tensor& state = buffer.tensor;
      if (next == kept_.size()) kept_.push_back(singa::Allocate(own, state.shape(), state.type()));
      void *const here = state.as<void>(), *const there = kept_[next++].as<void>();
      CopyBytes(own, keep ? here : there, keep ? there : here, state.bytes());
    }
  }
}

void Forwarder::Run(const float* rows, int64_t n, float* out) {
  const OmpThreads threads(ctx_.threads);
  if (device_) {
    device_->Drain();  // waits for work of a Run that threw
    device_->Begin(state_);
  }
  int64_t first = 0;
  for (Sized& sized : nets_)
    for (; n - first >= sized.rows; first += sized.rows)
      RunBatch(&sized, rows + first * in_.size, first, out + first * out_.size);
}

}  // namespace singa
