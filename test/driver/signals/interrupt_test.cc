#include "driver/signals/interrupt.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "io/file/new_file.h"
#include "io/file/new_folder.h"

namespace singa {
namespace {

TEST(InterruptTest, ASignalThatEndsTheProcessRemovesItsUnfinishedFiles) {
  const std::filesystem::path folder = testing::TempDir() + "interrupt_test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  EXPECT_EXIT(
      {
        EndOnInterrupts();
        PosixFileSystem files;
        NewFile complete(&files, folder / "complete");
        NewFile cut(&files, folder / "cut");
        complete.Commit();
        const NewFolder cut_folder(&files, folder / "cut_folder");
        NewFile inside(&files, cut_folder.temporary() + "/inside");
        inside.Commit();
        const NewFile cut_inside(&files, cut_folder.temporary() + "/cut_inside");
        if (!std::filesystem::is_empty(folder)) ::raise(SIGTERM);
      },
      testing::KilledBySignal(SIGTERM), "");
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    EXPECT_EQ(entry.path().filename(), "complete");
  EXPECT_TRUE(std::filesystem::exists(folder / "complete"));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace singa
