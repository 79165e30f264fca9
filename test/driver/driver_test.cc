// Tests the program and what embeds it. Each call is in a process of its own, as it takes signals
// and the log.
#include "singa/driver/driver.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>

#include "io/temp_dir.h"
#include "support/counted_lines.h"
#include "support/driver/small_job.h"

namespace singa::driver {
namespace {

using testing::ExitedWithCode;

// Runs `singa` with these words and ends the process.
[[noreturn]] void EndAsMain(std::vector<std::string> words) {
  std::clearerr(stdout);  // another test may have left an error
  words.insert(words.begin(), "singa");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  EndWithCountedLines(Driver().Main(static_cast<int>(words.size()), argv.data()));
}

// Ends the process with the code of `call`; a ConfigError goes to stderr with its path.
template <typename Call>
[[noreturn]] void End(const Call& call) {
  try {
    EndWithCountedLines(call());
  } catch (const ConfigError& error) {
    std::fprintf(stderr, "<%s> %s\n", error.path().c_str(), error.message().c_str());
    EndWithCountedLines(error.code());
  } catch (const Error& error) {
    EndWithCountedLines(error.code());
  }
}

TEST(Driver, WithoutWordsShowsItsUse) {
  EXPECT_EXIT(EndAsMain({}), ExitedWithCode(kExitUsage), "usage");
}

TEST(Driver, AWrongWordIsToldWithAHint) {
  EXPECT_EXIT(EndAsMain({"chekc", "x"}), ExitedWithCode(kExitUsage),
              "singa: error: .*see singa -help");
  EXPECT_EXIT(EndAsMain({"check", "-nosuch", "x"}), ExitedWithCode(kExitUsage),
              "singa: error: .*see singa");
}

TEST(Driver, AnErrorGivesItsCodeAndText) {
  EXPECT_EXIT(EndAsMain({"check", "/none.conf"}), ExitedWithCode(kExitNoInput),
              "singa: error: /none.conf: No such file");
}

TEST(Driver, ASubcommandRuns) { EXPECT_EXIT(EndAsMain({"version"}), ExitedWithCode(kExitOk), ""); }

TEST(Driver, HelpIsNoError) {
  EXPECT_EXIT(EndAsMain({"help", "train"}), ExitedWithCode(kExitOk), "");
}

// Writes a job that trains in some milliseconds. Returns its path.
std::string WriteJob(const TempDir& dir, const std::string& settings) {
  return dir.Write("job.conf", SmallJob(dir.Path("ws"), settings).DebugString());
}

TEST(Driver, TrainsAndTestsAJobOfAFile) {
  const TempDir dir;
  const std::string conf = WriteJob(dir, "train_steps: 2");
  EXPECT_EXIT(EndAsMain({"-conf", conf, "-singa_job", "7"}), ExitedWithCode(kExitOk),
              "done: 2 steps");
  EXPECT_TRUE(std::filesystem::exists(dir.Path("ws/log")));
  EXPECT_EXIT(EndAsMain({"train", conf, "-resume", "-set", "train_steps=3"}),
              ExitedWithCode(kExitOk), "at step 2\n");
  EXPECT_EXIT(EndAsMain({"-conf", conf, "-test"}), ExitedWithCode(kExitOk), "params from ");
}

TEST(Driver, ATrainingThatDivergesIsAnError) {
  const TempDir dir;
  const std::string conf =
      WriteJob(dir, "train_steps: 9 updater { learning_rate { base_lr: 3e38 } }");
  EXPECT_EXIT(EndAsMain({"-conf", conf}), ExitedWithCode(kExitDiverged), "singa: error: ");
}

TEST(Driver, TheFileOfOldSettingsSaysWhereTheLogIs) {
  const TempDir dir;
  const std::string conf = WriteJob(dir, "train_steps: 1");
  const std::string old = dir.Write("singa.conf", "log_dir: '" + dir.Path("old") + "'");
  EXPECT_EXIT(EndAsMain({"-conf", conf, "-singa_conf", old}), ExitedWithCode(kExitOk), "");
  EXPECT_TRUE(std::filesystem::exists(dir.Path("old")));
  EXPECT_EXIT(EndAsMain({"-conf", conf, "-singa_conf", dir.Write("bad.conf", "no: 1")}),
              ExitedWithCode(kExitConfig), "bad.conf has the errors that are shown above");
}

TEST(Driver, TrainsAndTestsAJobThatHasNoFile) {
  const TempDir dir;
  EXPECT_EXIT(End([&] { return Driver().Train(SmallJob(dir.Path("ws"), "train_steps: 2")); }),
              ExitedWithCode(kExitOk), "done: 2 steps");
  EXPECT_TRUE(std::filesystem::exists(dir.Path("ws/checkpoint/step2")));
  EXPECT_EXIT(End([&] { return Driver().Test(SmallJob(dir.Path("ws"))); }), ExitedWithCode(kExitOk),
              "params from ");
}

TEST(Driver, ResumesIfItIsAskedTo) {
  const TempDir dir;
  const auto train = [&](int steps) {
    return Driver().Train(SmallJob(dir.Path("ws"), StrCat("train_steps: ", steps)), steps > 1);
  };
  EXPECT_EXIT(End([&] { return train(1); }), ExitedWithCode(kExitOk), "");
  EXPECT_EXIT(End([&] { return train(3); }), ExitedWithCode(kExitOk), "at step 1\n");
}

TEST(Driver, ThrowsTheFirstMistakeWithItsPath) {
  EXPECT_EXIT(End([] { return Driver().Train(SmallJob("/none", "train_steps: -1")); }),
              ExitedWithCode(kExitConfig), "<train_steps> must be >= 0, is -1");
  EXPECT_EXIT(End([] {
                JobProto job = SmallJob("/none");
                job.clear_updater();
                return Driver().Train(job);
              }),
              ExitedWithCode(kExitConfig), "<train_steps> is missing");
}

}  // namespace
}  // namespace singa::driver
