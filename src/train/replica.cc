#include "train/replica.h"

#include <glog/logging.h>

#include <algorithm>
#include <array>

#include "train/shared_values.h"

namespace singa {

Replica::Replica(const JobProto& job) : rule_(job), shared_(job.cluster().nworker_groups() > 1) {}

void Replica::Bind(const SliceTable& table, const std::vector<Param*>& params) {
  table_ = table;
  params_ = params;
  for (const Param* param : params) {
    UpdaterState& state = states_.emplace_back();
    state.param = param->name();
    state.names = rule_.states();
    for (size_t i = 0; i < state.names.size(); ++i)
      state.tensors.push_back(Tensor::Allocate(param->shape()));
  }
  locks_.resize(table.size());
  counts_.resize(table.size());
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
  const float* const values = params_[cut.param]->data.data() + cut.begin;
  std::vector<float> floats(values, values + cut.size);
  for (const Tensor& state : states_[cut.param].tensors)
    floats.insert(floats.end(), state.data() + cut.begin, state.data() + cut.begin + cut.size);
  return floats;
}

void Replica::SetFloats(int slice, int64_t count, const std::vector<float>& floats) {
  const Slice& cut = table_[slice];
  counts_[slice] = count;
  std::copy_n(floats.begin(), cut.size, params_[cut.param]->data.data() + cut.begin);
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

void Replica::Apply(Context& ctx, int slice, int64_t step, const float* gradient) {
  constexpr size_t kMaxStates = 8;
  const Slice& cut = table_[slice];
  Param& param = *params_[cut.param];
  UpdaterState& state = states_[cut.param];
  CHECK_LE(state.tensors.size(), kMaxStates);
  std::array<float*, kMaxStates> states;
  for (size_t i = 0; i < state.tensors.size(); ++i) states[i] = state.tensors[i].data() + cut.begin;
  float* const values = param.data.data() + cut.begin;
  std::vector<float> copy(shared_ ? cut.size : 0);
  const std::lock_guard lock(locks_[slice]);
  if (shared_) std::copy_n(values, cut.size, copy.data());  // nobody else writes them now
  rule_.Apply(ctx, {param.conf().lr_scale(), param.conf().wd_scale()}, step, counts_[slice] + 1,
              shared_ ? copy.data() : values, gradient, {states.data(), state.tensors.size()},
              cut.size);
  if (shared_) StoreShared(copy.data(), cut.size, values);
  ++counts_[slice];
}

}  // namespace singa
