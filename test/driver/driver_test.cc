// Tests the program and what embeds it. Each call is in a process of its own, as it takes signals
// and the log.
#include "singa/driver/driver.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "io/temp_dir.h"
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
  const int code = Driver().Main(static_cast<int>(words.size()), argv.data());
  _exit(code);
}

// Ends the process with the code of `call`; a ConfigError goes to stderr with its path.
template <typename Call>
[[noreturn]] void End(const Call& call) {
  try {
    _exit(call());
  } catch (const ConfigError& error) {
    std::fprintf(stderr, "<%s> %s\n", error.path().c_str(), error.message().c_str());
    _exit(error.code());
  } catch (const Error& error) {
    _exit(error.code());
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
