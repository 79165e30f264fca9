#include <unistd.h>

#include <cstdlib>

#include "singa/driver/driver.h"

namespace {

// An OpenMP thread that waits for others spins first, by default of g++'s library for some 10 ms:
// where two jobs share the cores, each burns what the other needs (40 times slower, measured). The
// library reads how long when it is loaded, so the program starts itself again with its answer.
void SpinBriefly(char** argv) {
  if (std::getenv("OMP_WAIT_POLICY") || std::getenv("GOMP_SPINCOUNT")) return;
  setenv("GOMP_SPINCOUNT", "2000", 1);
  execv("/proc/self/exe", argv);
}

}  // namespace

int main(int argc, char** argv) {
  SpinBriefly(argv);
  return singa::Driver().Main(argc, argv);
}
