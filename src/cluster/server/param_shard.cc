#include "cluster/server/param_shard.h"

#include <algorithm>
#include <array>
#include <utility>

#include "singa/base/str_cat.h"

namespace singa {

ParamShard::ParamShard(const SliceTable& table, const std::vector<ServedParam>& params,
                       const UpdateRule& rule, SliceSet slices)
    : table_(table),
      params_(params),
      rule_(rule),
      slices_(std::move(slices)),
      state_count_(static_cast<int64_t>(rule.states().size())),
      owned_(slices_.size()) {}

std::string ParamShard::Name(int slice) const {
  const ServedParam& param = params_[table_[slice].param];
  return StrCat("slice ", slice, " of param \"", param.name, "\" of layer \"", param.layer, "\"");
}

std::string ParamShard::Key(int slice) const {
  const Slice& cut = table_[slice];
  return StrCat(params_[cut.param].name, "/", cut.begin, "-", cut.begin + cut.size);
}

void ParamShard::Put(int slice, int64_t version, int64_t count, std::span<const float> floats) {
  Owned& owned = at(slice);
  const int64_t n = size(slice), given = static_cast<int64_t>(floats.size());
  if (owned.values == nullptr) {
    owned.own.resize(n);
    owned.values = owned.own.data();
  }
  owned.states.assign(n * state_count_, 0.f);
  if (given > 0) std::copy_n(floats.data(), n, owned.values);
  if (given > n) std::copy(floats.begin() + n, floats.end(), owned.states.begin());
  owned.version = version;
  owned.count = count;
  owned.known = true;
}

std::vector<float> ParamShard::State(int slice) const {
  const Owned& owned = at(slice);
  std::vector<float> floats(owned.values, owned.values + size(slice));
  floats.insert(floats.end(), owned.states.begin(), owned.states.end());
  return floats;
}

void ParamShard::Update(Context* ctx, int slice, int64_t step, const float* gradient) {
  Owned& owned = at(slice);
  const int64_t n = size(slice);
  std::array<float*, UpdateRule::kMostStates> states;
  for (int64_t i = 0; i < state_count_; ++i) states[i] = owned.states.data() + i * n;
  rule_.Apply(*ctx, params_[table_[slice].param].scale, step, owned.count + 1, owned.values,
              gradient, {states.data(), static_cast<size_t>(state_count_)}, n);
  ++owned.version;
  ++owned.count;
}

}  // namespace singa
