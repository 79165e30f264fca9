#include "cluster/client/client.h"

#include <glog/logging.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cluster/protocol/seconds.h"
#include "singa/base/str_cat.h"

namespace singa {

Client::Client(const ClientSetup& setup, std::vector<float*> values, Outbox* out)
    : setup_(setup),
      owners_(setup.topology, setup.table),
      server_group_(setup.topology.ServerGroupOf(setup.group)),
      values_(std::move(values)),
      out_(ClientAddress(setup.group, setup.process), kSendAt, out),
      slices_(setup.table.size(),
              {.pushed = setup.first_step - 1, .answered = setup.first_step - 1}),
      gather_(setup.table, owners_, setup.clock, &out_) {
  for (int s = 0; s < setup.table.size(); ++s) {
    const Contributors& by = setup.table[s].by;
    slices_[s].nodes =
        static_cast<int>(setup.topology.NodesOf(setup.process, setup.group, by).size());
    slices_[s].takes_part = setup.topology.Reads(setup.process, setup.group, by);
  }
}

WireMessage Client::Head(WireMessage::Type type, int slice) const {
  WireMessage head;
  head.set_type(type);
  *head.mutable_to() = ServerAddress({server_group_, owners_.Owner(slice)});
  return head;
}

bool Client::SharedWithServer(int slice) const {
  return setup_.shares_memory &&
         setup_.topology.ProcessOfServer({server_group_, owners_.Owner(slice)}) == setup_.process;
}

void Client::Put(int slice, const SliceState& state) {
  SlicePart part;
  part.set_slice(slice);
  part.set_version(state.version);
  part.set_count(state.count);
  out_.Add(Head(WireMessage::kPut, slice), std::move(part), FrameOf(state.floats));
}

void Client::GetAll(int64_t version) {
  for (int s = 0; s < setup_.table.size(); ++s) {
    getting_ += !std::exchange(slices_[s].getting, true);
    slices_[s].since = setup_.clock.Now();
    SlicePart part;
    part.set_slice(s);
    part.set_version(version);
    out_.Add(Head(WireMessage::kGet, s), std::move(part), Frame());
  }
  Flush();
}

int64_t Client::TakeOver() {
  CHECK(ready());
  const auto earlier = [](const State& a, const State& b) { return a.answered < b.answered; };
  const auto oldest = std::min_element(slices_.begin(), slices_.end(), earlier);
  if (oldest == slices_.end()) return setup_.first_step;
  const int64_t last = oldest->answered;
  for (State& state : slices_) state.pushed = last;
  return last + 1;
}

bool Client::Fresh(int slice, int64_t step) const {
  const State& state = slices_[slice];
  return !state.getting && state.answered >= std::min(state.pushed, step - 1);
}

void Client::Push(int64_t step, int slice, EncodedFloats gradient) {
  CHECK_EQ(gradient.count, slices_[slice].nodes * setup_.table[slice].size);
  Send(step, slice, std::move(gradient));
}

void Client::PushNone(int64_t step, int slice) { Send(step, slice, {}); }

void Client::Send(int64_t step, int slice, EncodedFloats gradient) {
  State& state = slices_[slice];
  CHECK(Fresh(slice, step) && step > state.pushed) << "slice " << slice << ", step " << step;
  if (state.staleness >= 0) staleness_.Count(std::exchange(state.staleness, -1));
  state.pushed = step;
  if (step <= state.answered) return;
  state.since = setup_.clock.Now();
  WireMessage head = Head(WireMessage::kUpdate, slice);
  head.set_step(step);
  SlicePart part;
  part.set_slice(slice);
  part.set_version(state.version);
  out_.Add(head, std::move(part), std::move(gradient));
}

bool Client::settled() const {
  return std::all_of(slices_.begin(), slices_.end(),
                     [](const State& state) { return state.answered >= state.pushed; });
}

void Client::OnMessage(int rank, const Message& message) {
  const WireMessage& head = message.head;
  std::vector<EncodedPart> parts;
  const bool known = head.type() == WireMessage::kValues || head.type() == WireMessage::kState ||
                     (head.type() == WireMessage::kApplied && setup_.replica);
  if (!known || !SameAddress(head.to(), ClientAddress(setup_.group, setup_.process)) ||
      !IsServer(setup_.topology, head.from(), rank) ||
      !ReadParts(message, owners_.Of(static_cast<int>(head.from().id())),
                 CodecOf(message, setup_.codec), &parts)) {
    ++refused_;
    return;
  }
  const int group = static_cast<int>(head.from().group());
  for (const EncodedPart& part : parts) {
    const bool taken = head.type() == WireMessage::kState    ? gather_.OnState(part, group)
                       : group != server_group_              ? false
                       : head.type() == WireMessage::kValues ? OnValues(part)
                                                             : OnApplied(part);
    refused_ += !taken;
  }
}

bool Client::Fits(const EncodedPart& part) const {
  const State& state = slices_[part.slice];
  const bool asked = state.getting || state.answered < state.pushed;
  const bool in_turn = state.getting || part.head->step() == state.pushed;
  const bool possible = part.head->version() >= state.version && part.head->staleness() >= -1 &&
                        part.head->staleness() <= part.head->version() && part.head->norm() >= 0 &&
                        std::isfinite(part.head->norm());
  return asked && in_turn && possible;
}

void Client::TakeAnswer(const SlicePart& head, State* state) {
  if (state->answered < state->pushed && head.step() == state->pushed) {
    state->staleness = head.staleness();
    norm_ = head.has_norm() ? head.norm() : std::nan("");
  }
  state->version = head.version();
  state->answered = std::max(state->answered, head.step());
  getting_ -= std::exchange(state->getting, false);
}

bool Client::OnValues(const EncodedPart& part) {
  const int64_t given = part.head->elements();
  const bool right_size =
      given == setup_.table[part.slice].size || (given == 0 && SharedWithServer(part.slice));
  if (!Fits(part) || !right_size) return false;
  const std::optional<PartView> view = Decode(Identity(), part);
  if (!view) return false;
  std::copy_n(FloatsOf(view->floats).data(), given, memory(part.slice));
  TakeAnswer(*part.head, &slices_[part.slice]);
  return true;
}

// Where the server has changed the values itself, there is nothing to apply.
bool Client::OnApplied(const EncodedPart& part) {
  const int64_t given = part.head->elements();
  const bool right_size =
      given == 0 || (given == setup_.table[part.slice].size && !SharedWithServer(part.slice));
  State& state = slices_[part.slice];
  if (state.getting || !Fits(part) || !right_size) return false;
  const std::optional<PartView> view = Decode(setup_.codec, part);
  if (!view) return false;
  if (given > 0)
    setup_.replica->Apply(ctx_, part.slice, part.head->step(), FloatsOf(view->floats).data());
  TakeAnswer(*part.head, &state);
  return true;
}

std::optional<double> Client::GradientNorm(int64_t step) const {
  for (int s = 0; s < setup_.table.size(); ++s)
    if (takes_part(s)) return Fresh(s, step + 1) ? std::optional(norm_) : std::nullopt;
  return norm_;
}

std::string Client::WaitsFor(int slice) const {
  const State& state = slices_[slice];
  if (state.getting) return "first values";
  if (state.answered < state.pushed) return StrCat("the update of step ", state.pushed);
  return gather_.Awaits(slice) ? "the state" : "";
}

// Returns the time of the last request about `slice`.
int64_t Client::AskedAt(int slice) const {
  return std::max(slices_[slice].since, gather_.asked_at(slice));
}

std::vector<std::string> Client::Waiting() const {
  std::vector<std::string> lines;
  const int64_t now = setup_.clock.Now();
  for (int server = 0; server < setup_.topology.servers_per_group(); ++server) {
    int oldest = -1, count = 0;
    for (const int s : owners_.Of(server)) {
      if (WaitsFor(s).empty()) continue;
      ++count;
      if (oldest < 0 || AskedAt(s) < AskedAt(oldest)) oldest = s;
    }
    if (count == 0) continue;
    const ServedParam& param = setup_.params[setup_.table[oldest].param];
    const bool of_update =
        slices_[oldest].getting || slices_[oldest].answered < slices_[oldest].pushed;
    const int group = of_update ? server_group_ : owners_.MasterGroup(oldest);
    lines.push_back(StrCat("server ", server, " of group ", group, " in process ",
                           setup_.topology.ProcessOfServer({group, server}), ": no answer for ",
                           Seconds(now - AskedAt(oldest)), " about ", WaitsFor(oldest),
                           " of slice ", oldest, " (param \"", param.name, "\")",
                           count > 1 ? StrCat(" and ", count - 1, " more") : ""));
  }
  return lines;
}

}  // namespace singa
