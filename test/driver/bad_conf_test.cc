// Tests users' mistakes, one file each. test/conf/bad/*.conf begins with one line for each finding:
//   # expect: LINE:COL: error: path: text
#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "driver/conf/check_job.h"
#include "io/temp_dir.h"

namespace singa {
namespace {

using Lines = std::vector<std::string>;

constexpr char kExpect[] = "# expect: ";

std::string BadConf(const std::string& name) { return SINGA_SOURCE_DIR "/test/conf/bad/" + name; }
std::string GoodConf(const std::string& name) { return SINGA_SOURCE_DIR "/test/conf/good/" + name; }

Lines BadConfs() {
  Lines names;
  for (const auto& entry : std::filesystem::directory_iterator(BadConf("")))
    if (entry.path().extension() == ".conf") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

Lines Expected(const std::string& file) {
  Lines lines;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line) && line.rfind(kExpect, 0) == 0;)
    lines.push_back(line.substr(sizeof(kExpect) - 1));
  return lines;
}

Lines Found(const JobConf& conf) {
  Lines lines;
  for (const Diagnostic& diagnostic : conf.diagnostics())
    lines.push_back(ToString("F", diagnostic).substr(diagnostic.set.empty() ? 2 : 0));
  return lines;
}

class BadConfTest : public ::testing::TestWithParam<std::string> {
 protected:
  const std::string file_ = BadConf(GetParam() + ".conf");
};

TEST_P(BadConfTest, IsReportedAsExpected) {
  const Lines expected = Expected(file_);
  ASSERT_FALSE(expected.empty()) << file_ << " must begin with \"" << kExpect << "\"";
  const auto checked = CheckJob(file_, {});
  EXPECT_EQ(Found(checked->conf), expected);
  EXPECT_EQ(checked->conf.exit_code(), kExitConfig);
}

struct Ended {
  int status = -1;
  double cpu_seconds = 0;
  std::string out, err;
};

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

Ended RunSinga(const Lines& args) {
  const std::string binary = SINGA_BINARY_DIR "/bin/singa";
  const std::string base = testing::TempDir() + StrCat("bad_conf.", getpid());
  std::vector<char*> argv = {const_cast<char*>(binary.c_str())};
  for (const std::string& arg : args) argv.push_back(const_cast<char*>(arg.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const auto& [fd, name] : {std::pair(1, ".out"), std::pair(2, ".err")})
    posix_spawn_file_actions_addopen(&actions, fd, (base + name).c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t pid = 0;
  Ended run;
  const int error = posix_spawn(&pid, binary.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    ADD_FAILURE() << binary << " cannot be run: build the target singa_main";
    return run;
  }
  rusage used = {};
  wait4(pid, &run.status, 0, &used);
  run.cpu_seconds = Seconds(used.ru_utime) + Seconds(used.ru_stime);
  run.out = TempDir::Read(base + ".out"), run.err = TempDir::Read(base + ".err");
  for (const char* name : {".out", ".err"}) std::filesystem::remove(base + name);
  return run;
}

TEST_P(BadConfTest, MakesTheProgramExitWith78) {
  const Ended run = RunSinga({"check", file_});
  ASSERT_TRUE(WIFEXITED(run.status));
  EXPECT_EQ(WEXITSTATUS(run.status), 78) << run.err;
  EXPECT_LT(run.cpu_seconds, 30);
  EXPECT_EQ(run.out, "");
  for (const std::string& expected : Expected(file_))
    EXPECT_NE(run.err.find(file_ + ":" + expected + "\n"), std::string::npos) << run.err;
  EXPECT_EQ(run.err.find("libprotobuf"), std::string::npos) << run.err;
}

INSTANTIATE_TEST_SUITE_P(Files, BadConfTest, ::testing::ValuesIn(BadConfs()),
                         [](const auto& name) { return name.param; });

// There must be this many files, and this many of them with several mistakes.
TEST(BadConfs, AreMany) {
  const Lines names = BadConfs();
  EXPECT_GE(names.size(), 120u);
  EXPECT_GE(std::count_if(names.begin(), names.end(),
                          [](const std::string& name) {
                            return Expected(BadConf(name + ".conf")).size() > 1;
                          }),
            20);
}

TEST(CheckJob, AcceptsGoodConfs) {
  for (const auto& entry : std::filesystem::directory_iterator(GoodConf(""))) {
    const auto checked = CheckJob(entry.path().string(), {});
    EXPECT_EQ(checked->conf.Render(), "");
  }
}

TEST(CheckJob, ExamplesDrawNothing) {
  int files = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(SINGA_SOURCE_DIR "/examples")) {
    const std::string path = entry.path().string();
    const bool has_plugin =
        path.find("custom_layer") != std::string::npos || path.find("rnnlm") != std::string::npos;
    if (entry.path().extension() != ".conf" || has_plugin) continue;
    ++files;
    EXPECT_EQ(CheckJob(entry.path().string(), {})->conf.Render(), "");
  }
  EXPECT_GT(files, 8);
}

// Warnings about old names and idle fields are allowed.
TEST(CheckJob, JobsOfV03DrawNoWarningOfWhatTheyLearn) {
  Lines found;
  for (const auto& entry : std::filesystem::directory_iterator(SINGA_SOURCE_DIR "/test/conf/v03")) {
    if (entry.path().extension() != ".conf") continue;
    const auto checked = CheckJob(entry.path().string(), {});
    for (const Diagnostic& diagnostic : checked->conf.diagnostics()) {
      const auto says = [&](const char* text) {
        return diagnostic.text.find(text) != std::string::npos;
      };
      const bool old = says("is an old name of") || says("is deprecated") ||
                       says("not built yet") || says("has no effect:") || diagnostic.path == "gpu";
      if (!old && diagnostic.severity == Diagnostic::kWarning)
        found.push_back(diagnostic.path + ": " + diagnostic.text);
    }
  }
  EXPECT_EQ(found, Lines{});
}

TEST(CheckJob, TestingNeedsNoUpdater) {
  EXPECT_TRUE(CheckJob(GoodConf("test_only.conf"), {}, {JobUse::kTest})->conf.ok());
}

TEST(CheckJob, TrainingNeedsAnUpdater) {
  EXPECT_EQ(
      Found(CheckJob(GoodConf("test_only.conf"), {}, {JobUse::kTrain})->conf),
      (Lines{"1:1: error: train_steps: is missing; training needs train_steps or train_epochs",
             "1:1: error: updater: is missing; training needs it"}));
}

TEST(CheckJob, MissingFilesEndWith66) {
  const auto checked = CheckJob(GoodConf("cnn.conf"), {}, {JobUse::kTrain, true});
  EXPECT_EQ(checked->conf.exit_code(), kExitNoInput);
  EXPECT_EQ(Found(checked->conf),
            (Lines{"14:18: error: neuralnet.layer[data#0].store_conf.path: there is no file "
                   "\"train.bin\"",
                   "17:18: error: neuralnet.layer[data#1].store_conf.path: there is no file "
                   "\"test.bin\""}));
}

TEST(CheckJob, ParamsNeedAnInitializerOrACheckpoint) {
  const std::string type = "neuralnet.layer[fc2].param[1].init.type=kUserInit";
  EXPECT_EQ(
      Found(CheckJob(GoodConf("mlp.conf"), {type})->conf),
      (Lines{"91:7: error: neuralnet.layer[fc2].param[1].init: the param needs an init with a "
             "type or a user_type: no checkpoint gives its values; allowed: kConstant, kGaussian, "
             "kUniform, kGaussianSqrtFanIn, kUniformSqrtFanIn or kUniformSqrtFanInOut"}));
  EXPECT_TRUE(CheckJob(GoodConf("mlp.conf"), {type, "checkpoint_path=x"})->conf.ok());
}

TEST(CheckJob, MistakesInOptionsNameTheOption) {
  const Lines sets = {"updater.momentum=2", "neuralnet.layer[fc1].innerproduct_conf.num_output=0",
                      "updater.type=kRMSProp"};
  EXPECT_EQ(Found(CheckJob(GoodConf("mlp.conf"), sets)->conf),
            (Lines{"10:1: error: updater.rmsprop_conf: is missing; kRMSProp needs its rho",
                   "-set updater.momentum: error: must be >= 0 and < 1, is 2",
                   "-set neuralnet.layer[fc1].innerproduct_conf.num_output: error: must be >= 1, "
                   "is 0"}));
}

TEST(CheckJob, ALayerOfTwoPhasesIsReportedOnce) {
  EXPECT_EQ(Found(CheckJob(GoodConf("mlp.conf"), {"neuralnet.layer[fc2].srclayers=x"})->conf),
            (Lines{"-set neuralnet.layer[fc2].srclayers: error: no layer \"x\" in this phase"}));
}

}  // namespace
}  // namespace singa
