#include "train/trainer_state.h"

#include <cstring>
#include <map>

#include "singa/base/str_cat.h"

namespace singa {
namespace {

// Calls f(name, float tensor) for every updater state, in the order of the params.
template <typename F>
void ForEachState(Trainer* trainer, F f) {
  for (const auto& param : trainer->params().params()) {
    auto it = trainer->exchange().states().find(param.get());
    if (it == trainer->exchange().states().end()) continue;
    UpdaterState& state = it->second;
    for (size_t i = 0; i < state.names.size(); ++i)
      f("updater/" + param->name() + "/" + state.names[i], state.tensors[i]);
  }
}

// Calls f(name, tensor) for every kForever buffer of the train net. Copies of an unrolled layer
// have one name and a number.
template <typename F>
void ForEachBuffer(Trainer* trainer, F f) {
  std::map<std::string, int> copies;
  for (NetNode& node : trainer->net().nodes())
    for (Buffer& buffer : node.declare->buffers()) {
      if (buffer.keep != Keep::kForever) continue;
      const std::string name = "buffer/" + node.name + "/" + buffer.name;
      const int copy = copies[name]++;
      f(copy == 0 ? name : StrCat(name, "/", copy), buffer.tensor);
    }
}

// Calls f(name, double*) for the sums of every metric since the last row.
template <typename F>
void ForEachMetric(Trainer* trainer, F f) {
  for (MetricSums::Entry& entry : trainer->metrics().entries())
    f("metric/" + entry.layer + "/" + entry.name, &entry.sum, &entry.weight);
}

std::string BadRecordsOf(const std::string& layer) { return "train/bad_records/" + layer; }

}  // namespace

TrainerState::TrainerState(Trainer* trainer) : trainer_(trainer) {
  for (const auto& param : trainer->params().params()) {
    auto it = trainer->exchange().states().find(param.get());
    if (it != trainer->exchange().states().end())
      numbers_.push_back({"updater/" + param->name() + "/count", it->second.count});
  }
  for (const auto& [layer, position] : trainer->ReaderPositions())
    numbers_.push_back({"reader/" + layer, position});
  numbers_.push_back({"train/skipped", trainer->exchange().skipped()});
  bad_records_ = trainer->net().BadRecords();
}

void TrainerState::Save(CheckpointContent* content) const {
  for (const auto& param : trainer_->params().params())
    content->params.push_back(Stored(param->name(), param->shape(), param->data.data()));
  std::vector<StoredTensor>* state = &content->state;
  for (const Number& number : numbers_)
    state->push_back(Stored(number.name, Shape(), &number.value));
  for (const auto& [layer, records] : bad_records_)
    state->push_back(
        Stored(BadRecordsOf(layer), {static_cast<int64_t>(records.size())}, records.data()));
  ForEachState(trainer_, [&](const std::string& name, Tensor& tensor) {
    state->push_back(Stored(name, tensor.shape(), tensor.data()));
  });
  ForEachBuffer(trainer_, [&](const std::string& name, Tensor& tensor) {
    state->push_back(Stored(name, tensor.shape(), tensor.data()));
  });
  ForEachMetric(trainer_, [&](const std::string& name, double* sum, double* weight) {
    state->push_back(Stored(name + "/sum", Shape(), sum));
    state->push_back(Stored(name + "/weight", Shape(), weight));
  });
}

void TrainerState::Restore(const Checkpoint& checkpoint) {
  const auto copy = [](const Safetensors& from, const std::string& name, Tensor* to) {
    const std::span<const float> values = from.Values<float>(name, to->shape());
    std::memcpy(to->data(), values.data(), to->bytes());
  };
  for (const auto& param : trainer_->params().params())
    copy(checkpoint.params(), param->name(), &param->data);
  const Safetensors& state = checkpoint.state();
  const auto number = [&](const std::string& name) {
    constexpr int64_t kMost = int64_t{1} << 53;  // records or updates; sums of two fit int64
    const int64_t value = state.Values<int64_t>(name, Shape())[0];
    if (value < 0 || value > kMost)
      throw DataError(state.file(), -1, StrCat(name, " must be from 0 to 2^53, is ", value));
    return value;
  };
  ForEachState(trainer_,
               [&](const std::string& name, Tensor& tensor) { copy(state, name, &tensor); });
  ForEachBuffer(trainer_,
                [&](const std::string& name, Tensor& tensor) { copy(state, name, &tensor); });
  ForEachMetric(trainer_, [&](const std::string& name, double* sum, double* weight) {
    *sum = state.Values<double>(name + "/sum", Shape())[0];
    *weight = state.Values<double>(name + "/weight", Shape())[0];
  });
  for (auto& [param, updater] : trainer_->exchange().states())
    updater.count = number("updater/" + param->name() + "/count");
  std::vector<std::pair<std::string, int64_t>> positions = trainer_->ReaderPositions();
  for (auto& [layer, position] : positions) position = number("reader/" + layer);
  for (const auto& [layer, position] : positions)
    if (const StoredTensor* bad = state.Find(BadRecordsOf(layer))) {
      const std::span<const int64_t> records = state.Values<int64_t>(bad->name, bad->shape);
      trainer_->net().RestoreBadRecords(layer, {records.begin(), records.end()});
    }
  trainer_->SeekReaders(positions);
  trainer_->exchange().set_skipped(number("train/skipped"));
}

}  // namespace singa
