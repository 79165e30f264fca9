// Tests what `singa check` and `singa graph` print.
#include "driver/command/check_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/temp_dir.h"
#include "io/write_tensors.h"
#include "support/driver/captured_command.h"
#include "support/driver/small_job.h"

namespace singa::check_command {
namespace {

using testing::HasSubstr;
using testing::Not;

class CheckCommandTest : public testing::Test {
 protected:
  CapturedCommand Run(int (*command)(const CommandLine&), const std::string& settings,
                      CommandLine line = {}) {
    line.conf = dir_.Write("job.conf", SmallJob(dir_.Path("ws"), settings).DebugString());
    return CapturedCommand([&] { return command(line); });
  }
  CapturedCommand Check(const std::string& settings, CommandLine line = {}) {
    return Run(CheckCommand, settings, std::move(line));
  }
  const TempDir dir_;
};

TEST_F(CheckCommandTest, ShowsLayersParametersAndMemory) {
  const CapturedCommand run = Check("train_steps: 1");
  EXPECT_EQ(run.code, kExitOk) << run.err;
  EXPECT_EQ(run.out.rfind("layer        type           output      params\n"
                          "data         kRecordInput   (4, 4)      \n"
                          "split(data)  kSplit         2 x (4, 4)  \n"
                          "fc           kInnerProduct  (4, 2)      w (2, 4), b (2)\n"
                          "loss         kSoftmaxLoss   (4, 2)      \n"
                          "\n"
                          "parameters        10\n"
                          "samples a step    4\n"
                          "memory            ",
                          0),
            0u)
      << run.out;
  EXPECT_THAT(run.out, Not(HasSubstr("first values")));
  EXPECT_FALSE(std::filesystem::exists(dir_.Path("ws")));
}

class CheckWorkers : public CheckCommandTest {
 protected:
  std::string OutOf(std::vector<std::string> sets) {
    CommandLine line;
    line.sets = std::move(sets);
    line.sets.insert(line.sets.end(), {"num_openblas_threads=1", "cluster.nworkers_per_group=2"});
    const CapturedCommand run = Check("train_steps: 1", line);
    EXPECT_EQ(run.code, kExitOk) << run.err;
    return run.out;
  }
};

TEST_F(CheckWorkers, ShowsHowTheyDivideLayersAndTheirMemory) {
  const std::string out = OutOf({"cluster.nworkers_per_procs=2", "neuralnet.partition_dim=1"});
  EXPECT_THAT(out, HasSubstr("\nworkers           2 of a group, of 1 thread each; layers are "
                             "divided by units: fc\n  worker 0        0.19 MiB, with the "
                             "parameters of its process\n  worker 1        0.19 MiB\n"));
}

TEST_F(CheckWorkers, OfProcessesOfOneHostShareTheParameters) {
  EXPECT_THAT(OutOf({}),
              HasSubstr("; layers are divided by rows\n  worker 0        0.09 MiB, "
                        "with the parameters of its host\n  worker 1        0.09 MiB\n"));
}

TEST_F(CheckWorkers, OfProcessesThatShareNoMemoryHaveAllParameters) {
  EXPECT_THAT(OutOf({"cluster.share_memory=false"}),
              HasSubstr("; layers are divided by rows\n  workers 0 to 1  0.09 MiB, "
                        "each with the parameters of its process\n"));
}

TEST_F(CheckWorkers, AreCountedByRowsIfTheDivisionIsChosenLater) {
  EXPECT_THAT(OutOf({"neuralnet.partition=kAuto"}),
              HasSubstr("as partition: kAuto chooses; memory is counted for rows\n"));
}

TEST_F(CheckCommandTest, OneWorkerHasNoLineForWorkers) {
  EXPECT_THAT(Check("train_steps: 1").out, Not(HasSubstr("workers")));
}

TEST_F(CheckCommandTest, ShowsWhereFirstValuesComeFromAndWhatIsFrozen) {
  const std::vector<float> w(8), other(3);
  const std::string path = dir_.Path("params.safetensors");
  WriteTensors(path, {Stored("w", {2, 4}, w.data()), Stored("x", {3}, other.data())});
  const CapturedCommand run = Check("train_steps: 1 checkpoint_path: '" + path + "'");
  EXPECT_EQ(run.code, kExitOk) << run.err;
  EXPECT_THAT(run.out, HasSubstr("\nfirst values\n  from " + path + "  w\n"));
  EXPECT_THAT(run.out, HasSubstr("\n  initialised           b\n"));
  EXPECT_THAT(run.out, HasSubstr("\n  not in the net        x\n"));
}

TEST_F(CheckCommandTest, ShowsKernelsAndSynchronisationIfItIsToSayMore) {
  const CapturedCommand run = Check("train_steps: 1", WithFlag(&CommandLine::verbose));
  EXPECT_THAT(run.out, HasSubstr("\nsynchronisation   alone, 1 process (one worker)\n"));
  EXPECT_THAT(run.out, HasSubstr("\nkernels\n  fc: "));
}

TEST_F(CheckCommandTest, OfATestShowsNoMemory) {
  const std::string top =
      "train_steps: 1 neuralnet { layer { name: 'top' type: kAccuracy include: kTest srclayers: "
      "'fc' srclayers: 'data' } }";
  EXPECT_THAT(Check(top).out, Not(HasSubstr("\ntop ")));
  const CapturedCommand run = Check(top, WithFlag(&CommandLine::test));
  EXPECT_EQ(run.code, kExitOk) << run.err;
  EXPECT_THAT(run.out, HasSubstr("\ntop "));
  EXPECT_THAT(run.out, Not(HasSubstr("memory")));
}

TEST_F(CheckCommandTest, ReadsTheStoresThatAreSmall) {
  const std::string csv = dir_.Write("records.csv", "7,1,2\n");
  const CapturedCommand run = Check(
      "train_steps: 1 neuralnet { layer { name: 'more' type: kCSVInput store_conf { path: '" + csv +
      "' batchsize: 4 shape: 2 } } layer { name: 'fc2' type: kInnerProduct srclayers: 'more' "
      "innerproduct_conf { num_output: 3 bias_term: false } param { init { type: kConstant } } } "
      "layer { name: 'loss2' type: kSoftmaxLoss srclayers: 'fc2' srclayers: 'more' } }");
  EXPECT_EQ(run.code, kExitBadData);
  EXPECT_THAT(run.err, HasSubstr("record 0: the label is 7, layer \"loss2\" allows 0 to 2"));
  EXPECT_EQ(run.out, "");
}

TEST_F(CheckCommandTest, GraphPrintsTheNetOfThePhase) {
  const std::string top =
      "train_steps: 1 neuralnet { layer { name: 'top' type: kAccuracy include: kTest srclayers: "
      "'fc' srclayers: 'data' } }";
  const CapturedCommand train = Run(GraphCommand, top),
                        test = Run(GraphCommand, top, WithFlag(&CommandLine::test));
  EXPECT_EQ(train.code, kExitOk) << train.err;
  EXPECT_EQ(train.out.rfind("digraph \"small\" {\n", 0), 0u) << train.out;
  EXPECT_THAT(train.out, Not(HasSubstr("kAccuracy")));
  EXPECT_THAT(test.out, HasSubstr("kAccuracy"));
}

TEST_F(CheckCommandTest, GraphOfAJobWithMistakesPrintsNothing) {
  const CapturedCommand run = Run(GraphCommand, "train_steps: -1");
  EXPECT_EQ(run.code, kExitConfig);
  EXPECT_EQ(run.out, "");
}

}  // namespace
}  // namespace singa::check_command
