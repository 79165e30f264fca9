#include <sys/prctl.h>
#include <unistd.h>

#include <cstdlib>

#include "singa/driver/driver.h"

namespace {

// Sets an environment variable that has no value yet. Returns whether it did.
bool SetDefault(const char* name, const char* value) {
  return !std::getenv(name) && setenv(name, value, 1) == 0;
}

// An OpenMP thread that waits for others spins first, by default of g++'s library for some 10 ms:
// where two jobs share the cores, each burns what the other needs (40 times slower, measured).
bool SpinBriefly() {
  return !std::getenv("OMP_WAIT_POLICY") && SetDefault("GOMP_SPINCOUNT", "2000");
}

// oneDNN's products take aligned blocks of some MB for a moment. glibc cuts their ends off, and
// keeps the small ends in a cache of each thread. The freed blocks between them cannot be joined,
// so that the next block does not fit: a worker got up to 5 MB of such holes. The cache therefore
// keeps only blocks of up to 64 bytes. The ends are larger.
bool KeepFewBlocks() { return SetDefault("GLIBC_TUNABLES", "glibc.malloc.tcache_max=64"); }

// The libraries read these variables when they are loaded, so the program starts itself again.
void SetUpLibraries(const char* program, char** argv) {
  const bool spins = SpinBriefly(), keeps = KeepFewBlocks();
  if (spins || keeps) execv(program, argv);
}

}  // namespace

int main(int argc, char** argv) {
  const char* const starter = std::getenv("SINGA_STARTER");  // see OwnProgram
  SetUpLibraries(starter ? starter : "/proc/self/exe", argv);
  prctl(PR_SET_NAME, "singa");  // it has the name of what was executed last: exe, or the loader
  return singa::Driver().Main(argc, argv);
}
