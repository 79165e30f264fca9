#include "singa/nn/net.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text/counted.h"
#include "base/thread/activity_mark.h"
#include "nn/loss/labels.h"
#include "nn/loss/scale_gradient.h"
#include "nn/neuron/row_index.h"
#include "nn/plan/net_storage.h"
#include "singa/nn/record_reader.h"
#include "singa/tensor/memory.h"

namespace singa {
namespace {

std::pair<std::string, int64_t> RecordOfRow(const NetNode& input, int64_t row) {
  const RecordReader* const reader = input.layer->reader();
  return reader ? reader->RecordOfRow(row) : std::pair<std::string, int64_t>("", -1);
}

}  // namespace

Net::Net() : storage_(std::make_unique<Storage>()) {}
Net::~Net() = default;
Net::Net(Net&&) noexcept = default;
Net& Net::operator=(Net&&) noexcept = default;

NetNode* Net::Find(const std::string& name) {
  for (NetNode& node : nodes_)
    if (node.name == name) return &node;
  return nullptr;
}

std::vector<std::pair<int, int>> Net::Edges() const {
  const std::vector<Node>& graph = storage_->graph;
  std::vector<std::vector<int>> producers(storage_->values.size());
  for (size_t i = 0; i < graph.size(); ++i)
    for (const Read& out : graph[i].out) {
      // One kCharRNN node produces all steps of its value.
      std::vector<int>& of_value = producers[out.value];
      if (of_value.empty() || of_value.back() != static_cast<int>(i))
        of_value.push_back(static_cast<int>(i));
    }
  std::vector<std::pair<int, int>> edges;
  for (size_t i = 0; i < graph.size(); ++i)
    for (const Read& in : graph[i].in)
      for (int p : producers[in.value]) {
        const auto gives = [&in](const Read& out) {
          return out.value == in.value && out.first_step < in.first_step + in.steps &&
                 in.first_step < out.first_step + out.steps;
        };
        if (std::any_of(graph[p].out.begin(), graph[p].out.end(), gives))
          edges.emplace_back(p, static_cast<int>(i));
      }
  return edges;
}

std::vector<std::vector<std::vector<Net::Source>>> Net::Sources() const {
  const std::vector<Node>& graph = storage_->graph;
  std::vector<std::map<int, Source>> makers(storage_->values.size());  // by their first step
  for (size_t i = 0; i < graph.size(); ++i)
    for (size_t k = 0; k < graph[i].out.size(); ++k) {
      const Read& out = graph[i].out[k];
      makers[out.value][out.first_step] = {static_cast<int>(i), static_cast<int>(k), 0, out.steps};
    }
  std::vector<std::vector<std::vector<Source>>> sources(graph.size());
  for (size_t i = 0; i < graph.size(); ++i)
    for (const Read& in : graph[i].in) {
      std::vector<Source>& pieces = sources[i].emplace_back();
      for (int t = in.first_step, end = t + in.steps; t < end; t += pieces.back().steps) {
        const auto next = makers[in.value].upper_bound(t);
        pieces.emplace_back();
        if (next == makers[in.value].begin()) continue;
        const auto& [first, maker] = *std::prev(next);
        const int left = first + maker.steps - t;
        if (left > 0)
          pieces.back() = {maker.node, maker.output, t - first, std::min(left, end - t)};
      }
    }
  return sources;
}

int64_t Net::batch() const {
  for (const NetNode& node : nodes_)
    if (node.wiring.is_input && !node.out.empty()) return node.out[0]->span.batch;
  return nodes_.empty() ? 0 : nodes_[0].out[0]->span.batch;
}

int64_t Net::CountRecords() {
  const NetNode* first = nullptr;
  int64_t records = -1;
  for (const NetNode& node : nodes_) {
    RecordReader* const reader = node.layer->reader();
    const int64_t count = reader ? reader->CountRecords() : -1;
    if (count < 0) continue;
    const auto& files = node.declare->files();  // the first is the store
    if (first && count != records)
      throw ConfigError(
          StrCat("neuralnet.", node.path, files.empty() ? "" : "." + files.front().first),
          StrCat("has ", Counted(count, "record"), ", that of layer \"", first->name, "\" ",
                 records, ": record i of one input layer meets record i of the others"));
    first = &node;
    records = count;
  }
  return records;
}

std::vector<std::string> Net::ClassNames() {
  for (NetNode& node : nodes_) {
    RecordReader* const reader = node.layer->reader();
    if (!reader) continue;
    if (std::vector<std::string> names = reader->ClassNames(); !names.empty()) return names;
  }
  return {};
}

// Copies of an unrolled layer read the same records.
std::vector<std::pair<std::string, std::vector<int64_t>>> Net::BadRecords() const {
  std::vector<std::pair<std::string, std::vector<int64_t>>> found;
  std::set<std::string> seen;
  for (const NetNode& node : nodes_) {
    const RecordReader* const reader = node.layer->reader();
    if (!reader) continue;
    std::vector<int64_t> bad = reader->BadRecords();
    if (!bad.empty() && seen.insert(node.name).second)
      found.emplace_back(node.name, std::move(bad));
  }
  return found;
}

void Net::RestoreBadRecords(const std::string& layer, const std::vector<int64_t>& records) {
  for (NetNode& node : nodes_)
    if (RecordReader* reader = node.layer->reader(); reader && node.name == layer)
      reader->RestoreBadRecords(records);
}

void Net::BeginPass(const Context& ctx, int64_t batches_before) {
  for (NetNode& node : nodes_) {
    Context own = ContextOf(node, ctx);
    node.layer->BeginPass(own, batches_before);
  }
}

void Net::Open(const Context& ctx) {
  for (NetNode& node : nodes_) {
    Context own = ContextOf(node, ctx);
    try {
      node.layer->Open(own);
    } catch (const ConfigError& error) {
      throw error.Under(node.path).Under("neuralnet");
    } catch (const DeviceError& error) {
      throw UnderLayer(node, error);
    }
  }
  std::set<std::string> inputs;
  for (const NetNode& node : nodes_)
    if (node.wiring.is_input) inputs.insert(node.name);
  if (inputs.size() > 1) CountRecords();  // throws if they differ
}

// Checks a node's inputs on the host before the node computes.
void Net::Check(Context& ctx, NetNode& node, Phase flags) {
  storage_->transfers[node.place].BeforeFeature(ctx);
  if (!node.traits.checks) return;
  try {
    node.layer->CheckInputs(flags, node.checked);
  } catch (const LabelError& error) {
    const auto [file, record] = RecordOfLabel(node, error.row());
    if (record < 0) throw;
    throw DataError(file, record, error.what());
  } catch (const IndexError& error) {
    const auto [file, record] = RecordOfIndex(node, error.row());
    if (record < 0) throw;
    throw DataError(file, record, error.what());
  }
}

void Net::ComputeFeature(Context& ctx, NetNode& node, Phase flags) {
  if (node.fused || (device_only_ && !OnDevice(node))) return;
  if (ctx.mark)
    ctx.mark->Set(phase_ != kTrain       ? Activity::kEvaluating
                  : node.wiring.is_input ? Activity::kReading
                                         : Activity::kFeature,
                  &node.name);
  Context own = ContextOf(node, ctx);
  own.scratch = storage_->sides[storage_->placement.nodes[node.place]].scratch_memory;
  try {
    if (!device_only_) Check(ctx, node, flags);
    node.layer->ComputeFeature(own, flags, node.in, node.out);
  } catch (const ConfigError& error) {  // a setting that does not fit the data
    throw error.Under(node.path).Under("neuralnet");
  } catch (const DeviceError& error) {
    throw UnderLayer(node, error);
  }
  storage_->transfers[node.place].AfterFeature(ctx);
}

// Finds the source by its labels' memory. Labels of a split are in its source's memory, labels of
// kLabel are a copy, and labels of kRNNLabel were indices.
std::pair<std::string, int64_t> Net::RecordOfLabel(const NetNode& node, int64_t row) const {
  const void* labels = node.checked.back()->label.as<void>();
  for (const NetNode& source : nodes_) {
    if (!labels || source.out.empty() || source.out[0]->label.as<void>() != labels) continue;
    if (source.in.empty()) return RecordOfRow(source, row);
    return source.wiring.step_shift > 0 ? RecordOfIndex(source, row) : RecordOfLabel(source, row);
  }
  return {"", -1};
}

// Follows the first sources to the input layer, through splits and layers whose outputs are steps.
std::pair<std::string, int64_t> Net::RecordOfIndex(const NetNode& node, int64_t row) const {
  const std::vector<std::vector<std::vector<Source>>> sources = Sources();
  Source at;
  for (at.node = 0; &nodes_[at.node] != &node;) ++at.node;
  while (!sources[at.node].empty()) {
    at = sources[at.node][0][0];
    if (at.node < 0) return {"", -1};
    const NetNode& source = nodes_[at.node];
    if (source.wiring.outputs_are_steps) {
      const int64_t rows = source.out[0]->span.rows;
      row = source.wiring.is_input ? row + at.output * rows : row % rows;
    }
    if (source.wiring.is_input) return RecordOfRow(source, row);
    if (!source.traits.aliases_in && !source.wiring.outputs_are_steps) break;
  }
  return {"", -1};
}

void Net::ComputeGradient(Context& ctx, NetNode& node) {
  if (!node.runs_backward) return;
  if (ctx.mark) ctx.mark->Set(Activity::kGradient, &node.name);
  Context own = ContextOf(node, ctx);
  Transfers& transfers = storage_->transfers[node.place];
  transfers.BeforeGradient(ctx);
  for (const NetNode::Unread& unread : node.unread) {
    Tensor& grad = unread.port->grad;
    const int64_t step_size = grad.size() / unread.steps;
    ZeroFloats(own, grad.data() + unread.step * step_size, step_size);
  }
  if (node.fused) return;
  own.scratch = storage_->sides[storage_->placement.nodes[node.place]].scratch_memory;
  try {
    node.layer->ComputeGradient(own, node.in, node.out);
  } catch (const DeviceError& error) {
    throw UnderLayer(node, error);
  }
  if (ctx.scales_losses && node.traits.originates_gradient)
    for (Port* port : node.in)
      if (Tensor& grad = port->grad; !grad.empty())
        ScaleGradient(own, grad.data(), grad.size(),
                      own.device_state ? own.device_state : own.state);
  transfers.AfterGradient(ctx);
  for (Param* param : node.declare->given()) param->CountContribution();
}

void Net::BeginStep() {
  for (NetNode& node : nodes_)
    for (Param* param : node.declare->params()) param->BeginStep();
}

}  // namespace singa
