#include "comm/transport/rendezvous.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/system/host_name.h"
#include "base/text/short_text.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr size_t kMostNamed = 16;

Message MessageTo(int to, int from, WireMessage::Type type) {
  Message message;
  message.head.set_type(type);
  message.head.mutable_from()->set_id(from);
  message.head.mutable_to()->set_id(to);
  return message;
}

// Reads a process's endpoint. The host must be an address, so that no name server is asked for a
// peer's text.
std::optional<Endpoint> ReadEndpoint(const std::string& text) {
  if (text.size() > kMostEndpointBytes) return std::nullopt;
  try {
    const Endpoint endpoint = ParseEndpoint(text);
    if (endpoint.port > 0 && IsNumeric(endpoint) && !IsWildcard(endpoint)) return endpoint;
  } catch (const ConfigError&) {
    // The caller counts a malformed endpoint.
  }
  return std::nullopt;
}

std::optional<HostAndPid> ReadHost(const WireMessage& hello) {
  const std::string& host = hello.text(1);
  const double pid = hello.number_size() == 1 ? hello.number(0) : 0;
  const bool named = !host.empty() && host.size() <= HostAndPid::kMostHostBytes;
  if (!named || Printable(host) != host) return std::nullopt;
  if (!(pid >= 1 && pid <= std::numeric_limits<int32_t>::max()) || pid != std::floor(pid))
    return std::nullopt;
  return HostAndPid{host, static_cast<int64_t>(pid)};
}

std::string Seconds(int64_t nanoseconds) {
  return StrCat(static_cast<double>(nanoseconds) / 1e9, " s");
}

}  // namespace

HostAndPid HostAndPid::OfThisProcess() {
  return {ShortText(Printable(HostName()), kMostHostBytes), ::getpid()};
}

Rendezvous::Rendezvous(int rank, int processes, const Endpoint& own, const Endpoint& meeting,
                       int64_t timeout, const Clock* clock, Outbox* outbox)
    : rank_(rank),
      meeting_(meeting),
      start_(clock->Now()),
      timeout_(timeout),
      clock_(clock),
      outbox_(outbox),
      endpoints_(processes),
      hosts_(processes),
      complete_(processes == 1) {
  endpoints_[rank] = own;
  hosts_[rank] = HostAndPid::OfThisProcess();
}

void Rendezvous::OnConnected(int rank) {
  if (rank != 0 || rank_ == 0) return;
  met_ = true;
  SayHello();
}

void Rendezvous::SayHello() {
  Message hello = MessageTo(0, rank_, WireMessage::kHello);
  hello.head.add_text(ToString(endpoints_[rank_]));
  hello.head.add_text(hosts_[rank_].host);
  hello.head.add_number(static_cast<double>(hosts_[rank_].pid));
  outbox_->Post(std::move(hello));
}

void Rendezvous::Welcome(int rank) {
  Message welcome = MessageTo(rank, rank_, WireMessage::kWelcome);
  for (const Endpoint& endpoint : endpoints_) welcome.head.add_text(ToString(endpoint));
  outbox_->Post(std::move(welcome));
}

bool Rendezvous::OnMessage(int from, const WireMessage& message) {
  const int64_t dropped = dropped_;
  bool changed = false;
  if (message.type() == WireMessage::kHello && rank_ == 0)
    changed = OnHello(from, message);
  else if (message.type() == WireMessage::kWelcome && rank_ != 0 && from == 0)
    changed = OnWelcome(message);
  else
    ++dropped_;
  return changed && dropped == dropped_;
}

bool Rendezvous::OnHello(int from, const WireMessage& message) {
  const bool whole = message.text_size() == 2;
  const auto endpoint = whole ? ReadEndpoint(message.text(0)) : std::nullopt;
  const auto host = whole ? ReadHost(message) : std::nullopt;
  const int processes = static_cast<int>(endpoints_.size());
  if (!endpoint || !host || from <= 0 || from >= processes) {
    ++dropped_;
    return false;
  }
  const bool changed = endpoints_[from] != *endpoint;
  endpoints_[from] = *endpoint;
  hosts_[from] = *host;
  complete_ = std::none_of(endpoints_.begin(), endpoints_.end(),
                           [](const Endpoint& each) { return each.port == 0; });
  if (!complete_) return false;
  if (changed)
    for (int rank = 1; rank < processes; ++rank) Welcome(rank);
  else
    Welcome(from);  // it came again, and knows no endpoints
  return changed;
}

bool Rendezvous::OnWelcome(const WireMessage& message) {
  std::vector<Endpoint> endpoints;
  for (const std::string& text : message.text())
    if (const auto endpoint = ReadEndpoint(text)) endpoints.push_back(*endpoint);
  if (message.text_size() != static_cast<int>(endpoints_.size()) ||
      endpoints.size() != endpoints_.size() || endpoints[rank_] != endpoints_[rank_]) {
    ++dropped_;
    return false;
  }
  const bool changed = !complete_ || endpoints != endpoints_;
  endpoints_ = std::move(endpoints);
  complete_ = true;
  return changed;
}

int64_t Rendezvous::deadline() const {
  return complete_ ? std::numeric_limits<int64_t>::max() : start_ + timeout_;
}

void Rendezvous::CheckTime() const {
  if (clock_->Now() >= deadline()) ThrowMissing();
}

void Rendezvous::ThrowMissing() const {
  if (rank_ != 0)
    throw PeerError(StrCat(
        "process ", rank_, ": process 0 at ", ToString(meeting_),
        met_ ? " did not send the addresses of all processes within " : " did not answer within ",
        Seconds(timeout_),
        met_ ? "; its own message names the missing processes"
             : ": is it running, and can this host reach its port?"));
  std::string names;
  size_t missing = 0;
  for (size_t rank = 0; rank < endpoints_.size(); ++rank)
    if (endpoints_[rank].port == 0 && ++missing <= kMostNamed)
      names += StrCat(missing > 1 ? ", " : "", rank);
  if (missing > kMostNamed) names += StrCat(" and ", missing - kMostNamed, " more");
  throw PeerError(StrCat(missing == 1 ? "process " : "processes ", names, " did not connect to ",
                         ToString(meeting_), " within ", Seconds(timeout_),
                         " (cluster.start_timeout); the job has ", endpoints_.size(),
                         " processes"));
}

}  // namespace singa
