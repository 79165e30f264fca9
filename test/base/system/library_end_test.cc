#include "base/system/library_end.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>
#include <string>
#include <thread>

#include "singa/base/error.h"

namespace singa {
namespace {

TEST(LibraryEndTest, AnErrorOfOursThatNobodyCatchesIsShown) {
  EXPECT_DEATH(
      {
        ExplainLibraryEnds([] {});
        std::thread([] { throw std::runtime_error("what went wrong"); }).join();
      },
      "what went wrong");
}

TEST(LibraryEndTest, NamesAMappedFileThatBecameShorter) {
  const std::string path = testing::TempDir() + "cut_while_mapped";
  EXPECT_EXIT(
      {
        std::signal(SIGBUS, SIG_DFL);  // not a sanitizer's
        ExplainLibraryEnds([] {});
        const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
        if (::ftruncate(file, 4096) != 0) ::_exit(1);
        const auto* const bytes = static_cast<const volatile char*>(
            ::mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, file, 0));
        if (::ftruncate(file, 0) != 0) ::_exit(1);
        ::_exit(bytes[0]);
      },
      testing::ExitedWithCode(kExitIo), "cut_while_mapped: became shorter");
  ::unlink(path.c_str());
}

}  // namespace
}  // namespace singa
