// Memory of a device, or the host's for copies, that cannot be had: the error names the layer that
// wants it, and all comes before the first step.
#include "singa/tensor/memory.h"
#include "support/net_test.h"
#include "support/prompt_gpu.h"

namespace singa {
namespace too_little_memory {

// Has no room for `refused` bytes, whoever asks for just as many.
class FullGpu final : public PromptGpu {
 public:
  int64_t refused = -1;

 private:
  void CheckRoom(int64_t bytes) const override {
    if (bytes == refused) throw DeviceError(StrCat(bytes, " bytes are wanted"));
  }
};

// Reads three rows of five numbers, on the host.
class HostRows final : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override { return {.is_input = true}; }
  void Setup(const LayerProto&, Declare&, Inputs, Outputs out) override {
    out[0]->data.SetShape({3, 5});
  }
  void ComputeFeature(Context&, Phase, Inputs, Outputs) override {}
};
SINGA_REGISTER_LAYER(HostRows, HostRows);

// Takes seven floats when it is opened.
class OpensLate final : public Layer {
 public:
  void Setup(const LayerProto&, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    out[0]->data.SetShape(in[0]->data.shape());
  }
  Traits traits() const override { return {.on_device = true}; }
  void Open(Context& ctx) override { table_ = Allocate(ctx, {7}); }
  void ComputeFeature(Context&, Phase, Inputs, Outputs) override {}

 private:
  Tensor table_;
};
SINGA_REGISTER_LAYER(OpensLate, OpensLate);

// What is said where `refused` bytes are not there; "": no error.
std::string ErrorWithout(int64_t refused) {
  TestNet test(
      "layer { name: 'rows' user_type: 'HostRows' } "
      "layer { name: 'late' user_type: 'OpensLate' srclayers: 'rows' }",
      {}, false);
  FullGpu gpu;
  const std::unique_ptr<Stream> stream = gpu.NewStream();
  test.ctx.stream = test.ctx.uploads = stream.get();
  gpu.refused = refused;
  try {
    test.net.Bind(test.ctx, NetArena::Allocate(test.ctx, test.net.Plan(test.ctx)));
    test.net.Open(test.ctx);
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "";
}

TEST(TooLittleMemory, OfAnInputsStagingNamesTheLayer) {
  EXPECT_EQ(ErrorWithout(3 * 5 * 4), "layer \"rows\": 60 bytes are wanted");
}

TEST(TooLittleMemory, OfWhatALayerTakesWhenItIsOpenedNamesTheLayer) {
  EXPECT_EQ(ErrorWithout(7 * 4), "layer \"late\": 28 bytes are wanted");
}

TEST(TooLittleMemory, ForTheHostsSideOfANetNamesTheLargestLayer) {
  FullGpu gpu;
  const std::unique_ptr<Stream> stream = gpu.NewStream();
  gpu.refused = 300;
  Context ctx;
  ctx.stream = stream.get();
  NetMemory memory;
  memory.arena = 100;
  memory.host_arena = 300;
  memory.largest = "them for layer \"rows\" (1 MiB)";
  try {
    NetArena::Allocate(ctx, memory);
    FAIL() << "no error";
  } catch (const DeviceError& error) {
    EXPECT_STREQ(error.what(),
                 "features and gradients, most of them for layer \"rows\" (1 MiB): "
                 "300 bytes are wanted");
  }
}

}  // namespace too_little_memory
}  // namespace singa
