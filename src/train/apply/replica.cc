#include "train/apply/replica.h"

#include <algorithm>
#include <array>

#include "train/apply/shared_values.h"

namespace singa {
namespace {

// Floats of shared values that are copied, updated and stored back at a time, so that they stay in
// the first cache.
constexpr int64_t kSharedBlock = 4096;

}  // namespace

Replica::Replica(const JobProto& job) : rule_(job), shared_(job.cluster().nworker_groups() > 1) {}

void Replica::AddStates(const std::vector<Param*>& params) {
  for (const Param* param : params) {
    UpdaterState& state = states_.emplace_back();
    state.param = param->name();
    state.names = rule_.states();
    state.tensors.resize(state.names.size());
    for (Tensor& tensor : state.tensors) tensor.SetShape(param->shape());
  }
}

void Replica::Attach(const SliceTable& table, const std::vector<Param*>& params) {
  table_ = table;
  params_ = params;
  AddStates(params);
  for (UpdaterState& state : states_)
    for (Tensor& tensor : state.tensors) tensor = Tensor::Allocate(tensor.shape());
  locks_.resize(table.size());
  own_counts_.resize(table.size());
  counts_ = own_counts_;
}

void Replica::AttachShared(const SliceTable& table, const std::vector<Param*>& params,
                           const SharedStates& shared) {
  table_ = table;
  params_ = params;
  AddStates(params);
  for (size_t p = 0; p < states_.size(); ++p)
    for (size_t i = 0; i < states_[p].tensors.size(); ++i)
      states_[p].tensors[i].Bind(shared.states[p][i]);
  locks_.resize(table.size());
  counts_ = shared.counts;
}

int64_t Replica::count(int param) const {
  const auto [first, last] = table_.OfParam(param);
  return *std::min_element(counts_.begin() + first, counts_.begin() + last);
}

void Replica::set_count(int param, int64_t count) {
  const auto [first, last] = table_.OfParam(param);
  std::fill(counts_.begin() + first, counts_.begin() + last, count);
}

std::vector<float> Replica::Floats(int slice) const {
  const Slice& cut = table_[slice];
  const float* const values = params_[cut.param]->host().data() + cut.begin;
  std::vector<float> floats(values, values + cut.size);
  for (const Tensor& state : states_[cut.param].tensors)
    floats.insert(floats.end(), state.data() + cut.begin, state.data() + cut.begin + cut.size);
  return floats;
}

void Replica::SetFloats(int slice, int64_t count, std::span<const float> floats) {
  const Slice& cut = table_[slice];
  counts_[slice] = count;
  std::copy_n(floats.begin(), cut.size, params_[cut.param]->host().data() + cut.begin);
  size_t at = cut.size;
  for (Tensor& state : states_[cut.param].tensors) {
    float* const to = state.data() + cut.begin;
    if (at < floats.size())
      std::copy_n(floats.begin() + static_cast<int64_t>(at), cut.size, to);
    else
      std::fill_n(to, cut.size, 0.f);
    at += cut.size;
  }
}

std::vector<float> Replica::AllFloats() const {
  std::vector<float> all;
  for (int s = 0; s < table_.size(); ++s) {
    const std::vector<float> some = Floats(s);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

void Replica::SetAllFloats(std::span<const float> floats) {
  for (int s = 0; s < table_.size(); ++s) {
    const size_t n = (1 + state_count()) * table_[s].size;
    SetFloats(s, counts_[s], floats.first(n));
    floats = floats.subspan(n);
  }
}

void Replica::Apply(Context& ctx, int slice, int64_t step, const float* gradient) {
  const Slice& cut = table_[slice];
  Param& param = *params_[cut.param];
  std::vector<Tensor>& tensors = states_[cut.param].tensors;
  const int64_t most = shared_ ? kSharedBlock : cut.size;
  std::array<float, kSharedBlock> copy;
  std::array<float*, UpdateRule::kMostStates> states;
  const MutexLock lock(&locks_[slice]);  // nobody else writes the values now
  for (int64_t done = 0; done < cut.size; done += most) {
    const int64_t begin = cut.begin + done, n = std::min(most, cut.size - done);
    float* const values = param.host().data() + begin;
    for (size_t i = 0; i < tensors.size(); ++i) states[i] = tensors[i].data() + begin;
    if (shared_) std::copy_n(values, n, copy.data());
    rule_.Apply(ctx, ScaleOf(param), step, counts_[slice] + 1, shared_ ? copy.data() : values,
                gradient + done, {states.data(), tensors.size()}, n);
    if (shared_) StoreShared(copy.data(), n, values);
  }
  ++counts_[slice];
}

}  // namespace singa
