// `singa` on a machine whose GPUs are emulated: as many as SINGA_EMULATED_GPUS says. Process
// SINGA_WITHOUT_GPUS of a job has none, and those of process SINGA_WITHOUT_GROUPS form no groups.
// SINGA_GPUS_FAIL=HOW:WORKS[/PROCESS] has the GPUs of each process, or of that one, fail after so
// many pieces of work of each: "lost", "still", or, as "first", GPU 0 is lost and the others stand
// still. Each has SINGA_GPU_BYTES of memory.
#include <cstdlib>
#include <string>

#include "singa/driver/driver.h"
#include "support/emulated_machine.h"

namespace {

using singa::GpuFault;

// Whether this process of a job is the one of that rank.
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
