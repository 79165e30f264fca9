// Tests params that layers use on a device and the host updates. The devices are emulated: one does
// its work only when the host waits for it, and one does it at once.
#include "train/device/device_exchange.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "singa/base/str_cat.h"
#include "support/device_memory.h"
#include "support/emulated_stream.h"
#include "support/prompt_gpu.h"

namespace singa {
namespace {

// HostSteps is the host's exchange. It notes what is called, and what the gradient is then.
class HostSteps final : public ParamExchange {
 public:
  void Await(Param* param, int64_t step) override {
    said += StrCat("await ", param->name(), " ", step, ";");
  }
  void GradientReady(Param* param, int64_t step) override {
    said += StrCat("ready ", param->name(), " ", step);
    if (const auto grad = gradients.find(param); grad != gradients.end())
      said += StrCat(" of ", grad->second.data()[0]);
    said += ";";
  }
  bool may_drop_steps() const override { return true; }
  void LossNotFinite(const std::string& layer, int64_t step) override {
    said += StrCat("loss ", layer, " ", step, ";");
  }
  void Finish(int64_t step) override { said += StrCat("finish ", step, ";"); }

  std::string said;
  std::map<const Param*, Tensor> gradients;  // of the host
};

// ParamsOnDevice has a param that trains, and one that a layer changes itself.
struct ParamsOnDevice {
  explicit ParamsOnDevice(Gpu* gpu) : stream(gpu->NewStream()) {
    ctx.stream = stream.get();
    for (Param* param : {&weight, &mean}) param->data = Tensor::Allocate({2});
    weight.grad = Tensor::Allocate({2});
    host.gradients[&weight] = weight.grad;
    SetHost(&weight, 1);
    SetHost(&mean, 2);
    for (Param* param : {&weight, &mean}) exchange.Place(param);
  }
  static void SetHost(Param* param, float value) { std::fill_n(param->host().data(), 2, value); }
  // Has the device write `value` into a tensor of its own.
  void SetOnDevice(Tensor* tensor, float value) {
    stream->Run([to = tensor->data(), value] { std::fill_n(to, 2, value); });
  }
  float OnDevice(const Tensor& tensor) const { return DeviceMemory(&ctx).Read(tensor)[0]; }
  std::string Said() { return std::exchange(host.said, ""); }

  const std::unique_ptr<Stream> stream;
  mutable Context ctx;
  Param weight{"w", "fc", "", ParamProto(), {2}}, mean{"m", "bn", "", ParamProto(), {2}};
  HostSteps host;
  DeviceExchange exchange{&host, &ctx};
};

class DeviceExchangeTest : public ::testing::Test {
 protected:
  EmulatedGpu gpu_;
  ParamsOnDevice on_{&gpu_};
};

TEST_F(DeviceExchangeTest, AStepFindsTheValuesOfTheHost) {
  on_.exchange.Await(&on_.weight, 0);
  EXPECT_EQ(on_.Said(), "await w 0;");
  EXPECT_EQ(on_.OnDevice(on_.weight.data), 1);
}

TEST_F(DeviceExchangeTest, ValuesAreSentOnceAStep) {
  on_.exchange.Await(&on_.weight, 0);
  ParamsOnDevice::SetHost(&on_.weight, 7);
  on_.exchange.Await(&on_.weight, 0);
  EXPECT_EQ(on_.OnDevice(on_.weight.data), 1);
}

TEST_F(DeviceExchangeTest, TheNextStepFindsTheUpdatedValues) {
  on_.exchange.Await(&on_.weight, 0);
  on_.exchange.Finish(0);
  ParamsOnDevice::SetHost(&on_.weight, 7);
  on_.exchange.Await(&on_.weight, 1);
  EXPECT_EQ(on_.OnDevice(on_.weight.data), 7);
}

// The first copy has not left its pinned memory when the second one is asked for.
TEST_F(DeviceExchangeTest, ASecondCopyDoesNotOvertakeTheFirst) {
  on_.exchange.Await(&on_.weight, 0);
  Tensor seen = Allocate(on_.ctx, {2});
  on_.stream->Copy(on_.weight.data.data(), seen.as<void>(), seen.bytes());
  on_.exchange.MarkDeviceStale();
  ParamsOnDevice::SetHost(&on_.weight, 7);
  on_.exchange.Await(&on_.weight, 0);
  EXPECT_EQ(on_.OnDevice(seen), 1);
  EXPECT_EQ(on_.OnDevice(on_.weight.data), 7);
}

TEST_F(DeviceExchangeTest, WhatALayerChangesStaysOnTheDevice) {
  on_.exchange.Await(&on_.mean, 0);
  on_.SetOnDevice(&on_.mean.data, 9);
  on_.exchange.Finish(0);
  on_.exchange.Await(&on_.mean, 1);
  EXPECT_EQ(on_.OnDevice(on_.mean.data), 9);
}

TEST_F(DeviceExchangeTest, TheHostGetsWhatLayersChangedAndKeepsWhatItUpdates) {
  on_.exchange.Upload();
  for (Param* param : {&on_.weight, &on_.mean}) on_.SetOnDevice(&param->data, 9);
  on_.exchange.Download();
  EXPECT_EQ(on_.mean.host().data()[1], 9);
  EXPECT_EQ(on_.weight.host().data()[1], 1);
}

TEST_F(DeviceExchangeTest, ValuesThatTheDeviceNeverHadAreNotTakenFromIt) {
  on_.exchange.Download();
  EXPECT_EQ(on_.mean.host().data()[0], 2);
}

TEST_F(DeviceExchangeTest, ValuesThatTheHostSetReplaceThoseOfTheDevice) {
  on_.exchange.Upload();
  on_.exchange.MarkDeviceStale();
  ParamsOnDevice::SetHost(&on_.mean, 5);
  on_.exchange.Upload();
  EXPECT_EQ(on_.OnDevice(on_.mean.data), 5);
}

TEST_F(DeviceExchangeTest, AGradientReachesTheHostBeforeItIsAnnounced) {
  on_.SetOnDevice(&on_.weight.grad, 3);
  on_.exchange.GradientReady(&on_.weight, 4);
  EXPECT_EQ(on_.Said(), "") << "it is on its way";
  on_.exchange.Finish(4);
  EXPECT_EQ(on_.Said(), "ready w 4 of 3;finish 4;");
}

TEST_F(DeviceExchangeTest, AParamThatIsNotOnTheDeviceIsTheHosts) {
  Param other("o", "embedding", "", ParamProto(), {2});
  on_.exchange.Await(&other, 4);
  on_.exchange.GradientReady(&other, 4);
  EXPECT_EQ(on_.Said(), "await o 4;ready o 4;");
}

TEST_F(DeviceExchangeTest, TheHostJudgesLosses) {
  EXPECT_TRUE(on_.exchange.may_drop_steps());
  on_.exchange.LossNotFinite("loss", 4);
  EXPECT_EQ(on_.Said(), "loss loss 4;");
}

TEST(DeviceExchange, AGradientThatHasArrivedIsAnnouncedDuringTheStep) {
  PromptGpu gpu;
  ParamsOnDevice on(&gpu);
  on.SetOnDevice(&on.weight.grad, 3);
  on.exchange.GradientReady(&on.weight, 4);
  EXPECT_EQ(on.Said(), "ready w 4 of 3;");
}

}  // namespace
}  // namespace singa
