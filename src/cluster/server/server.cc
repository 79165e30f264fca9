#include "cluster/server/server.h"

#include <algorithm>
#include <utility>

#include "cluster/server/group_sync_models.h"
#include "math/finite.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr int64_t kMostSteps = int64_t{1} << 62;  // a limit, so that no sum of steps overflows

GroupSteps MakeSteps(const ServerSetup& setup, const SliceOwners& owners, ParamShard* shard,
                     Outgoing* out, ServerEvents* events) {
  try {
    return GroupSteps(setup, owners, shard, out, events);
  } catch (const ConfigError& error) {
    throw error.Under("cluster");
  }
}

UpdateRule RuleOf(const ServerSetup& setup) {
  UpdateRule rule(setup.job);
  if (setup.epoch_steps > 0) rule.SetEpochSteps(setup.epoch_steps);
  return rule;
}

}  // namespace

Server::Server(const ServerSetup& setup, Outbox* out, ServerEvents* events)
    : setup_(setup),
      self_(ServerAddress(setup.self)),
      rule_(RuleOf(setup)),
      owners_(setup.topology, setup.table),
      shard_(setup.table, setup.params, rule_, owners_.Of(setup.self.id)),
      out_(self_, SliceTable::kMost, out),
      events_(events),
      steps_(MakeSteps(setup, owners_, &shard_, &out_, events)),
      sync_(MakeGroupSync({setup.job.cluster(), setup.topology, owners_, setup.self, &shard_, &out_,
                           setup.total_steps})),
      waiting_(shard_.slices().size()) {
  if (!setup.values.empty())
    for (const int s : slices())
      shard_.Bind(s, setup.values[setup.table[s].param] + setup.table[s].begin);
  steps_.OnUpdate([this](int slice) {
    if (sync_) sync_->Updated(slice);
    ServeWaiting(slice);
  });
  if (sync_) steps_.HoldIf([this](int slice) { return sync_->Holds(slice); });
}

void Server::OnMessage(int rank, const Message& message) {
  Read(rank, message);
  out_.Flush();
}

void Server::Read(int rank, const Message& message) {
  const WireMessage& head = message.head;
  if (!SameAddress(head.to(), self_)) {
    ++refused_.misrouted;
    return;
  }
  switch (head.type()) {
    case WireMessage::kPut:
    case WireMessage::kGet:
    case WireMessage::kUpdate:
    case WireMessage::kGather:
      if (IsClient(setup_.topology, head.from(), rank)) return OnClient(message);
      break;
    case WireMessage::kSync:
    case WireMessage::kSyncReply:
    case WireMessage::kSquares:
      if (IsServer(setup_.topology, head.from(), rank)) return OnServer(message);
      break;
    default:
      ++refused_.misrouted;
      return;
  }
  ++refused_.sender;
}

std::vector<EncodedPart> Server::PartsOf(const Message& message, const Codec& codec) {
  std::vector<EncodedPart> parts;
  if (ReadParts(message, shard_.slices(), codec, &parts)) return parts;
  ++refused_.malformed;
  return {};
}

std::optional<PartView> Server::FloatsIn(const Codec& codec, const EncodedPart& part) {
  std::optional<PartView> view = Decode(codec, part);
  refused_.malformed += !view;
  return view;
}

void Server::OnClient(const Message& message) {
  const WireMessage& head = message.head;
  const int group = static_cast<int>(head.from().group());
  // For a checkpoint a client of any group asks the masters of the slices.
  if (!steps_.Serves(group) && head.type() != WireMessage::kGather) {
    ++refused_.sender;
    return;
  }
  for (const EncodedPart& part : PartsOf(message, CodecOf(message, setup_.codec))) {
    if (head.type() == WireMessage::kPut)
      OnPut(head, part);
    else if (head.type() == WireMessage::kUpdate)
      OnUpdate(head, part);
    else
      OnRequest(head, part, Identity());
  }
}

void Server::OnServer(const Message& message) {
  const WireMessage& head = message.head;
  if (head.type() == WireMessage::kSquares) return OnSquares(head);
  if (!sync_ || head.from().id() != self_.id() || head.from().group() == self_.group()) {
    ++refused_.sender;
    return;
  }
  const Codec& codec = sync_->codec();
  for (const EncodedPart& part : PartsOf(message, codec)) OnRequest(head, part, codec);
}

void Server::OnSquares(const WireMessage& head) {
  const bool peer = head.from().group() == self_.group() && head.from().id() != self_.id();
  if (!peer || !steps_.Serves(head.group())) {
    ++refused_.sender;
    return;
  }
  const std::span squares(head.squares().data(), static_cast<size_t>(head.squares_size()));
  if (head.step() >= kMostSteps ||
      !steps_.OnSquares(static_cast<int>(head.group()), static_cast<int>(head.from().id()),
                        head.step(), head.first(), squares))
    ++refused_.out_of_turn;
}

void Server::OnPut(const WireMessage& head, const EncodedPart& part) {
  const int64_t given = part.head->elements();
  const bool shared = !setup_.values.empty() && static_cast<int>(head.from().id()) ==
                                                    setup_.topology.ProcessOfServer(setup_.self);
  const bool right_size =
      given == shard_.size(part.slice) || given == shard_.state_size(part.slice);
  if (!right_size && !(given == 0 && shared)) {
    ++refused_.malformed;
    return;
  }
  if (part.head->version() < 0 || part.head->count() < 0 || part.head->version() >= kMostSteps ||
      part.head->count() >= kMostSteps) {
    ++refused_.out_of_turn;
    return;
  }
  if (shard_.known(part.slice)) {
    ++refused_.duplicate;
    return;
  }
  const std::optional<PartView> view = FloatsIn(Identity(), part);
  if (!view) return;
  shard_.Put(part.slice, part.head->version(), part.head->count(), FloatsOf(view->floats));
  if (sync_) sync_->Start(part.slice);
  ServeWaiting(part.slice);
  steps_.Settle(part.slice);
}

