// `singa` on a machine whose GPUs are emulated: as many as SINGA_EMULATED_GPUS says. Process
// SINGA_WITHOUT_GPUS of a job has none, and those of process SINGA_WITHOUT_GROUPS form no groups.
// After SINGA_GPUS_WORK pieces of work of each, the first is lost and the others stand still.
#include <cstdlib>
#include <string>

#include "singa/driver/driver.h"
#include "support/emulated_machine.h"

namespace {

// Whether this process is the one that `variable` names.
bool IsProcess(const char* variable) {
  const char *const place = std::getenv("SINGA_PROCESS"), *const rank = std::getenv(variable);
  return place && rank && std::string(place).rfind(std::string(rank) + "/", 0) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  const char* const gpus = std::getenv("SINGA_EMULATED_GPUS");
  singa::EmulatedMachine machine(gpus && !IsProcess("SINGA_WITHOUT_GPUS") ? std::atoi(gpus) : 0);
  machine.SetGroups(!IsProcess("SINGA_WITHOUT_GROUPS"));
  if (const char* const works = std::getenv("SINGA_GPUS_WORK"))
    machine.BreakAfter(std::atoll(works));
  return singa::Driver().Main(argc, argv);
}
