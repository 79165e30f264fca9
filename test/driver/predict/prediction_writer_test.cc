#include "driver/predict/prediction_writer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdio_ext.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>

#include "io/store/store.h"
#include "io/temp_dir.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// Calls `write` with a writer of three scores. Returns what that puts on stdout.
std::string WrittenLines(const PredictionFormat& format,
                         const std::function<void(PredictionWriter*)>& write) {
  PredictionWriter writer(format, 3);
  write(&writer);
  ::testing::internal::CaptureStdout();
  writer.Flush();
  return ::testing::internal::GetCapturedStdout();
}

const float kScores[] = {0.25f, 0.5f, 0.1f};
void WriteOne(PredictionWriter* writer) { writer->Write("a.png", 0, {1}, kScores); }

TEST(PredictionWriterTest, WritesAllScoresBelowAHeader) {
  EXPECT_EQ(WrittenLines({}, WriteOne), "record,label,0,1,2\na.png,1,0.25,0.5,0.1\n");
}

TEST(PredictionWriterTest, WritesTheBestClassesFirst) {
  EXPECT_EQ(WrittenLines({.top = 2}, WriteOne),
            "record,label,class1,score1,class2,score2\na.png,1,1,0.5,0,0.25\n");
}

TEST(PredictionWriterTest, NamesClassesAndLabels) {
  const std::vector<std::string> classes = {"cat", "dog", "a,b"};
  EXPECT_EQ(WrittenLines({.classes = classes}, WriteOne),
            "record,label,cat,dog,\"a,b\"\na.png,dog,0.25,0.5,0.1\n");
  EXPECT_EQ(WrittenLines({.top = 1, .classes = classes}, WriteOne),
            "record,label,class1,score1\na.png,dog,dog,0.5\n");
}

TEST(PredictionWriterTest, NamesTargets) {
  const std::vector<std::string> targets = {"price", "rent, net", "target2"};
  EXPECT_EQ(WrittenLines({.targets = targets}, WriteOne),
            "record,label,price,\"rent, net\",target2\na.png,1,0.25,0.5,0.1\n");
}

TEST(PredictionWriterTest, WritesTheIdBehindTheName) {
  const auto write = [](PredictionWriter* writer) {
    writer->Write("t:0", 7, {.label = 1, .id = "x,\"7\""}, kScores);
  };
  EXPECT_EQ(WrittenLines({.ids = true, .top = 1}, write),
            "record,id,label,class1,score1\nt:0,\"x,\"\"7\"\"\",1,1,0.5\n");
  EXPECT_EQ(WrittenLines({.ids = true, .steps = true, .top = 1}, write),
            "record,id,step,label,class1,score1\nt:0,\"x,\"\"7\"\"\",7,1,1,0.5\n");
  EXPECT_EQ(WrittenLines({.json = true, .ids = true, .top = 1}, write),
            "{\"record\":\"t:0\",\"id\":\"x,\\\"7\\\"\",\"label\":1,"
            "\"top\":[{\"class\":1,\"score\":0.5}]}\n");
}

TEST(PredictionWriterTest, WritesTheTimeStep) {
  EXPECT_EQ(WrittenLines({.steps = true, .top = 1},
                         [](PredictionWriter* writer) { writer->Write("t:0", 7, {1}, kScores); }),
            "record,step,label,class1,score1\nt:0,7,1,1,0.5\n");
}

TEST(PredictionWriterTest, LeavesOutALabelThatThereIsNot) {
  const auto write = [](PredictionWriter* writer) { writer->Write("a", 0, {kNoLabel}, kScores); };
  EXPECT_EQ(WrittenLines({.top = 1}, write), "record,label,class1,score1\na,,1,0.5\n");
  EXPECT_EQ(WrittenLines({.json = true, .top = 1}, write),
            "{\"record\":\"a\",\"top\":[{\"class\":1,\"score\":0.5}]}\n");
}

TEST(PredictionWriterTest, ALabelWithoutAClassIsANumber) {
  EXPECT_EQ(WrittenLines({.top = 1, .classes = {"x", "y", "z"}},
                         [](PredictionWriter* writer) {
                           writer->Write("a", 0, {3}, kScores);
                           writer->Write("b", 0, {-2}, kScores);
                         }),
            "record,label,class1,score1\na,3,y,0.5\nb,-2,y,0.5\n");
}

