// Tests the errors when memory of a device, or the host's memory for copies, is too small. The
// error names the layer that wants the memory. Every such error comes before the first step.
#include "singa/tensor/memory.h"
#include "support/net_test.h"
#include "support/prompt_gpu.h"

namespace singa {
namespace too_little_memory {

// FullGpu has no room for exactly `refused` bytes.
class FullGpu final : public PromptGpu {
 public:
  int64_t refused = -1;

 private:
  void CheckRoom(int64_t bytes) const override {
    if (bytes == refused) throw DeviceError(StrCat(bytes, " bytes are wanted"));
  }
};

// HostRows reads three rows of five numbers, on the host.
class HostRows final : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override { return {.is_input = true}; }
  void Setup(const LayerProto&, Declare&, Inputs, Outputs out) override {
    out[0]->data.SetShape({3, 5});
  }
  void ComputeFeature(Context&, Phase, Inputs, Outputs) override {}
};
SINGA_REGISTER_LAYER(HostRows, HostRows);

// OpensLate takes seven floats when it is opened.
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

// Widens gives each number four times.
class Widens final : public Layer {
 public:
  void Setup(const LayerProto&, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    out[0]->data.SetShape({in[0]->data.rows(), 4 * in[0]->data.row_size()});
  }
  Traits traits() const override { return {.on_device = true}; }
  void ComputeFeature(Context&, Phase, Inputs, Outputs) override {}
};
SINGA_REGISTER_LAYER(Widens, Widens);

// PlansInVain fails like a library that gets no memory for its state.
class PlansInVain final : public Layer {
 public:
  void Setup(const LayerProto&, Declare&, Inputs in, Outputs out) override {
    out[0]->data.SetShape(in[0]->data.shape());
  }
  void Prepare(Context&, Declare&, Inputs, Outputs) override {
    throw DeviceError("no room for a handle");
  }
  void ComputeFeature(Context&, Phase, Inputs, Outputs) override {}
};
SINGA_REGISTER_LAYER(PlansInVain, PlansInVain);

// Returns the error if `refused` bytes cannot be had; "": none.
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
    OpenNet(test.ctx, NetArena::Allocate(test.ctx, PrepareNet(test.ctx, &test.net)), &test.net);
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

TEST(TooLittleMemory, WhileALayerMakesItsPlansNamesTheLayer) {
  TestNet test(
      "layer { name: 'rows' user_type: 'HostRows' } "
      "layer { name: 'vain' user_type: 'PlansInVain' srclayers: 'rows' }",
      {}, false);
  try {
    PrepareNet(test.ctx, &test.net);
    FAIL() << "no error";
  } catch (const DeviceError& error) {
    EXPECT_STREQ(error.what(), "layer \"vain\": no room for a handle");
  }
}

// Returns the error if `refused` bytes of either side cannot be had.
std::string ErrorOfArena(int64_t refused, const NetMemory& memory) {
  FullGpu gpu;
  const std::unique_ptr<Stream> stream = gpu.NewStream();
  gpu.refused = refused;
  Context ctx;
  ctx.stream = stream.get();
  try {
    NetArena::Allocate(ctx, memory);
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "";
}

NetMemory OfBothSides() {
  NetMemory memory;
  memory.arena = 100;
  memory.host_arena = 300;
  memory.largest = {"fc", (3 << 20) + 1};
  memory.host_largest = {"rows", 1};
  return memory;
}

TEST(TooLittleMemory, ForTheDevicesSideOfANetNamesItsLargestLayer) {
  EXPECT_EQ(ErrorOfArena(100, OfBothSides()),
            "features and gradients, most of them for layer \"fc\" (4 MiB): 100 bytes are wanted");
}

TEST(TooLittleMemory, ForTheHostsSideOfANetNamesTheLargestLayer) {
  EXPECT_EQ(ErrorOfArena(300, OfBothSides()),
            "features and gradients in pinned memory of the host, most of them for layer \"rows\" "
            "(1 MiB): 300 bytes are wanted");
}

TEST(TooLittleMemory, NamesNoLayerWhereNoneTakesAny) {
  NetMemory memory;
  memory.arena = 100;
  EXPECT_EQ(ErrorOfArena(100, memory), "features and gradients: 100 bytes are wanted");
}

// "wide" makes the most numbers, all of them on the device. The numbers of "rows" lie on both
// sides.
TEST(TooLittleMemory, IsOfTheLayerThatIsTheLargestOnItsSide) {
  TestNet test(
      "layer { name: 'rows' user_type: 'HostRows' } "
      "layer { name: 'wide' user_type: 'Widens' srclayers: 'rows' }",
      {}, false);
  const NetMemory on_cpu = PrepareNet(test.ctx, &test.net);
  EXPECT_EQ(on_cpu.largest.name, "wide");
  EXPECT_EQ(on_cpu.largest.bytes, 3 * 20 * 4);
  EXPECT_EQ(on_cpu.host_largest.name, "");
  PromptGpu gpu;
  const std::unique_ptr<Stream> stream = gpu.NewStream();
  test.ctx.stream = stream.get();
  const NetMemory memory = PrepareNet(test.ctx, &test.net);
  EXPECT_EQ(memory.largest.name, "wide");
  EXPECT_EQ(memory.largest.bytes, 3 * 20 * 4);
  EXPECT_EQ(memory.host_largest.name, "rows");
  EXPECT_EQ(memory.host_largest.bytes, 3 * 5 * 4);
}

// Each side is as large as in the net that needs more there.
TEST(TooLittleMemory, IsOfTheNetThatIsTheLargestOnItsSide) {
  NetMemory both = OfBothSides();
  NetMemory other;
  other.arena = 99;
  other.host_arena = 301;
  other.largest = {"small", 5};
  other.host_largest = {"read", 7};
  both.ShareArena(other);
  EXPECT_EQ(both.largest.name, "fc");
  EXPECT_EQ(both.host_largest.name, "read");
}

}  // namespace too_little_memory
}  // namespace singa
