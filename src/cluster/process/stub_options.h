// Options of a stub's transport and channel, from the job's conf and the process's place.
#pragma once

#include <optional>
#include <string>

#include "cluster/protocol/topology.h"
#include "comm/transport/own_address.h"
#include "comm/transport/reliable_channel.h"
#include "comm/transport/zmq_options.h"

namespace singa {

// The place of this process in a job of several.
struct ProcessPlace {
  int rank = 0;
  JobSecrets secrets;
  // The endpoint of rank 0. At rank 0 itself none means a free port of loopback.
  std::optional<Endpoint> coordinator;
  // At rank 0: whether all processes of the job are on this host.
  bool one_host = false;
  int before_here = 0;  // processes of the job on this host before this one, as far as is known
  Reach reach = Reach::kThisHost;  // where the job's processes are, as far as is known
  // Cores of this host that an evaluation may use; 0: the cores that this process may run on.
  int cores = 0;
  // Why Open MPI can be used, such as that its mpirun has started the job; "": it cannot. Then
  // why_not_mpi may say why its library cannot be used.
  std::string why_mpi = {}, why_not_mpi = {};
};

ProcessIdentity IdentityOf(const ProcessPlace& place, int processes);
// Returns, for example, `process 2 (127.0.0.1:4242; worker 2 of group 0, server 2 of group 0)`.
// `endpoint` may be empty.
std::string ProcessName(const Topology& topology, int rank, const std::string& endpoint);
// `copies`: the most floats of a part for each float of its slice: values and the updater's states,
// or the sums of a gradient (MostCopies). May ask a name server. Throws Error with kExitConfig if
// an address is not known or no network leads there.
ZmqOptions TransportOptions(const ClusterProto& conf, const Topology& topology,
                            const ProcessPlace& place, int copies);
ChannelOptions OptionsOfChannel(const ClusterProto& conf, int copies);
// Returns the largest `copies`. `states`: floats that an updater keeps for each float of a slice.
int MostCopies(const Topology& topology, int states);

}  // namespace singa
