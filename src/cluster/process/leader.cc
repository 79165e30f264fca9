#include "cluster/process/leader.h"

#include <glog/logging.h>

#include <utility>

namespace singa {
namespace {

constexpr size_t kMostPartition = 32 << 10;  // bytes of an order about layers of some length

}  // namespace

Leader::Leader(const Topology& topology, ControlChannel* control)
    : topology_(topology), control_(*control), replacements_(topology) {}

std::vector<ControlMessage> Leader::AwaitAll(ControlMessage::KindCase answer) {
  return control_.AwaitAnswers(answer, Others(), Wait::kProgress);
}

std::vector<ControlMessage> Leader::AwaitAtStart(ControlMessage::KindCase answer) {
  return control_.AwaitAnswers(answer, Others(), Wait::kStart);
}

// A process that takes a place meanwhile hears of the hold only from Greet.
std::vector<ControlMessage> Leader::HoldAll() {
  {
    const MutexLock lock(&mutex_);
    replacements_.AskToHold();
    TellAll(EmptyControl(ControlMessage::kHold));
  }
  return AwaitAll(ControlMessage::kHeld);
}

void Leader::GoAll() {
  const MutexLock lock(&mutex_);
  replacements_.Go();
  TellAll(EmptyControl(ControlMessage::kGo));
}

void Leader::AwaitReady() {
  AwaitAtStart(ControlMessage::kReady);
  TellAll(EmptyControl(ControlMessage::kAllReady));
}

void Leader::AwaitFilled() {
  AwaitAll(ControlMessage::kFilled);
  const MutexLock lock(&mutex_);
  replacements_.Begin();
}

void Leader::TellPartition(const ControlMessage::Partition& partition) {
  std::vector<ControlMessage> orders(1);
  orders[0].mutable_partition();  // also if it names no layer
  for (const ControlMessage::Partition::Layer& layer : partition.layers()) {
    const size_t more = layer.ByteSizeLong();
    if (orders.back().ByteSizeLong() + more > kMostPartition) orders.emplace_back();
    *orders.back().mutable_partition()->add_layers() = layer;
  }
  for (const ControlMessage& order : orders) TellAll(order);
  const MutexLock lock(&mutex_);
  replacements_.NotePartition(std::move(orders));
}

void Leader::TellBegin(const ControlMessage::Begin& begin) {
  NoteStart(begin);
  ControlMessage order;
  *order.mutable_begin() = begin;
  TellAll(order);
}

void Leader::NoteStart(const ControlMessage::Begin& start) {
  const MutexLock lock(&mutex_);
  replacements_.NoteStart(start);
}

std::vector<std::string> Leader::CollectStates(const std::vector<int64_t>& steps) {
  ControlMessage request;
  request.mutable_checkpoint_request()->mutable_group_steps()->Add(steps.begin(), steps.end());
  TellAll(request);
  return control_.AwaitStates(Others());
}

void Leader::TellEnd() {
  const MutexLock lock(&mutex_);
  replacements_.End();
  TellAll(EmptyControl(ControlMessage::kEnd));
}

void Leader::NoteSteps(int group, int64_t steps, int from) {
  const MutexLock lock(&mutex_);
  replacements_.NoteSteps(group, steps);
  control_.SendToAll(StepsOf(group, steps), from);
}

void Leader::NoteLeft(int group, int from) {
  const MutexLock lock(&mutex_);
  replacements_.NoteLeft(group);
  control_.SendToAll(LeftBy(group), from);
}

bool Leader::IsNews(int group, int64_t step) {
  const MutexLock lock(&mutex_);
  return replacements_.IsNews(group, step);
}

void Leader::OnAnswer(int rank, const ControlMessage& answer) {
  if (!answer.has_listens()) {
    if (answer.has_held()) {
      const MutexLock lock(&mutex_);
      replacements_.Held(rank);
    }
    return control_.AddAnswer(rank, answer);
  }
  const MutexLock lock(&mutex_);
  if (!replacements_.begun()) return;
  for (const ControlMessage& news : replacements_.News(rank)) control_.Send(rank, news);
}

// The servers tell the new process the exact steps of its groups.
std::optional<std::map<int, int64_t>> Leader::Greet(int rank) {
  const MutexLock lock(&mutex_);
  const auto orders = replacements_.Greet(rank);
  if (!orders) return {};
  LOG(INFO) << "another process has taken the place of process " << rank;
  for (const ControlMessage& order : *orders) control_.Send(rank, order);
  std::map<int, int64_t> steps;
  for (const RoleId& worker : topology_.Workers(rank))
    steps[worker.group] = replacements_.StepsAtStart(worker.group);
  return steps;
}

}  // namespace singa
