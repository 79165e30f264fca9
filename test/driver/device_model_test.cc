// Tests models on a GPU. The GPU is emulated (support/emulated_gpu.h), so the results equal those
// of the CPU.
#include <thread>

#include "singa/nn/layer.h"
#include "support/driver/device_model.h"

namespace singa::device_model {
namespace {

// DoublesOnTheHost runs on the host. Layers on the GPU make its input and read its output.
class DoublesOnTheHost : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override { return {.row_wise = true}; }
  void Setup(const LayerProto&, Declare&, Inputs in, Outputs out) override {
    out[0]->data.SetShape(in[0]->data.shape());
  }
  void ComputeFeature(Context&, Phase, Inputs in, Outputs out) override {
    const Tensor& x = in[0]->data;
    std::transform(x.data(), x.data() + x.size(), out[0]->data.data(),
                   [](float value) { return 2 * value; });
  }
  void ComputeGradient(Context&, Inputs in, Outputs out) override {
    const Tensor& dy = out[0]->grad;
    std::transform(dy.data(), dy.data() + dy.size(), in[0]->grad.data(),
                   [](float value) { return 2 * value; });
  }
};
SINGA_REGISTER_LAYER(DoublesOnTheHost, DoublesOnTheHost);

TEST_F(DeviceModel, GivesTheNumbersOfTheCpuInBatchesOfAnySize) {
  const Model on_cpu = Open(conf_, {}), on_device = Open(conf_, 0);
  for (const int64_t n : {8, 3, 0, 23, 16, 1}) EXPECT_EQ(Run(on_device, n), Run(on_cpu, n)) << n;
  Session session(on_device, {.max_batch = 5}), other(on_cpu, {.max_batch = 5});
  for (const int64_t n : {5, 23, 2}) {
    const std::span<const float> rows(rows_.data(), static_cast<size_t>(n * kNumbers));
    EXPECT_EQ(session.Run(rows), other.Run(rows)) << n;
  }
}

// The layers are on the GPU, in front of a layer on the host, on the host, and behind it.
TEST_F(DeviceModel, GivesAnyLayerOfTheNet) {
  for (const char* layer : {"data", "conv", "pool", "twice", "fc"}) {
    SCOPED_TRACE(layer);
    EXPECT_EQ(Run(Open(conf_, 0, layer)), Run(Open(conf_, {}, layer)));
  }
}

TEST_F(DeviceModel, ComputesOnTheGpuThatItsCallerOrElseItsJobNames) {
  JobProto job;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(PictureJob(csv_), &job));
  job.add_gpu(0);
  const std::string checkpoint = conf_ + ".safetensors";
  const std::string named = dir_.Write("gpu.conf", PictureJob(csv_) + " gpu: 0 gpu: 0");
  const auto uses_device = [&](const Model& model) {
    const int64_t before = EmulatedGpu::works_of_all();
    Run(model);
    return EmulatedGpu::works_of_all() > before;
  };
  EXPECT_TRUE(uses_device(Model(job, {.checkpoint = checkpoint})));
  EXPECT_TRUE(uses_device(Model(named, {.checkpoint = checkpoint})));
  EXPECT_TRUE(uses_device(Model(conf_, {.checkpoint = checkpoint, .sets = {"gpu=0"}})));
  EXPECT_FALSE(uses_device(Model(job, {.checkpoint = checkpoint, .gpu = -1})));
  EXPECT_FALSE(uses_device(Model(named, {.checkpoint = checkpoint, .gpu = -1})));
  EXPECT_FALSE(uses_device(Model(conf_, {.checkpoint = checkpoint})));
}

TEST_F(DeviceModel, SessionsInThreadsShareIt) {
  const Model model = Open(conf_, 0);
  const std::vector<float> expected = Run(Open(conf_, {}));
  std::vector<int> wrong(4);
  std::vector<std::thread> threads;
  for (int& count : wrong)
    threads.emplace_back([&] {
      Session session(model);
      for (int i = 0; i < 10; ++i) count += session.Run(rows_) != expected;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

TEST_F(DeviceModel, ASessionGoesFromThreadToThreadAndOutlivesItsModel) {
  const std::vector<float> expected = Run(Open(conf_, {}));
  auto model = std::make_unique<Model>(Open(conf_, 0));
  Session session(*model);
  model.reset();
  std::vector<float> elsewhere;
  std::thread([&] { elsewhere = session.Run(rows_); }).join();
  EXPECT_EQ(elsewhere, expected);
  EXPECT_EQ(session.Run(rows_), expected);
}

// w2 is 2.8 MB of the GPU's 5 MB. All else in a session is small.
TEST_F(DeviceModel, ValuesAreOnTheGpuOnceForAllSessions) {
  const std::string conf = WriteJob("wide", PictureJob(csv_, 20000));
  const EmulatedMachine machine(1, 5 << 20);
  const Model model = Open(conf, 0);
  Session first(model, {.max_batch = 1}), second(model, {.max_batch = 1});
  const std::span<const float> row(rows_.data(), kNumbers);
  EXPECT_EQ(first.Run(row), second.Run(row));
}

TEST_F(DeviceModel, AGpuThatIsTooSmallIsToldWithWhatDoesNotFit) {
  const std::string conf = WriteJob("wide", PictureJob(csv_, 20000));
  {
    const EmulatedMachine machine(1, 1 << 20);
    EXPECT_ERROR(Open(conf, 0), kExitNoDevice, "param \"w2\" of layer \"fc\": 2880000 bytes");
  }
  const EmulatedMachine machine(1, 5 << 20);
  EXPECT_ERROR(Session(Open(conf, 0), {.max_batch = 2000}), kExitNoDevice,
               "most of them for layer \"fc\" (", " bytes are wanted, ");
}

TEST_F(DeviceModel, WithoutAnyGpuTheCpuComputesAndAWarningSaysSo) {
  const std::vector<float> expected = Run(Open(conf_, {}));
  const EmulatedMachine none(0);
  JobProto job;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(PictureJob(csv_), &job));
  const Model read = Open(conf_, 0), built(job, {.checkpoint = conf_ + ".safetensors", .gpu = 3});
  for (const Model& model : {read, built}) {
    ASSERT_EQ(model.warnings().size(), 1u);
    EXPECT_NE(model.warnings()[0].find("the job runs on the CPU"), std::string::npos);
    EXPECT_EQ(Run(model), expected);
  }
}

TEST_F(DeviceModel, AGpuThatIsNotThereAmongOthersIsAnError) {
  JobProto job;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(PictureJob(csv_), &job));
  const std::string last = "is 1; the last GPU of this machine is number 0";
  EXPECT_ERROR(Open(conf_, 1), kExitNoDevice, last);
  EXPECT_ERROR(Model(job, {.checkpoint = conf_ + ".safetensors", .gpu = 1}), kExitNoDevice, last);
}

}  // namespace
}  // namespace singa::device_model
