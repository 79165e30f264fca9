// Tests the bytes of event files, and which events stay.
#include "io/metrics/event_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <utility>

#include "io/metrics/events_file.h"
#include "io/metrics/record_frames.h"
#include "io/temp_dir.h"
#include "singa/base/error.h"

namespace singa {
namespace {

using Steps = std::vector<std::pair<std::string, int64_t>>;  // tags and steps

constexpr char kOne[] = "events.out.tfevents.0000000001.singa";
constexpr char kTwo[] = "events.out.tfevents.0000000002.singa";

class EventFilesTest : public ::testing::Test {
 protected:
  static std::string Scalar(int64_t step, int group = 0) {
    RowEvents events({});
    const MetricsRow row = {
        .phase = "train", .step = step, .group = group, .layer = "", .metrics = {{"loss", 1}}};
    return FrameOf(events.Of(row, 0)->SerializeAsString());
  }
  static std::string Version() { return FrameOf(VersionEvent(0).SerializeAsString()); }
  void Cut(const std::vector<int64_t>& first_steps) {
    CutEventFiles(&files_, folder_.path(), first_steps);
  }
  std::string Read(const std::string& name) const { return TempDir::Read(folder_.Path(name)); }
  bool Exists(const std::string& name) const { return std::filesystem::exists(folder_.Path(name)); }
  std::vector<std::string> Names() { return ListEventFiles(&files_, folder_.path()); }
  // Returns the scalars and histograms of the workspace's files.
  Steps All() {
    Steps all;
    for (const std::string& name : Names()) {
      const InputFile file = InputFile::Open(folder_.Path(name));
      FrameReader reader(&file);
      tensorboard::Event event;
      for (std::string record; reader.Next(&record);) {
        EXPECT_TRUE(event.ParseFromString(record));
        for (const auto& value : event.summary().value())
          all.emplace_back(value.tag(), event.step());
      }
      EXPECT_EQ(reader.position(), file.size());
    }
    return all;
  }

  TempDir folder_;
  PosixFileSystem files_;
};

// Written by tensorboard.summary.writer.record_writer of TensorBoard 2.21.
TEST_F(EventFilesTest, AFrameHasLengthAndMaskedChecksums) {
  EXPECT_EQ(FrameOf("abc"), std::string("\x03\0\0\0\0\0\0\0\xb0\x99\x49\x0e"
                                        "abc\x6e\x57\xf1\x21",
                                        19));
  EXPECT_EQ(VersionEvent(1.5).SerializeAsString(), std::string("\x09\0\0\0\0\0\0\xf8\x3f\x1a\x0d"
                                                               "brain.Event:2",
                                                               24));
}

TEST_F(EventFilesTest, StepsThatComeAgainAreRemoved) {
  folder_.Write(kOne, Version() + Scalar(0) + Scalar(5) + Scalar(9));
  folder_.Write(kTwo, Version() + Scalar(7) + Scalar(9));
  Cut({7});
  EXPECT_EQ(Read(kOne), Version() + Scalar(0) + Scalar(5));
  EXPECT_FALSE(Exists(kTwo)) << "no event of a step is left in it";
}

TEST_F(EventFilesTest, EachGroupHasAStepOfItsOwn) {
  folder_.Write(kOne,
                Version() + Scalar(5) + Scalar(5, 1) + Scalar(6) + Scalar(4, 1) + Scalar(0, 2));
  Cut({6, 5});
  EXPECT_EQ(Read(kOne), Version() + Scalar(5) + Scalar(4, 1));
}

TEST_F(EventFilesTest, ATornTailIsRemoved) {
  const std::string whole = Version() + Scalar(0), more = Scalar(1);
  for (size_t bytes = 0; bytes < more.size(); ++bytes) {
    folder_.Write(kOne, whole + more.substr(0, bytes));
    Cut({5});
    EXPECT_EQ(Read(kOne), whole) << bytes;
  }
  std::string damaged = whole + more + Scalar(2);
  damaged[whole.size() + 14] ^= 1;
  folder_.Write(kOne, damaged);
  Cut({5});
  EXPECT_EQ(Read(kOne), whole);
}

TEST_F(EventFilesTest, OtherFilesStay) {
  for (const char* name : {"events.out.tfevents.1.host", "events.out.tfevents.000000000x.singa"}) {
    folder_.Write(name, "of others");
    Cut({0});
    EXPECT_EQ(Read(name), "of others");
  }
}

TEST_F(EventFilesTest, AStartWritesAFileBehindTheOthers) {
  const std::string last = "events.out.tfevents.9999999998.singa";
  folder_.Write(last, Version() + Scalar(3) + Scalar(4));
  {
    EventsFile file({&files_, folder_.path(), std::vector<int64_t>{4}}, {});
    file.Write({{.phase = "train", .step = 4, .layer = "", .metrics = {{"loss", 1}}},
                {.phase = "train", .step = 4, .layer = "", .metrics = {{"loss", 1}}}});
    file.WriteHistogram(4, "values/w", {});
    file.Sync();
  }
  EXPECT_EQ(Names(), (std::vector<std::string>{last, "events.out.tfevents.9999999999.singa"}));
  EXPECT_EQ(All(), (Steps{{"train/loss", 3}, {"train/loss", 4}, {"values/w", 4}}));
  Cut({4});
  EXPECT_EQ(All(), (Steps{{"train/loss", 3}}));
}

TEST_F(EventFilesTest, ALinkIsRefused) {
  folder_.Write("target", Version() + Scalar(9));
  std::filesystem::create_symlink("target", folder_.Path(kOne));
  EXPECT_THROW(Cut({0}), FileError);
  EXPECT_EQ(Read("target"), Version() + Scalar(9));
}

}  // namespace
}  // namespace singa