TEST(PredictionWriterTest, QuotesTheCellsOfCsv) {
  EXPECT_EQ(
      WrittenLines({.top = 1},
                   [](PredictionWriter* writer) { writer->Write("a \"b\"\n", 0, {1}, kScores); }),
      "record,label,class1,score1\n\"a \"\"b\"\"\n\",1,1,0.5\n");
}

TEST(PredictionWriterTest, WritesJsonLines) {
  EXPECT_EQ(WrittenLines({.json = true}, WriteOne),
            "{\"record\":\"a.png\",\"label\":1,\"scores\":[0.25,0.5,0.1]}\n");
  EXPECT_EQ(
      WrittenLines({.json = true, .steps = true, .top = 2, .classes = {"c", "d", "e"}}, WriteOne),
      "{\"record\":\"a.png\",\"step\":0,\"label\":1,\"top\":[{\"class\":1,\"name\":\"d\","
      "\"score\":0.5},{\"class\":0,\"name\":\"c\",\"score\":0.25}]}\n");
}

TEST(PredictionWriterTest, JsonHasNoInvalidUtf8) {
  EXPECT_EQ(
      WrittenLines({.json = true, .top = 1},
                   [](PredictionWriter* writer) { writer->Write("\"\xFF", 0, {1}, kScores); }),
      "{\"record\":\"\\\"\xEF\xBF\xBD\",\"label\":1,\"top\":[{\"class\":1,\"score\":0.5}]}\n");
}

TEST(PredictionWriterTest, JsonHasTextForNumbersThatAreNotFinite) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float scores[] = {kInfinity, -kInfinity, std::nanf("")};
  EXPECT_EQ(WrittenLines({.json = true},
                         [&](PredictionWriter* writer) { writer->Write("a", 0, {1}, scores); }),
            "{\"record\":\"a\",\"label\":1,\"scores\":[\"inf\",\"-inf\",\"nan\"]}\n");
}

TEST(PredictionWriterTest, ANumberReadsBackAsTheSameFloat) {
  const float scores[] = {1.f / 3, 1e-30f, 16777216.f};
  EXPECT_EQ(WrittenLines({}, [&](PredictionWriter* writer) { writer->Write("a", 0, {1}, scores); }),
            "record,label,0,1,2\na,1,0.33333334,1e-30,16777216\n");
}

TEST(PredictionWriterTest, WritesALineOnce) {
  PredictionWriter writer({.top = 1}, 3);
  WriteOne(&writer);
  ::testing::internal::CaptureStdout();
  writer.Flush();
  writer.Flush();
  EXPECT_EQ(::testing::internal::GetCapturedStdout(),
            "record,label,class1,score1\na.png,1,1,0.5\n");
}

TEST(PredictionWriterTest, NamesTheFirstRecordWhoseScoresAreNotFinite) {
  PredictionWriter writer({.top = 1}, 3);
  const float scores[] = {1, std::nanf(""), 1};
  WriteOne(&writer);
  EXPECT_NO_THROW(writer.RequireFinite("fc"));
  writer.Write("b.png", 0, {1}, scores);
  EXPECT_ERROR(writer.RequireFinite("fc"), kExitDiverged,
               "b.png: the scores of layer \"fc\" are not finite");
  writer.Write("c.png", 0, {1}, scores);
  writer.Write("d.png", 0, {1}, scores);
  EXPECT_ERROR(writer.RequireFinite("fc"), kExitDiverged,
               "b.png: the scores of layer \"fc\" are not finite; so are those of 2 lines more");
}

TEST(PredictionWriterTest, AStdoutThatIsFullIsAnError) {
  PredictionWriter writer({}, 3);
  WriteOne(&writer);
  std::fflush(stdout);
  const int before = dup(STDOUT_FILENO), full = open("/dev/full", O_WRONLY);
  dup2(full, STDOUT_FILENO);
  EXPECT_ERROR(writer.Flush(), kExitIo, "stdout", "No space left on device");
  __fpurge(stdout);
  dup2(before, STDOUT_FILENO);
  close(before);
  close(full);
}

}  // namespace
}  // namespace singa
