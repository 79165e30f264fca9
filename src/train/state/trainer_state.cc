#include "train/state/trainer_state.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <numeric>
#include <set>

#include "singa/base/error.h"
#include "train/state/handed_momentum.h"
#include "train/state/lasting_buffers.h"

namespace singa {
namespace {

// Returns the name of state i of the updater for a param.
std::string StateName(const UpdaterState& state, size_t i) {
  return "updater/" + state.param + "/" + state.names[i];
}

// Returns the shape of `buffer` for the whole batch, if it has rows of the batch.
Shape WholeShape(const Buffer& buffer) {
  Shape shape = buffer.tensor.shape();
  if (buffer.span.rows > 0) shape.Set(0, shape[0] / buffer.span.rows * buffer.span.batch);
  return shape;
}

// Returns the worker's part of the whole batch's buffer at `whole`.
float* OwnPlace(const Buffer& buffer, float* whole) {
  if (buffer.span.rows == 0) return whole;
  return whole + buffer.span.first * (buffer.tensor.size() / buffer.span.rows);
}

// Adds `more` to rising `records`.
void Merge(const std::vector<int64_t>& more, std::vector<int64_t>* records) {
  std::vector<int64_t> all;
  std::set_union(records->begin(), records->end(), more.begin(), more.end(),
                 std::back_inserter(all));
  *records = std::move(all);
}

std::string PrefixOf(int group) { return group == 0 ? "" : StrCat("group", group, "/"); }
std::string CountOf(const UpdaterState& state) { return "updater/" + state.param + "/count"; }
const std::string kBadRecords = "train/bad_records/", kSkipped = "train/skipped",
                  kSteps = "train/steps", kLossScale = "train/loss_scale",
                  kLossScaleSteps = "train/loss_scale_steps";

int64_t NumberIn(const Safetensors& state, const std::string& name) {
  constexpr int64_t kMost = int64_t{1} << 53;  // records or updates; sums of two fit int64
  const int64_t value = state.Values<int64_t>(name, Shape())[0];
  if (value < 0 || value > kMost)
    throw DataError(state.file(), -1, StrCat(name, " must be from 0 to 2^53, is ", value));
  return value;
}

// Returns a number for each worker of a group. If the checkpoint has another number of workers, or
// only a sum, the first worker gets the sum.
std::vector<double> OfWorkers(const Safetensors& state, const std::string& name, int workers) {
  const StoredTensor* const stored = state.Find(name);
  const auto found = state.Values<double>(name, stored ? stored->shape : Shape());
  std::vector<double> numbers(workers);
  if (std::ssize(found) == workers)
    std::ranges::copy(found, numbers.begin());
  else
    numbers[0] = std::accumulate(found.begin(), found.end(), 0.0);
  return numbers;
}

void CopyFrom(const Safetensors& from, const std::string& name, Tensor* to) {
  const std::span<const float> values = from.Values<float>(name, to->shape());
  std::memcpy(to->data(), values.data(), to->bytes());
}

}  // namespace

TrainerState::TrainerState(std::vector<Trainer*> trainers, int group, int64_t steps)
    : trainers_(std::move(trainers)),
      group_(group),
      prefix_(PrefixOf(group)),
      trainer_(trainers_[0]) {
  for (Trainer* trainer : trainers_) trainer->path().Download();
  Replica& replica = trainer_->replica();
  for (size_t i = 0; group == 0 && i < replica.states().size(); ++i)
    numbers_.push_back({CountOf(replica.states()[i]), replica.count(static_cast<int>(i))});
  if (group > 0) numbers_.push_back({Name(kSteps), steps});
  numbers_.push_back({Name(kSkipped), trainer_->updates().skips()});
  if (const LossScale* scale = trainer_->loss_scale()) {
    numbers_.push_back({kLossScale, scale->value()});
    numbers_.push_back({kLossScaleSteps, scale->steps()});
  }
  for (const auto& [layer, position] : trainer_->model().readers().positions())
    numbers_.push_back({Name("reader/" + layer), position});
  for (Trainer* trainer : trainers_)  // each worker has met bad records among its own rows
    for (const auto& [layer, records] : trainer->model().readers().BadRecords())
      Merge(records, &bad_records_[layer]);
  JoinBuffers();
  const std::vector<double> none(trainer_->model().place().workers);
  for (const MetricSums::Entry& entry : trainer_->metrics().entries())
    metrics_.push_back({Name("metric/" + entry.layer + "/" + entry.name), none, none});
  for (Trainer* trainer : trainers_) JoinMetrics(MetricsOf(trainer));
}

void TrainerState::JoinBuffers() {
  for (const LastingBuffer& lasting : LastingBuffers(&trainer_->model())) {
    const Shape shape = WholeShape(*lasting.buffer);
    buffers_.push_back({Name(lasting.name), shape, std::vector<float>(shape.size())});
  }
  for (Trainer* trainer : trainers_) {
    auto whole = buffers_.begin();
    for (const LastingBuffer& lasting : LastingBuffers(&trainer->model())) {
      const Tensor values = lasting.OnHost();
      std::memcpy(OwnPlace(*lasting.buffer, (whole++)->values.data()), values.data(),
                  values.bytes());
    }
  }
}

void TrainerState::Join(const WorkerRows& rows) {
  for (const WorkerRows::Buffer& part : rows.buffer()) {
    const auto is_whole = [&](const Whole& buffer) { return buffer.name == Name(part.name()); };
    const auto whole = std::find_if(buffers_.begin(), buffers_.end(), is_whole);
    const bool known = whole != buffers_.end() && whole->shape.dims() > 0;
    const int64_t all = known ? whole->shape[0] : 0;
    const int64_t row = all == 0 ? 0 : whole->shape.size() / all;
    const auto bytes = static_cast<int64_t>(part.floats().size());
    if (part.first() < 0 || part.rows() < 0 || part.first() > all ||
        part.rows() > all - part.first() || !known ||
        bytes != part.rows() * row * static_cast<int64_t>(sizeof(float)))
      throw PeerError(StrCat("a process has other rows of ", part.name(), " than this one knows"));
    std::memcpy(whole->values.data() + part.first() * row, part.floats().data(), bytes);
  }
  for (const WorkerRows::Bad& bad : rows.bad()) {
    const std::set<int64_t> rising(bad.record().begin(), bad.record().end());
    Merge({rising.begin(), rising.end()}, &bad_records_[bad.layer()]);
  }
  for (const WorkerRows::Metrics& metrics : rows.metrics()) JoinMetrics(metrics);
}

void TrainerState::JoinMetrics(const WorkerRows::Metrics& metrics) {
  const int worker = metrics.worker();
  if (worker < 0 || worker >= trainer_->model().place().workers ||
      metrics.sum_size() != std::ssize(metrics_) || metrics.weight_size() != std::ssize(metrics_))
    throw PeerError("a process has other metrics or workers than this one knows");
  for (size_t i = 0; i < metrics_.size(); ++i) {
    metrics_[i].sums[worker] = metrics.sum(static_cast<int>(i));
    metrics_[i].weights[worker] = metrics.weight(static_cast<int>(i));
  }
}

void TrainerState::Save(CheckpointContent* content) const {
  if (group_ == 0) SaveValues(content);
  std::vector<StoredTensor>* state = &content->state;
  for (const Number& number : numbers_)
    state->push_back(Stored(number.name, Shape(), &number.value));
  for (const auto& [layer, records] : bad_records_)
    state->push_back(
        Stored(Name(kBadRecords + layer), {static_cast<int64_t>(records.size())}, records.data()));
  for (const Whole& buffer : buffers_)
    state->push_back(Stored(buffer.name, buffer.shape, buffer.values.data()));
  for (const Sums& metric : metrics_) {
    const Shape workers = {std::ssize(metric.sums)};
    state->push_back(Stored(metric.name + "/sum", workers, metric.sums.data()));
    state->push_back(Stored(metric.name + "/weight", workers, metric.weights.data()));
  }
}

void TrainerState::SaveValues(CheckpointContent* content) const {
  for (const auto& param : trainer_->model().params().params())
    content->params.push_back(Stored(param->name(), param->shape(), param->host().data()));
  for (const UpdaterState& state : trainer_->replica().states())
    for (size_t i = 0; i < state.names.size(); ++i)
      content->state.push_back(
          Stored(StateName(state, i), state.tensors[i].shape(), state.tensors[i].data()));
}

int64_t TrainerState::StepsOf(const Checkpoint& checkpoint, int group) {
  const std::string name = PrefixOf(group) + kSteps;
  const Safetensors& state = checkpoint.state();
  return group > 0 && state.Find(name) ? NumberIn(state, name) : checkpoint.step();
}

void TrainerState::RestoreValues(const Checkpoint& checkpoint) {
  const Safetensors& state = checkpoint.state();
  for (const auto& param : trainer_->model().params().params())
    CopyFrom(checkpoint.params(), param->name(), &param->host());
  RestoreUpdater(checkpoint);
  trainer_->path().MarkDeviceStale();
  Replica& replica = trainer_->replica();
  for (size_t i = 0; i < replica.states().size(); ++i)
    replica.set_count(static_cast<int>(i), NumberIn(state, CountOf(replica.states()[i])));
}

// A momentum that the checkpoint lacks is made of those of its processes.
void TrainerState::RestoreUpdater(const Checkpoint& checkpoint) {
  const Safetensors& state = checkpoint.state();
  std::vector<std::vector<float>> handed;
  std::vector<UpdaterState>& states = trainer_->replica().states();
  for (size_t param = 0; param < states.size(); ++param)
    for (size_t i = 0; i < states[param].names.size(); ++i) {
      const std::string name = StateName(states[param], i);
      const bool lacks = states[param].names[i] == kMomentumState && !state.Find(name);
      if (lacks && handed.empty()) handed = HandedMomentum(state, checkpoint.step(), *trainer_);
      if (lacks && !handed.empty())
        std::ranges::copy(handed[param], states[param].tensors[i].data());
      else
        CopyFrom(state, name, &states[param].tensors[i]);
    }
}

void TrainerState::RestoreBuffers(const Safetensors& state) {
  for (Whole& buffer : buffers_) {
    const std::span<const float> values = state.Values<float>(buffer.name, buffer.shape);
    std::copy(values.begin(), values.end(), buffer.values.begin());
  }
  for (Trainer* trainer : trainers_) {
    auto whole = buffers_.begin();
    for (const LastingBuffer& lasting : LastingBuffers(&trainer->model()))
      lasting.Set(OwnPlace(*lasting.buffer, (whole++)->values.data()));
  }
}

void TrainerState::RestoreMetrics(const Safetensors& state) {
  for (size_t i = 0; i < metrics_.size(); ++i) {
    const int workers = trainer_->model().place().workers;
    const std::vector<double> sums = OfWorkers(state, metrics_[i].name + "/sum", workers),
                              weights = OfWorkers(state, metrics_[i].name + "/weight", workers);
    for (Trainer* trainer : trainers_) {
      MetricSums::Entry& entry = trainer->metrics().entries()[i];
      entry.sum = sums[trainer->model().place().worker];
      entry.weight = weights[trainer->model().place().worker];
    }
  }
}

// All workers of a group have the same scale. A run of another precision has none.
void TrainerState::RestoreLossScale(const Safetensors& state) {
  if (!trainer_->loss_scale() || !state.Find(kLossScale)) return;
  const int64_t value = NumberIn(state, kLossScale), steps = NumberIn(state, kLossScaleSteps);
  for (Trainer* trainer : trainers_)
    if (!trainer->loss_scale()->Set(value, steps))
      throw DataError(
          state.file(), -1,
          StrCat(kLossScale, " must be a power of two up to ", LossScale::kMost,
                 " and its steps below ", LossScale::kGrowsAfter, ", are ", value, " and ", steps));
}

int64_t TrainerState::Restore(const Checkpoint& checkpoint) {
  if (group_ == 0) RestoreValues(checkpoint);
  const Safetensors& state = checkpoint.state();
  const bool known = group_ == 0 || state.Find(Name(kSteps));
  const auto name = [&](const std::string& plain) { return known ? Name(plain) : plain; };
  const int64_t steps = StepsOf(checkpoint, group_);
  if (known) RestoreBuffers(state);
  if (known) RestoreMetrics(state);
  RestoreLossScale(state);
  trainer_->updates().set_skips(known ? NumberIn(state, Name(kSkipped)) : 0);
  std::vector<std::pair<std::string, int64_t>> positions = trainer_->model().readers().positions();
  for (auto& [layer, position] : positions) position = NumberIn(state, name("reader/" + layer));
  for (Trainer* trainer : trainers_) {
    for (const auto& [layer, position] : positions)
      if (const StoredTensor* bad = state.Find(name(kBadRecords + layer))) {
        const std::span<const int64_t> records = state.Values<int64_t>(bad->name, bad->shape);
        trainer->model().readers().RestoreBadRecords(layer, {records.begin(), records.end()});
      }
    trainer->model().readers().Seek(positions);
  }
  return steps;
}

}  // namespace singa
