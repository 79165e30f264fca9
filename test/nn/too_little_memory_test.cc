// Memory of a device, or the host's for copies, that cannot be had: the error names the layer that
// wants it, and all comes before the first step.
#include <cstring>

#include "singa/tensor/memory.h"
#include "singa/tensor/stream.h"
#include "support/net_test.h"

namespace singa {
namespace too_little_memory {

// Has no room for `refused` bytes, whoever asks for just as many.
class FullGpu final : public Gpu {
 public:
  int64_t refused = -1;

  std::string name() const override { return "full"; }
  Device kernels() const override { return Device::kCpu; }
  void Use() override {}
  int64_t total_bytes() const override { return 1 << 20; }
  int64_t free_bytes() const override { return 0; }
  std::shared_ptr<void> Allocate(int64_t bytes) override { return Memory(bytes); }
  std::shared_ptr<void> AllocatePinned(int64_t bytes) override { return Memory(bytes); }
  std::unique_ptr<Stream> NewStream() override { return nullptr; }

 private:
  std::shared_ptr<void> Memory(int64_t bytes) const {
    if (bytes == refused) throw DeviceError(StrCat(bytes, " bytes are wanted"));
    auto memory = std::make_shared<std::vector<char>>(static_cast<size_t>(bytes + 1));
    return {memory, memory->data()};
  }
};

// Its work is done at once.
class PromptStream final : public Stream {
 public:
  explicit PromptStream(Gpu* gpu) : gpu_(gpu) {}
  Gpu& gpu() override { return *gpu_; }
  void Copy(const void* from, void* to, int64_t bytes) override {
    std::memcpy(to, from, static_cast<size_t>(bytes));
  }
  void Zero(void* to, int64_t bytes) override { std::memset(to, 0, static_cast<size_t>(bytes)); }
  std::unique_ptr<Event> Record() override { return nullptr; }
  void Await(Event&) override {}
  void Wait() override {}
  void BeginCapture() override {}
  std::unique_ptr<CapturedWork> EndCapture() override { return nullptr; }
  void DropCapture() noexcept override {}
  void Replay(const CapturedWork&) override {}
  void Run(std::function<void()> kernel) override { kernel(); }

 private:
  Gpu* const gpu_;
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
  PromptStream stream(&gpu);
  test.ctx.stream = test.ctx.uploads = &stream;
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
  PromptStream stream(&gpu);
  gpu.refused = 300;
  Context ctx;
  ctx.stream = &stream;
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