void Server::OnUpdate(const WireMessage& head, const EncodedPart& part) {
  const int64_t given = part.head->elements(), version = part.head->version();
  const auto group = static_cast<int>(head.from().group());
  const auto process = static_cast<int>(head.from().id());
  const bool takes_part = steps_.TakesPart(group, process, part.slice);
  if (!takes_part || (given != 0 && given != steps_.FloatsOf(group, process, part.slice))) {
    ++refused_.malformed;
    return;
  }
  const int64_t newest = shard_.known(part.slice) ? shard_.version(part.slice) : kMostSteps;
  if (head.step() < 0 || head.step() >= kMostSteps || version < 0 || version > newest) {
    ++refused_.out_of_turn;
    return;
  }
  const std::optional<PartView> view = FloatsIn(setup_.codec, part);
  if (!view) return;
  const auto arrival = steps_.Contribute(group, process, head.step(), *view);
  refused_.duplicate += arrival == StepSum::Arrival::kDuplicate;
  refused_.out_of_turn += arrival == StepSum::Arrival::kOtherStep;
}

void Server::OnRequest(const WireMessage& head, const EncodedPart& encoded, const Codec& codec) {
  const bool asks = head.type() == WireMessage::kGet || head.type() == WireMessage::kGather;
  const int64_t given = encoded.head->elements();
  if (given != 0 && (asks || given != shard_.size(encoded.slice))) {
    ++refused_.malformed;
    return;
  }
  const std::optional<PartView> view = FloatsIn(codec, encoded);
  if (!view) return;
  const PartView& part = *view;
  if (Serve(head, part)) return;
  std::vector<Request>& queue = waiting(part.slice);
  for (const Request& other : queue)
    if (other.head.type() == head.type() && other.head.group() == head.group() &&
        SameAddress(other.head.from(), head.from())) {
      ++refused_.duplicate;
      return;
    }
  Request request;
  request.head.set_type(head.type());
  request.head.set_group(head.group());
  request.head.set_hops(head.hops());
  *request.head.mutable_from() = head.from();
  request.part = *part.head;
  request.floats = part.floats;
  queue.push_back(std::move(request));
}

bool Server::Serve(const WireMessage& head, const PartView& part) {
  if (!shard_.known(part.slice)) return false;
  const auto from_group = static_cast<int>(head.from().group());
  switch (head.type()) {
    case WireMessage::kGet: {
      if (shard_.version(part.slice) < part.head->version()) return false;
      Frame values;
      steps_.SendValues(part.slice, from_group, static_cast<int>(head.from().id()), &values);
      return true;
    }
    case WireMessage::kGather:
      if (shard_.version(part.slice) < part.head->version()) return false;
      SendState(head, part.slice);
      return true;
    default:
      break;
  }
  if (!SyncIsFinite(head, part)) return true;
  const bool taken = head.type() == WireMessage::kSync
                         ? sync_->OnSync(part, from_group, static_cast<int>(head.group()),
                                         static_cast<int>(head.hops()))
                         : sync_->OnReply(part, from_group);
  refused_.out_of_turn += !taken;
  if (taken) steps_.Settle(part.slice);  // an exchange that has ended may have held answers
  return true;
}

bool Server::SyncIsFinite(const WireMessage& head, const PartView& part) {
  const std::span<const float> floats = FloatsOf(part.floats);
  if (AllFinite(ctx_, floats.data(), static_cast<int64_t>(floats.size()))) return true;
  events_->Diverged(StrCat("the change of server group ", head.from().group(), " in ",
                           shard_.Name(part.slice), " is not finite"));
  return false;
}

// An answer may make more requests ready, so the list is taken out first.
void Server::ServeWaiting(int slice) {
  std::vector<Request> queue = std::exchange(waiting(slice), {});
  for (Request& request : queue)
    if (!Serve(request.head, {slice, &request.part, request.floats}))
      waiting(slice).push_back(std::move(request));
}

void Server::SendState(const WireMessage& head, int slice) {
  std::vector<float> floats = shard_.State(slice);
  if (sync_) std::ranges::copy(sync_->Model(slice), floats.begin());
  WireMessage answer;
  answer.set_type(WireMessage::kState);
  *answer.mutable_to() = head.from();
  const int group = static_cast<int>(head.from().group());
  SlicePart part;
  part.set_slice(slice);
  part.set_version(shard_.version(slice));
  part.set_count(shard_.count(slice));
  if (steps_.Serves(group)) part.set_step(steps_.LastStep(group, slice));
  out_.Add(answer, std::move(part), FrameOf(std::move(floats)));
}

void Server::Exchange() {
  if (!sync_) return;
  for (const int s : slices())
    if (shard_.known(s)) sync_->Exchange(s);
  out_.Flush();
}

std::vector<GroupSync::Kept> Server::SyncState() {
  std::vector<GroupSync::Kept> state;
  for (const int s : slices())
    if (sync_ && shard_.known(s))
      for (GroupSync::Kept& kept : sync_->StateOf(s)) state.push_back(std::move(kept));
  return state;
}

int64_t Server::held_bytes() const {
  int64_t bytes = steps_.held_bytes();
  for (const std::vector<Request>& queue : waiting_)
    for (const Request& request : queue) bytes += static_cast<int64_t>(request.floats.size());
  return bytes;
}

}  // namespace singa
