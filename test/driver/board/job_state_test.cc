#include "driver/board/job_state.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <filesystem>

#include "io/temp_dir.h"

namespace singa {
namespace {

TEST(JobStateReaderTest, ParsesTheConfAgainOnlyIfItHasChanged) {
  const TempDir dir;
  std::filesystem::create_directory(dir.Path("visualization"));
  const WorkspaceFiles files(dir.path());
  JobStateReader reader;
  EXPECT_EQ(reader.Read(files).name, "");
  const std::string conf = dir.Write("visualization/job.conf", R"(name: "a" train_steps: 7)");
  EXPECT_EQ(reader.Read(files).name, "a");
  EXPECT_EQ(reader.Read(files).train_steps, 7);
  // Another conf of the same length and time is not read.
  struct stat before = {};
  ASSERT_EQ(stat(conf.c_str(), &before), 0);
  dir.Write("visualization/job.conf", R"(name: "b" train_steps: 8)");
  const std::array<struct timespec, 2> times = {before.st_atim, before.st_mtim};
  ASSERT_EQ(utimensat(AT_FDCWD, conf.c_str(), times.data(), 0), 0);
  EXPECT_EQ(reader.Read(files).name, "a");
  dir.Write("visualization/job.conf", R"(name: "longer" train_steps: 8)");
  EXPECT_EQ(reader.Read(files).name, "longer");
  dir.Write("visualization/job.conf", "no conf at all {");
  EXPECT_EQ(reader.Read(files).name, "");
  EXPECT_FALSE(reader.Read(files).train_steps);
}

TEST(JobStateReaderTest, TheStepsOfEpochsAreNotKnown) {
  const TempDir dir;
  std::filesystem::create_directory(dir.Path("visualization"));
  dir.Write("visualization/job.conf", R"(name: "a" train_steps: 0 train_epochs: 3)");
  const JobState state = JobStateReader().Read(WorkspaceFiles(dir.path()));
  EXPECT_EQ(state.name, "a");
  EXPECT_FALSE(state.train_steps);
}

}  // namespace
}  // namespace singa
