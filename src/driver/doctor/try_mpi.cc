#include "driver/doctor/try_mpi.h"

#include <array>
#include <chrono>
#include <cstdlib>

#include "base/system/trial.h"
#include "comm/collective/mpi_link.h"
#include "comm/collective/mpi_world.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

constexpr std::chrono::seconds kLimit{20};

void SendToNext() {
  // A rank without mpirun would start a daemon, which only mpirun's other commands need.
  ::setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
  const ProgressDeadline deadline(kLimit);
  MpiWorld world;
  {
    MpiLink link(world.rank(), world.size(), MpiLink::Carrier::kOwnThread, &deadline);
    link.Open(&world);
    const std::array sent = {std::byte{4}, std::byte{2}};
    std::array<std::byte, 2> received{};
    link.Send((world.rank() + 1) % world.size(), 1, sent);
    link.Receive((world.rank() + world.size() - 1) % world.size(), 1, received);
    link.AwaitSent();
    if (received != sent)
      throw PeerError("a message arrives with other bytes than it was sent with");
  }
  world.Finalize(deadline);
}

}  // namespace

std::string TryMpi() {
  const auto [outcome, said] = RunTrial(SendToNext, kLimit);
  if (outcome == TrialEnd::kReturned) return "";
  if (outcome == TrialEnd::kLate) return StrCat("sends nothing within ", kLimit.count(), " s");
  return said.empty() ? "ends the process" : Printable(said);
}

}  // namespace singa
