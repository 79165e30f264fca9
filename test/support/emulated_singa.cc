// This program is `singa` on a machine with emulated GPUs. Variables of the environment set:
// SINGA_EMULATED_GPUS: the number of GPUs. SINGA_GPU_BYTES: the memory of each.
// SINGA_WITHOUT_GPUS: the process of a job that has no GPUs.
// SINGA_WITHOUT_GROUPS: the process whose GPUs form no groups.
// SINGA_GPUS_FAIL=HOW:WORKS[/PROCESS]: the GPUs of each process, or of that one, fail after so many
// pieces of work of each. HOW is "lost", "still" (the GPU never finishes), or "first": GPU 0 is
// lost and the others stand still.
#include <cstdlib>
#include <string>

#include "singa/driver/driver.h"
#include "support/emulated_machine.h"

namespace {

using singa::GpuFault;

// Returns whether this process of a job has that rank.
bool IsProcess(const std::string& rank) {
  const char* const place = std::getenv("SINGA_PROCESS");
  return place && std::string(place).rfind(rank + "/", 0) == 0;
}

bool IsProcessOf(const char* variable) {
  const char* const rank = std::getenv(variable);
  return rank && IsProcess(rank);
}

void Break(const std::string& how, singa::EmulatedMachine* machine) {
  const size_t works_at = how.find(':') + 1, rank_at = how.find('/');
  if (rank_at != std::string::npos && !IsProcess(how.substr(rank_at + 1))) return;
  const GpuFault lost(GpuFault::kLost, std::stoll(how.substr(works_at)));
  const GpuFault still(GpuFault::kStandsStill, std::stoll(how.substr(works_at)));
  const std::string kind = how.substr(0, works_at);
  CHECK(kind == "lost:" || kind == "still:" || kind == "first:") << how;
  machine->SetFault(kind == "still:" ? still : lost);
  if (kind == "first:") machine->SetFaults(lost, {GpuFault::kStandsAfterLoss, 0});
}

}  // namespace

int main(int argc, char** argv) {
  const char* const gpus = std::getenv("SINGA_EMULATED_GPUS");
  const char* const bytes = std::getenv("SINGA_GPU_BYTES");
  singa::EmulatedMachine machine(gpus && !IsProcessOf("SINGA_WITHOUT_GPUS") ? std::atoi(gpus) : 0,
                                 bytes ? std::atoll(bytes) : singa::EmulatedGpu::kReserved);
  machine.SetGroups(!IsProcessOf("SINGA_WITHOUT_GROUPS"));
  if (const char* const how = std::getenv("SINGA_GPUS_FAIL")) Break(how, &machine);
  return singa::Driver().Main(argc, argv);
}
