// Tries the ways in which gradients of several processes come together
// (cluster.all_reduce.backend).
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <system_error>

#include "base/system/descriptor.h"
#include "cluster/workers/host_memory.h"
#include "comm/collective/mpi_world.h"
#include "driver/doctor/finding.h"
#include "driver/doctor/try_mpi.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

// Shares memory as the processes of a host do, and finds it again by its place.
void FindSharedMemory(Findings* found) {
  Finding finding{"kMemory", "processes of this host can share memory"};
  try {
    const HostMemory made(4096);
    made.data()[0] = std::byte{42};
    const HostMemory seen(made.place());
    if (seen.data()[0] != std::byte{42})
      throw DeviceError("a process does not see what another one writes");
  } catch (const Error& error) {
    finding.value = error.what();
    finding.status = Finding::kWarn;
    finding.advice = "set cluster.share_memory: false for jobs of several processes";
  }
  found->push_back(finding);
}

// Returns why no process can listen on loopback; "": it can.
std::string WhyNoLoopback() {
  const Descriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const auto* const address = reinterpret_cast<const sockaddr*>(&any);
  if (listener.get() < 0 || ::bind(listener.get(), address, sizeof any) != 0 ||
      ::listen(listener.get(), 1) != 0)
    return std::system_category().message(errno);
  return "";
}

void FindServers(Findings* found) {
  Finding finding{"kServers", "processes can listen on loopback"};
  if (const std::string why = WhyNoLoopback(); !why.empty()) {
    finding.value = StrCat("no process can listen on loopback: ", why);
    finding.status = Finding::kWarn;
    finding.advice = "only jobs of one process can run";
  }
  found->push_back(finding);
}

void FindMpi(Findings* found) {
  std::string why;
  if (!MpiWorld::Available(&why)) {
    found->push_back({"kMpi", "not there: " + why + ": jobs that mpirun starts use servers"});
    return;
  }
  Finding finding{"kMpi", MpiWorld::Version() + " sends messages"};
  if (why = TryMpi(); !why.empty()) {
    finding.value = StrCat(MpiWorld::Version(), " cannot send messages: ", why);
    finding.status = Finding::kWarn;
    finding.advice = "set cluster.all_reduce.backend: kServers for jobs that mpirun starts";
  }
  found->push_back(finding);
}

}  // namespace

void FindBackends(Findings* found) {
  FindSharedMemory(found);
  FindServers(found);
  FindMpi(found);
}

}  // namespace singa
