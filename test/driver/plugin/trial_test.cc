// Tests libraries that are loaded in another process. test/system/plugin_fault_checks.py tests
// libraries that hang or leave processes.
#include "driver/plugin/trial.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "io/temp_dir.h"

namespace singa::trial {
namespace {

constexpr char kLibrary[] = SINGA_BINARY_DIR "/lib/libending_library.so";

// Tries the library, which ends the process in this way.
std::string Ending(const char* how) {
  setenv("SINGA_TEST_ENDING", how, 1);
  const std::string outcome = TryToLoad(kLibrary);
  unsetenv("SINGA_TEST_ENDING");
  return outcome;
}

TEST(Trial, ALibraryThatLoadsIsFine) {
  EXPECT_EQ(TryToLoad(kLibrary), "");
  EXPECT_EQ(dlopen(kLibrary, RTLD_NOW | RTLD_NOLOAD), nullptr) << "it was loaded here";
}

TEST(Trial, AnErrorOfDlopenIsLeftToTheRealLoad) {
  const TempDir dir;
  EXPECT_EQ(TryToLoad(dir.Path("none.so")), "");
  EXPECT_EQ(TryToLoad(dir.Write("text.so", "no library")), "");
}

TEST(Trial, ALibraryMayEndTheProcessEvenWithCodeZero) {
  EXPECT_EQ(Ending("exit"), "ends the process while it is loaded");
}

TEST(Trial, TheFirstLineThatALibrarySaysIsTold) {
  EXPECT_EQ(Ending("no licence\x07\nfor it\n"),
            "ends the process while it is loaded: no licence\\x07");
}

}  // namespace
}  // namespace singa::trial
