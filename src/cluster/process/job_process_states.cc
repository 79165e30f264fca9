// What processes give each other for a checkpoint: a ProcessState of each, in pieces.
#include <algorithm>
#include <utility>

#include "cluster/process/job_process.h"

namespace singa {
namespace {

constexpr size_t kChunk = 256 << 10;  // bytes

}  // namespace

std::vector<std::string> JobProcess::CollectStates(const std::vector<int64_t>& steps) {
  ControlMessage request;
  request.mutable_checkpoint_request()->mutable_group_steps()->Add(steps.begin(), steps.end());
  TellAll(request);
  return TakeStates({1, processes()});
}

std::vector<std::string> JobProcess::AwaitStates(int group) {
  const Range all = topology().ProcessesOf(group);
  return TakeStates({all.first + 1, all.last});
}

std::vector<std::string> JobProcess::TakeStates(Range ranks) {
  AwaitAll(ControlMessage::kState, ranks, deadline_);
  const std::lock_guard lock(mutex_);
  std::vector<std::string> all;
  for (int rank = ranks.first; rank < ranks.last; ++rank)
    all.push_back(std::move(states_.extract(rank).mapped()));
  return all;
}

// In messages of a bounded size.
void JobProcess::GiveState(int rank, const std::string& state) {
  if (state.size() > kMostState)
    throw Error(kExitIo, StrCat("the state of process ", rank_, " is too large for a checkpoint, ",
                                state.size() >> 20, " MiB"));
  const auto kept = std::make_shared<const std::string>(state);
  for (size_t begin = 0; begin == 0 || begin < state.size(); begin += kChunk) {
    const size_t size = std::min(kChunk, state.size() - begin);
    const size_t left = state.size() - begin - size;
    ControlMessage control;
    control.mutable_state()->set_pieces_left(static_cast<int64_t>((left + kChunk - 1) / kChunk));
    Message message = ControlTo(rank, std::move(control));
    if (size > 0) message.payload.emplace_back(kept, kept->data() + begin, size);
    stub_.Post(std::move(message));
  }
}

void JobProcess::OnState(int rank, const Message& message) {
  if (rank_ > 0 && !LeadsProcess(rank)) return;
  const std::lock_guard lock(mutex_);
  std::string& state = states_[rank];
  for (const Frame& frame : message.payload)
    if (state.size() + frame.size() <= kMostState)
      state.append(static_cast<const char*>(frame.data()), frame.size());
  if (message.head.control().state().pieces_left() == 0)
    answers_[{ControlMessage::kState, rank}] = message.head.control();
  changed_.notify_all();
}

}  // namespace singa
