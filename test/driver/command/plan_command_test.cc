// Tests the command around the plans: its words, and the machine that it plans for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "driver/command/subcommand.h"
#include "io/temp_dir.h"
#include "support/driver/captured_command.h"
#include "support/driver/plan_jobs.h"

namespace singa::plan_command {
namespace {

using testing::HasSubstr;
using testing::Not;
using Words = std::vector<std::string>;

constexpr char kMachine[] = "name: 'small' gflops: 100 gb_per_s: 10 cores: 2 ";

class PlanCommandTest : public testing::Test {
 protected:
  static CapturedCommand Plan(const Words& words) {
    CommandLine line;
    line.args = words;
    return CapturedCommand([&] { return FindSubcommand("plan")->run(line); });
  }
  // Plans the job for the machine with these fields.
  CapturedCommand PlanOn(const std::string& machine, Words words) const {
    words.insert(words.end(), {"-machine", dir_.Write("machine.conf", machine), conf_});
    return Plan(words);
  }

  const TempDir dir_;
  const std::string conf_ = dir_.Write("job.conf", ImageJob().DebugString());
};

TEST_F(PlanCommandTest, PrintsTheLayersAndAllPlans) {
  const CapturedCommand run = PlanOn(kMachine, {"-workers", "2"});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  for (const char* const text : {"\nfc1 ", "\nfound ", "\ndata ", "\nunits ", "\nhybrid ", "\nown ",
                                 "\nworkers        2 of ", " on 1 host\n", "\none worker ",
                                 "\ntimes          the machine file, small\n"})
    EXPECT_THAT(run.out, HasSubstr(text));
  EXPECT_THAT(run.out, Not(HasSubstr("\nlink ")));
}

TEST_F(PlanCommandTest, PrintsOneJsonObject) {
  const CapturedCommand run = PlanOn(kMachine, {"-workers", "4", "-hosts", "2", "-json"});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json["workers"], 4);
  EXPECT_EQ(json["hosts"], 2);
  EXPECT_EQ(json["plans"][0]["name"], "found");
  EXPECT_EQ(json["plans"][0]["layers"].size(), 7u);
  EXPECT_GE(json["front"].size(), 1u);
  EXPECT_GE(json["gradients"].size(), 2u);
}

TEST_F(PlanCommandTest, TheLinkOfTheOptionOverridesTheMachines) {
  const Words words = {"-workers", "2", "-hosts", "2"};
  const std::string machine = StrCat(kMachine, "link_gbit: 4 link_us: 30");
  EXPECT_THAT(PlanOn(machine, words).out, HasSubstr("\nlink           4.00 Gbit/s, 30 us\n"));
  Words given = words;
  given.insert(given.end(), {"-link", "0.5,7"});
  EXPECT_THAT(PlanOn(machine, given).out, HasSubstr("\nlink           0.50 Gbit/s, 7 us\n"));
}

TEST_F(PlanCommandTest, LeavesOutHostsWithoutAWorker) {
  const CapturedCommand run = PlanOn(kMachine, {"-workers", "5", "-hosts", "4"});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  EXPECT_THAT(run.err, HasSubstr("hosts: 3, as 5 workers, 2 on a host, need no more\n"));
  EXPECT_THAT(run.err, HasSubstr("each host is taken to have a server: set all_reduce {}"));
  EXPECT_THAT(run.out, HasSubstr(" on 3 hosts\n"));
}

TEST_F(PlanCommandTest, EachWorkerHasAGpuOfItsOwn) {
  const std::string machine = StrCat(kMachine, "gpus: 2");
  EXPECT_THAT(PlanOn(machine, {"-workers", "4", "-hosts", "2"}).out,
              HasSubstr("workers        4 with a GPU each on 2 hosts\n"));
  const CapturedCommand run = PlanOn(machine, {"-workers", "4"});
  EXPECT_EQ(run.code, kExitUsage);
  EXPECT_THAT(run.err, HasSubstr("a host of the machine has 2 GPUs, and 4 workers need one each"));
}

TEST_F(PlanCommandTest, NoPlanMayFit) {
  const CapturedCommand run = PlanOn(StrCat(kMachine, "memory_gb: 1e-5"), {"-workers", "2"});
  EXPECT_EQ(run.code, kExitNoDevice);
  EXPECT_THAT(run.err, HasSubstr("no plan fits into the memory of a worker, which is 0.005 MB"));
  EXPECT_THAT(run.out, HasSubstr("\ndata "));
}

TEST_F(PlanCommandTest, MistakesOfTheFilesAreShown) {
  const CapturedCommand machine = PlanOn("cores: 0", {});
  EXPECT_EQ(machine.code, kExitConfig);
  EXPECT_THAT(machine.err, HasSubstr("cores: must be from 1 to 4096, is 0"));
  EXPECT_THAT(machine.err, HasSubstr("gflops: is missing"));
  EXPECT_EQ(Plan({"-machine", "/none", conf_}).code, kExitNoInput);
  EXPECT_EQ(Plan({"-conf", "/none"}).code, kExitNoInput);
  EXPECT_EQ(Plan({"-set", "train_steps=-1", conf_}).code, kExitConfig);
}

TEST_F(PlanCommandTest, WordsThatAreWrongAreNamed) {
  const std::pair<Words, std::string> wrong[] = {
      {{"-json", "-svg", conf_}, "-json and -svg exclude each other"},
      {{"-verify", "-machine", "m", conf_}, "-verify runs the plans on this machine"},
      {{"-verify", "-workers", "2", "-hosts", "2", conf_}, "-verify runs the plans on this host"},
      {{"-workers", "0", conf_}, "-workers must be from 1 to "},
      {{"-hosts", "3", "-workers", "2", conf_}, "-hosts 3 needs a worker for each host, -workers"},
      {{"-hosts", "3", conf_}, "the job's conf has 1 worker: set -workers 3 or more"},
      {{"-link", "fast", conf_}, "-link: \"fast\" is not a valid number: give Gbit/s, or"},
      {{"-link", "0", conf_}, "-link: Gbit/s must be from "},
      {{"-link", "1,-5", conf_}, "-link: microseconds must be from 0 to "},
      {{"-conf", conf_, "more"}, "takes one file, a second is \"more\""},
      {{}, "needs 1 operand, got 0"}};
  for (const auto& [words, text] : wrong) {
    const CapturedCommand run = Plan(words);
    EXPECT_EQ(run.code, kExitUsage) << text;
    EXPECT_THAT(run.err, HasSubstr(text));
    EXPECT_EQ(run.out, "");
  }
}

}  // namespace
}  // namespace singa::plan_command
