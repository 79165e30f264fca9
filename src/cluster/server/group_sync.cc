#include "cluster/server/group_sync.h"

#include <algorithm>
#include <utility>

namespace singa {

GroupSync::GroupSync(const Setup& setup)
    : freq_(setup.conf.sync_freq()),
      self_(setup.self),
      groups_(setup.topology.server_groups()),
      shard_(setup.shard),
      out_(setup.out),
      states_(setup.shard->slices().size()) {
  for (State& state : states_) state.seen.resize(groups_);
}

void GroupSync::Updated(int slice) {
  ++states_[place(slice)].updates;
  OnUpdate(slice);
  if (IsDue(slice, updates(slice))) Begin(slice);
}

void GroupSync::Exchange(int slice) {
  if (!Equalises()) return;
  State& state = states_[place(slice)];
  state.again = state.in_flight;
  Begin(slice);
}

void GroupSync::Begin(int slice) {
  State& state = states_[place(slice)];
  if (state.in_flight) return;
  state.updates = 0;
  if (!Sends(slice) && !InRounds()) return ExchangeUnsent(slice);
  state.in_flight = true;
  ++in_flight_;
  ++state.number;
  if (!Sends(slice)) return ExchangeUnsent(slice);
  SendSync(slice, Receiver(slice), group(), 0, state.number, FloatsToSend(slice));
}

bool GroupSync::OnSync(const PartView& part, int from, int origin, int hops) {
  if (origin < 0 || origin >= groups_ || origin == group()) return false;
  if (part.head->elements() != size(part.slice) || !Expects(part.slice, from, origin, hops))
    return false;
  int64_t& seen = states_[place(part.slice)].seen[origin];
  if (part.head->version() != seen + 1) return false;
  ++seen;
  Receive(part, FloatsOf(part.floats).data(), origin, hops);
  return true;
}

bool GroupSync::OnReply(const PartView& part, int from) {
  State& state = states_[place(part.slice)];
  if (!state.in_flight || part.head->version() != state.number ||
      !ExpectsReply(part.slice, from, part.head->elements()))
    return false;
  ReceiveReply(part.slice, FloatsOf(part.floats).data());
  End(part.slice);
  return true;
}

void GroupSync::End(int slice) {
  State& state = states_[place(slice)];
  state.in_flight = false;
  --in_flight_;
  if (std::exchange(state.again, false) || IsDue(slice, state.updates)) Begin(slice);
}

bool GroupSync::RestoreSlice(int slice) {
  bool all = true;
  for (const Kept& kept : StateOf(slice)) {
    const auto state = restored_.extract(kept.name);
    const bool fits = state && state.mapped().size() == kept.floats.size();
    if (fits) std::ranges::copy(state.mapped(), kept.floats.begin());
    all = all && fits;
  }
  if (++restored_slices_ == shard_->slices().size()) restored_.clear();
  return all;
}

void GroupSync::SendSync(int slice, int to_group, int origin, int hops, int64_t number,
                         EncodedFloats floats) {
  WireMessage head;
  head.set_type(WireMessage::kSync);
  head.set_group(origin);
  head.set_hops(hops);
  SendSlice(std::move(head), to_group, slice, number, std::move(floats));
}

void GroupSync::SendReply(int slice, int to_group, int64_t number, EncodedFloats floats) {
  WireMessage head;
  head.set_type(WireMessage::kSyncReply);
  SendSlice(std::move(head), to_group, slice, number, std::move(floats));
}

void GroupSync::SendSlice(WireMessage head, int to_group, int slice, int64_t number,
                          EncodedFloats floats) {
  *head.mutable_to() = ServerAddress({to_group, self_.id});
  SlicePart part;
  part.set_slice(slice);
  part.set_version(number);
  out_->Add(head, std::move(part), std::move(floats));
}

}  // namespace singa
