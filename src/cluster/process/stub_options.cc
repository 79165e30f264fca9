#include "cluster/process/stub_options.h"

#include <sodium.h>

#include <algorithm>

#include "cluster/protocol/gradient_codec.h"
#include "comm/codec/identity.h"
#include "comm/collective/slice_table.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

// Sets where a process other than rank 0 listens: at one address, or at all of this machine. In the
// second case others are told the address that leads to rank 0.
void SetBind(const ClusterProto& conf, const Endpoint& coordinator, Reach reach,
             ZmqOptions* options) {
  // Processes that meet off loopback may be on several hosts.
  if (reach == Reach::kUnknown)
    reach = IsLoopback(coordinator) ? Reach::kThisHost : Reach::kOtherHosts;
  if (conf.has_bind()) options->bind = ResolveOwn({conf.bind(), 0}, reach);
  if (conf.has_bind() && !IsWildcard(options->bind)) return;
  const Endpoint local = LocalAddressToward(coordinator);
  options->bind = local;
  if (!conf.has_bind()) return;
  options->bind.host = IsIpv6(local) ? "::" : "*";
  options->advertise = local.host;
}

// Returns the most bytes of the floats of a message that has one slice `copies` times.
int64_t MostPayload(const ClusterProto& conf, int copies) {
  const int64_t floats = SliceTable::kMost * copies;
  return std::max(Identity().MostBytes(floats), MakeGradientCodec(conf)->MostBytes(floats));
}

}  // namespace

ProcessIdentity IdentityOf(const ProcessPlace& place, int processes) {
  ProcessIdentity self;
  self.job = place.secrets.job;
  self.rank = place.rank;
  self.ranks = processes;
  while (self.incarnation == 0) randombytes_buf(&self.incarnation, sizeof self.incarnation);
  return self;
}

std::string ProcessName(const Topology& topology, int rank, const std::string& endpoint) {
  std::string what;
  for (const RoleId& worker : topology.Workers(rank))
    what += StrCat(what.empty() ? "" : ", ", "worker ", worker.id, " of group ", worker.group);
  for (const RoleId& server : topology.Servers(rank))
    what += StrCat(what.empty() ? "" : ", ", "server ", server.id, " of group ", server.group);
  constexpr size_t kMost = 200;
  if (what.size() > kMost) what = what.substr(0, what.rfind(", ", kMost)) + ", ...";
  return StrCat("process ", rank, " (", endpoint, endpoint.empty() ? "" : "; ", what, ")");
}

ZmqOptions TransportOptions(const ClusterProto& conf, const Topology& topology,
                            const ProcessPlace& place, int copies) {
  ZmqOptions options;
  options.rank = place.rank;
  options.processes = topology.processes();
  options.secrets = place.secrets;
  if (conf.insecure()) options.security = Security::kInsecure;
  if (place.rank == 0) {
    if (place.coordinator) options.bind = ResolveOwn(*place.coordinator, place.reach);
  } else {
    SetBind(conf, Resolve(*place.coordinator), place.reach, &options);
  }
  // The largest part, and room for its header.
  options.settings.max_frame_bytes = MostPayload(conf, copies) + (64 << 10);
  return options;
}

ChannelOptions OptionsOfChannel(const ClusterProto& conf, int copies) {
  ChannelOptions options;
  options.give_up = conf.peer_timeout() * kSecond;
  options.limits.payload_bytes =
      std::max(options.limits.payload_bytes, static_cast<size_t>(MostPayload(conf, copies)));
  return options;
}

int MostCopies(const Topology& topology, int states) {
  return std::max(1 + states, topology.most_nodes());
}

}  // namespace singa
