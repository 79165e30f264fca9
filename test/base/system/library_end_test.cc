#include "base/system/library_end.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

namespace singa {
namespace {

TEST(LibraryEndTest, AnErrorOfOursThatNobodyCatchesIsShown) {
  EXPECT_DEATH(
      {
        ExplainLibraryEnds();
        std::thread([] { throw std::runtime_error("what went wrong"); }).join();
      },
      "what went wrong");
}

}  // namespace
}  // namespace singa
