// Tests the output of commands for a job with a GPU, and models of sequences on a GPU. The GPU is
// emulated (support/emulated_gpu.h), so the results equal those of the CPU.
#include <cstdio>
#include <functional>

#include "driver/command/bench_command.h"
#include "driver/command/check_command.h"
#include "driver/command/command_line.h"
#include "driver/command/predict_command.h"
#include "support/driver/device_model.h"

namespace singa::device_model {
namespace {

std::string TextJob(const std::string& text, const std::string& vocabulary) {
  std::string params;
  for (int i = 0; i < 9; ++i) params += StrCat(" param { name: \"g", i, "\" }");
  return StrCat(R"(name: "t" train_one_batch { alg: kBPTT } neuralnet { unroll_len: 4
    layer { name: "text" type: kCharRNN char_rnn_conf { path: ")",
                text, R"(" vocab_path: ")", vocabulary, R"(" unroll_len: 4 batchsize: 6 } }
    layer { name: "label" type: kRNNLabel srclayers: "text" }
    layer { name: "table" type: kEmbedding srclayers: "text" param { name: "t" }
            embedding_conf { vocab_size: 3 feature_dim: 2 } }
    layer { name: "gru" type: kGRU srclayers: "table" gru_conf { dim_hidden: 5 carry_state: true })",
                params, R"( }
    layer { name: "fc" type: kInnerProduct srclayers: "gru" innerproduct_conf { num_output: 3 }
            param { name: "w" } param { name: "b" } }
    layer { name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "label" } })");
}

// Returns the output of `command` on stdout. The command must succeed.
std::string Printed(const std::function<int()>& command) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(command(), kExitOk);
  std::fflush(stdout);
  return testing::internal::GetCapturedStdout();
}
// Expects that `singa predict` prints the same on the CPU and on the GPU.
void ExpectSamePredictions(const std::string& conf, const std::string& input,
                           std::vector<std::string> args = {}) {
  std::string printed[2];
  for (const bool on_device : {false, true}) {
    std::vector<std::string> all = {"-conf", conf, "-checkpoint", conf + ".safetensors"};
    all.insert(all.end(), args.begin(), args.end());
    if (on_device) all.insert(all.end(), {"-set", "gpu=0"});
    all.push_back(input);
    const int64_t before = EmulatedGpu::works_of_all();
    printed[on_device] = Printed([&] { return PredictCommand(all); });
    EXPECT_EQ(EmulatedGpu::works_of_all() > before, on_device);
  }
  EXPECT_EQ(printed[1], printed[0]);
  EXPECT_GT(printed[0].size(), 100u);
}

class DevicePredict : public DeviceModel {
 protected:
  std::vector<std::string> OnTheGpu(const std::string& number) const {
    return {"-conf", conf_, "-checkpoint", conf_ + ".safetensors", "-set", "gpu=" + number, csv_};
  }
};

TEST_F(DevicePredict, CheckAndBenchTakeTheGpuToo) {
  const auto line = [&](const std::string& command) {
    return ParseCommandLine({command, "-set", "gpu=0", "-set", "updater.type=kSGD", "-set",
                             "updater.learning_rate.type=kFixed", "-set", "train_steps=1", "-set",
                             "checkpoint_path=" + conf_ + ".safetensors", conf_});
  };
  const std::string checked = Printed([&] { return CheckCommand(line("check")); });
  EXPECT_NE(checked.find("memory of the GPU"), std::string::npos) << checked;
  CommandLine bench = line("bench");
  bench.steps = 2;
  const int64_t before = EmulatedGpu::works_of_all();
  const std::string table = Printed([&] { return BenchCommand(bench); });
  EXPECT_GT(EmulatedGpu::works_of_all(), before);
  EXPECT_NE(table.find("twice"), std::string::npos) << table;
}

class DeviceSequence : public DeviceModel {
 protected:
  DeviceSequence() : conf_of_text_(WriteJob("text", TextJob(Text(), Vocabulary()))) {}
  std::string Text() { return dir_.Write("text", "abacbbacabccabacbbaca"); }
  std::string Vocabulary() { return dir_.Write("vocabulary", "abc"); }

  const std::string conf_of_text_;
  const std::vector<float> ids_ = {0, 2, 1, 1, 2, 0, 0, 1, 2, 2, 1, 0};
};

TEST_F(DeviceSequence, GivesTheNumbersOfTheCpu) {
  const Model on_cpu = Open(conf_of_text_, {}), on_device = Open(conf_of_text_, 0);
  EXPECT_EQ(Session(on_device).Run(ids_), Session(on_cpu).Run(ids_));
  Session carried(on_device, {.one_sequence = true});
  const std::vector<float> expected = Session(on_cpu, {.one_sequence = true}).Run(ids_);
  EXPECT_EQ(carried.Run(ids_), expected);
  EXPECT_NE(carried.Run(ids_), expected);
  carried.Reset();
  EXPECT_EQ(carried.Run(ids_), expected);
}

TEST_F(DeviceSequence, GoesOnWithTheStateBeforeABadIndex) {
  const std::vector<float> expected =
      Session(Open(conf_of_text_, {}), {.one_sequence = true}).Run(ids_);
  Session session(Open(conf_of_text_, 0), {.one_sequence = true});
  const std::vector<float> half(ids_.begin(), ids_.begin() + 4), bad = {1, 1, 3, 0};
  std::vector<float> all = session.Run(half);
  EXPECT_ERROR(session.Run(bad), kExitBadData, "record 0: step 2: ", "allows 0 to 2");
  const std::vector<float> rest = session.Run({ids_.data() + 4, 8});
  all.insert(all.end(), rest.begin(), rest.end());
  EXPECT_EQ(all, expected);
}

TEST_F(DeviceSequence, PredictPrintsWhatItDoesOnTheCpu) {
  ExpectSamePredictions(conf_of_text_, dir_.Path("text"));
  ExpectSamePredictions(conf_of_text_, dir_.Path("text"),
                        {"-set", "neuralnet.layer[gru].gru_conf.carry_state=false"});
  ExpectSamePredictions(conf_, csv_);
  ExpectSamePredictions(conf_, csv_, {"-batch", "5", "-layer", "twice"});
}

TEST_F(DevicePredict, PredictWithoutAnyGpuWarnsOnceAndUsesTheCpu) {
  const EmulatedMachine none(0);
  testing::internal::CaptureStderr();
  const std::string printed = Printed([&] { return PredictCommand(OnTheGpu("0")); });
  const std::string errors = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(printed.begin(), printed.end(), '\n'), 1 + kRecords);
  const size_t first = errors.find("the job runs on the CPU");
  EXPECT_NE(first, std::string::npos);
  EXPECT_EQ(errors.find("the job runs on the CPU", first + 1), std::string::npos) << errors;
}

TEST_F(DevicePredict, PredictOnAGpuThatIsNotThereIs69) {
  EXPECT_EQ(PredictCommand(OnTheGpu("1")), kExitNoDevice);
}

}  // namespace
}  // namespace singa::device_model
