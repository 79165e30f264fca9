#include "train/state/handed_momentum.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/text/parse_number.h"
#include "singa/base/str_cat.h"
#include "singa/train/learning_rate.h"
#include "singa/train/updater.h"
#include "train/apply/update_rule.h"
#include "train/reduce/exchange_state.h"

namespace singa {
namespace {

// Names are those of CodecState (cluster/client): codec/group0/workers2-3/slice7.
constexpr std::string_view kNumber = "/slice";
constexpr int64_t kRestAndMomentum = 2;  // tensors are [states, nodes, floats of the slice]

bool HasMomentum(const StoredTensor& tensor) {
  return tensor.name.starts_with(StatePrefix(kCodecState)) && tensor.type == StoredType::kF32 &&
         tensor.shape.dims() == 3 && tensor.shape[0] == kRestAndMomentum;
}

// Returns the slice that a name ends with; -1: none.
int SliceOf(const std::string& name) {
  const size_t at = name.rfind(kNumber);
  if (at == std::string::npos) return -1;
  return ParseNumber<int>(std::string_view(name).substr(at + kNumber.size())).value_or(-1);
}

// The sums over the processes, in float64, of each element of the params.
struct Sums {
  std::vector<std::vector<double>> rest, momentum;  // by slice
};

// Returns none if the slices are not those of `table`.
std::optional<Sums> SumsOf(const Safetensors& state, const SliceTable& table) {
  Sums sums{std::vector<std::vector<double>>(table.size()),
            std::vector<std::vector<double>>(table.size())};
  for (const StoredTensor& tensor : state.tensors()) {
    if (!HasMomentum(tensor)) continue;
    const int slice = SliceOf(tensor.name);
    const bool fits = tensor.name.starts_with(StatePrefix(kCodecState, 0)) && slice >= 0 &&
                      slice < table.size() && tensor.shape[2] == table[slice].size;
    if (!fits) return {};
    const std::vector<float> floats = FloatsIn(tensor);
    const size_t nodes = tensor.shape[1], n = tensor.shape[2];
    sums.rest[slice].resize(n);
    sums.momentum[slice].resize(n);
    for (size_t i = 0; i < nodes * n; ++i) {
      sums.rest[slice][i % n] += floats[i];
      sums.momentum[slice][i % n] += floats[nodes * n + i];
    }
  }
  const bool all = std::ranges::none_of(sums.rest, [](const auto& rest) { return rest.empty(); });
  return all ? std::optional(std::move(sums)) : std::nullopt;
}

}  // namespace

bool ProcessesHadMomentum(const Safetensors& state) {
  return std::ranges::any_of(state.tensors(), HasMomentum);
}

std::vector<std::vector<float>> HandedMomentum(const Safetensors& state, int64_t step,
                                               const Trainer& trainer) {
  const TrainedParams& trained = trainer.model().trained();
  const UpdaterProto& updater = trainer.model().job().updater();
  const double m = MakeUpdater(updater)->momentum();
  const std::optional<Sums> sums = SumsOf(state, trained.table);
  if (m <= 0 || !sums) return {};
  const double rate = trainer.replica().rule().LearningRateAt(step);
  std::vector<std::vector<float>> momentum;
  for (const Param* param : trained.params) momentum.emplace_back(param->size());
  for (int s = 0; s < trained.table.size(); ++s) {
    const Slice& slice = trained.table[s];
    const double lr = rate * ScaleOf(*trained.params[slice.param]).lr;
    float* const to = momentum[slice.param].data() + slice.begin;
    for (int64_t i = 0; i < slice.size; ++i)
      to[i] = static_cast<float>(-lr * (sums->momentum[s][i] + (1 - m) / m * sums->rest[s][i]));
  }
  return momentum;
}

}  // namespace singa
