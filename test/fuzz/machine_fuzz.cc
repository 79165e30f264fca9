// Reads any bytes as a machine file. They are refused with Error, or all speeds are numbers with
// which times can be computed.
#include <cmath>
#include <cstdlib>

#include "driver/plan/machine_file.h"
#include "file_of_bytes.h"
#include "singa/base/error.h"

namespace singa {
namespace {

void Require(bool ok) {
  if (!ok) std::abort();
}

bool IsSpeed(double value) { return value >= kLeastSpeed && value <= kMostSpeed; }

void Check(const MachineProto& machine) {
  Require(machine.cores() >= 1 && machine.gpus() >= 0);
  Require(IsSpeed(machine.gflops()) && IsSpeed(machine.gb_per_s()) && IsSpeed(machine.link_gbit()));
  for (const double us : {machine.call_us(), machine.exchange_us(), machine.link_us()})
    Require(us >= 0 && us <= kMostSpeed);
  for (const MachineProto::Rate& rate : machine.rate())
    Require(rate.has_type() && (!rate.has_gflops() || IsSpeed(rate.gflops())) &&
            (!rate.has_gb_per_s() || IsSpeed(rate.gb_per_s())));
}

}  // namespace
}  // namespace singa

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const singa::FileOfBytes file(data, size);
  try {
    singa::Check(singa::ReadMachine(file.path()));
  } catch (const singa::Error&) {
  }
  return 0;
}
