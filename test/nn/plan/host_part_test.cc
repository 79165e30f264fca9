// Tests which part of a step the host does for a net on a device.
#include "nn/plan/host_part.h"

#include <string>

#include "support/net_test.h"
#include "support/prompt_gpu.h"

namespace singa {
namespace host_part_test {

// CountsCalls counts its computations and checks in the layer's first numbers.
class CountsCalls : public Layer {
 public:
  Wiring wiring(const LayerProto& conf) const override {
    return {.is_input = conf.srclayers_size() == 0};
  }
  void Setup(const LayerProto&, Declare&, Inputs, Outputs out) override {
    out[0]->data.SetShape({2, 3});
  }
  void CheckInputs(Phase, Inputs) override { ++checks; }
  void ComputeFeature(Context&, Phase, Inputs, Outputs) override { ++features; }

  int checks = 0, features = 0;
};
SINGA_REGISTER_LAYER(CountsCalls, CountsCalls);

class CountsCallsThere final : public CountsCalls {
 public:
  Traits traits() const override { return {.on_device = true, .checks = 1}; }
};
SINGA_REGISTER_LAYER(CountsCallsThere, CountsCallsThere);

class NetOnADevice {
 public:
  explicit NetOnADevice(const std::string& text) : test_(text, KeepAll(), false) {
    test_.ctx.stream = stream_.get();
    OpenNet(test_.ctx, NetArena::Allocate(test_.ctx, PrepareNet(test_.ctx, &test_.net)),
            &test_.net);
  }
  TestNet& test() { return test_; }
  const CountsCalls& layer(const std::string& name) {
    return static_cast<const CountsCalls&>(*test_.net.Find(name)->layer);
  }

 private:
  PromptGpu gpu_;
  const std::unique_ptr<Stream> stream_ = gpu_.NewStream();
  TestNet test_;
};

std::string Layer(const std::string& name, const std::string& type,
                  const std::string& source = "") {
  return StrCat("layer { name: '", name, "' user_type: '", type, "' ",
                source.empty() ? "" : StrCat("srclayers: '", source, "'"), " }\n");
}

const std::string kRows = Layer("rows", "CountsCalls"),
                  kThere = Layer("there", "CountsCallsThere", "rows");

TEST(HostPart, ReadingAndCheckingRecordsComesBeforeTheDevicesWork) {
  NetOnADevice net(kRows + kThere);
  EXPECT_EQ(WhyHostWorks(net.test().net), "");
}

TEST(HostPart, ALayerOnTheHostThatReadsTheDevicesIsInTheMiddleOfAStep) {
  NetOnADevice net(kRows + kThere + Layer("mine", "CountsCalls", "there"));
  EXPECT_EQ(WhyHostWorks(net.test().net),
            "layer \"mine\" runs on the host, and does more than read records");
}

TEST(HostPart, ACheckOfWhatTheDeviceMakesIsInTheMiddleOfAStep) {
  NetOnADevice net(kRows + kThere + Layer("last", "CountsCallsThere", "there"));
  EXPECT_EQ(WhyHostWorks(net.test().net),
            "the host checks labels or indices that a layer on the GPU makes");
}

TEST(HostPart, ComputesTheHostsNodesAndChecksForTheDevices) {
  NetOnADevice net(kRows + kThere);
  ComputeOnHost(net.test().ctx, kTrain, &net.test().net);
  EXPECT_EQ(net.layer("rows").features, 1);
  EXPECT_EQ(net.layer("there").features, 0);
  EXPECT_EQ(net.layer("there").checks, 1);
}

TEST(HostPart, IsLeftOutWhileADeviceOnlyExists) {
  NetOnADevice net(kRows + kThere);
  {
    const DeviceOnly device_only(&net.test().net);
    net.test().Forward();
  }
  EXPECT_EQ(net.layer("rows").features, 0);
  EXPECT_EQ(net.layer("there").features, 1);
  EXPECT_EQ(net.layer("there").checks, 0);
  net.test().Forward();
  EXPECT_EQ(net.layer("rows").features, 1);
  EXPECT_EQ(net.layer("there").features, 2);
  EXPECT_EQ(net.layer("there").checks, 1);
}

}  // namespace host_part_test
}  // namespace singa
