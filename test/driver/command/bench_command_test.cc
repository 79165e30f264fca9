#include "driver/command/bench_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "io/temp_dir.h"
#include "support/driver/captured_command.h"
#include "support/driver/small_job.h"

namespace singa::bench_command {
namespace {

using testing::HasSubstr;

class BenchCommandTest : public testing::Test {
 protected:
  JobProto Job(const std::string& settings = "train_steps: 9") const {
    return SmallJob(dir_.Path("ws"), settings);
  }
  // Times a job.
  CapturedCommand Bench(CommandLine line, const JobProto& job) {
    line.conf = dir_.Write("job.conf", job.DebugString());
    line.steps = 2;
    return CapturedCommand([&] { return BenchCommand(line); });
  }
  const TempDir dir_;
};

TEST_F(BenchCommandTest, PrintsATableOfAllLayersAndLeavesNoFile) {
  const CapturedCommand run = Bench({}, Job());
  EXPECT_EQ(run.code, kExitOk) << run.err;
  for (const char* text :
       {"\ndata  ", "\nfc    ", "\nloss  ", "\nsum   ", "median of 2 steps of 4", " on 1 thread\n"})
    EXPECT_THAT(run.out, HasSubstr(text));
  EXPECT_FALSE(std::filesystem::exists(dir_.Path("ws")));
}

// The product of the inner product takes 2 * 4 * 4 * 2 operations, and so does the gradient of its
// weight. Nothing below the layer trains.
TEST_F(BenchCommandTest, CountsOperationsOnNoiseInPlaceOfAMissingStore) {
  JobProto job = Job();
  StoreProto* const store = job.mutable_neuralnet()->mutable_layer(0)->mutable_store_conf();
  store->set_backend("kvfile");
  store->set_path("/none");
  store->clear_synthetic_conf();
  const CapturedCommand run = Bench(WithFlag(&CommandLine::json), job);
  EXPECT_EQ(run.code, kExitOk) << run.err;
  EXPECT_THAT(run.err, HasSubstr("singa bench: "));
  std::istringstream lines(run.out);
  nlohmann::json object, product;
  for (std::string line; std::getline(lines, line);) {
    object = nlohmann::json::parse(line);
    if (object.value("layer", "") == "fc") product = object;
  }
  EXPECT_EQ(product["type"], "kInnerProduct");
  EXPECT_EQ(product["flops"], 128);
  EXPECT_EQ(object["steps"], 2);  // the last line is of the step
  EXPECT_EQ(object["synthetic"], true);
}

TEST_F(BenchCommandTest, MeasuresTheWorkersOfAProcess) {
  const CapturedCommand run =
      Bench({}, Job("train_steps: 9 cluster { nworkers_per_group: 2 nworkers_per_procs: 2 }"));
  EXPECT_EQ(run.code, kExitOk) << run.err;
  for (const char* text :
       {"median of 2 steps of 4", "\n2 workers in 1 process, gradients by threads", "\nw     ",
        "\ncommunication "})
    EXPECT_THAT(run.out, HasSubstr(text));
  EXPECT_FALSE(std::filesystem::exists(dir_.Path("ws")));
}

TEST_F(BenchCommandTest, TellsThatItDoesNotMeasureWorkersThatMpiConnects) {
  const CapturedCommand run =
      Bench({}, Job("train_steps: 9 cluster { nworkers_per_group: 2 nworkers_per_procs: 1 "
                    "all_reduce { backend: kMpi } }"));
  EXPECT_EQ(run.code, kExitOk) << run.err;
  EXPECT_THAT(run.err, HasSubstr("the workers of `cluster` are not measured: "));
  EXPECT_THAT(run.err, HasSubstr("kMpi needs mpirun"));
  EXPECT_THAT(run.out, testing::Not(HasSubstr("\ncommunication ")));
}

TEST_F(BenchCommandTest, AJobWithMistakesIsNotTimed) {
  const CapturedCommand run = Bench({}, Job("train_steps: -1"));
  EXPECT_EQ(run.code, kExitConfig);
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, HasSubstr("error: train_steps: must be >= 0, is -1"));
}

}  // namespace
}  // namespace singa::bench_command
