// Tests the order in which a batch travels to the device. It travels in its own stream, beside the
// previous step. Neither overwrites memory that the other still has to read.
#include <string>
#include <vector>

#include "singa/tensor/memory.h"
#include "support/net_test.h"
#include "support/prompt_gpu.h"

namespace singa {
namespace transfers_test {

using Lines = std::vector<std::string>;

// ReadsRows reads rows, on the host.
class ReadsRows final : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override { return {.is_input = true}; }
  void Setup(const LayerProto&, Declare&, Inputs, Outputs out) override {
    out[0]->data.SetShape({3, 5});
  }
  void ComputeFeature(Context&, Phase, Inputs, Outputs out) override {
    out[0]->data.data()[0] += 1;
  }
};
SINGA_REGISTER_LAYER(ReadsRows, ReadsRows);

// CopiesRows copies the rows on its side.
class CopiesRows : public Layer {
 public:
  void Setup(const LayerProto&, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    out[0]->data.SetShape(in[0]->data.shape());
  }
  void ComputeFeature(Context& ctx, Phase, Inputs in, Outputs out) override {
    CopyFloats(ctx, in[0]->data.data(), out[0]->data.data(), in[0]->data.size());
  }
};
SINGA_REGISTER_LAYER(CopiesRows, CopiesRows);

class CopiesRowsThere final : public CopiesRows {
 public:
  Traits traits() const override { return {.on_device = true}; }
};
SINGA_REGISTER_LAYER(CopiesRowsThere, CopiesRowsThere);

class TransfersTest : public ::testing::Test {
 protected:
  // Makes a net whose features each have their own memory. The net's arena is the device's first
  // memory, and its host side is the first pinned memory. Staged rows lie in the device's next
  // memory.
  explicit TransfersTest(const std::string& more = "")
      : test_(StrCat("layer { name: 'rows' user_type: 'ReadsRows' } "
                     "layer { name: 'copy' user_type: 'CopiesRowsThere' srclayers: 'rows' } ",
                     more),
              KeepAll(), false) {}

  // Returns the work that is handed out in each of two steps.
  std::pair<Lines, Lines> TwoSteps(bool uploads) {
    test_.ctx.stream = main_.get();
    if (uploads) test_.ctx.uploads = beside_.get();
    OpenNet(test_.ctx, NetArena::Allocate(test_.ctx, PrepareNet(test_.ctx, &test_.net)),
            &test_.net);
    std::pair<Lines, Lines> steps;
    for (Lines* of_step : {&steps.first, &steps.second}) {
      gpu_.log.clear();
      test_.Forward();
      *of_step = gpu_.log;
    }
    return steps;
  }

  PromptGpu gpu_;
  const std::unique_ptr<Stream> main_ = gpu_.NewStream(), beside_ = gpu_.NewStream();
  TestNet test_;
};

TEST_F(TransfersTest, ABatchIsUploadedBesideTheStepBeforeWhichTookItsOwn) {
  const auto [first, second] = TwoSteps(true);
  EXPECT_EQ(first, (Lines{
                       "stream 2 copies pinned 1 to device 2",
                       "stream 2 records event 1",
                       "stream 1 awaits event 1 of stream 2",
                       "stream 1 copies device 2 to device 1",
                       "stream 1 records event 1",
                       "stream 1 copies device 1 to device 1",
                   }));
  EXPECT_EQ(second, (Lines{
                        "the host awaits event 1 of stream 2",
                        "stream 2 awaits event 1 of stream 1",
                        "stream 2 copies pinned 1 to device 2",
                        "stream 2 records event 2",
                        "stream 1 awaits event 2 of stream 2",
                        "stream 1 copies device 2 to device 1",
                        "stream 1 records event 2",
                        "stream 1 copies device 1 to device 1",
                    }));
}

TEST_F(TransfersTest, WithoutAStreamForItTheHostWaitsUntilTheLastOneWasCopied) {
  const auto [first, second] = TwoSteps(false);
  EXPECT_EQ(first, (Lines{
                       "stream 1 copies pinned 1 to device 1",
                       "stream 1 records event 1",
                       "stream 1 copies device 1 to device 1",
                   }));
  EXPECT_EQ(second, (Lines{
                        "the host awaits event 1 of stream 1",
                        "stream 1 copies pinned 1 to device 1",
                        "stream 1 records event 2",
                        "stream 1 copies device 1 to device 1",
                    }));
}

class TransfersBetween : public TransfersTest {
 protected:
  TransfersBetween()
      : TransfersTest(
            "layer { name: 'host' user_type: 'CopiesRows' srclayers: 'copy' } "
            "layer { name: 'there' user_type: 'CopiesRowsThere' srclayers: 'host' }") {}
};

TEST_F(TransfersBetween, ALayerOfTheHostBetweenTwoOfTheDeviceWaitsForTheOneBefore) {
  const Lines second = TwoSteps(true).second;
  ASSERT_EQ(second.size(), 18u);
  EXPECT_EQ(second[6], "stream 1 records event 3");  // the batch was taken
  EXPECT_EQ(Lines(second.begin() + 7, second.end()), (Lines{
                                                         "stream 1 copies device 1 to device 1",
                                                         "stream 1 copies device 1 to pinned 1",
                                                         "the host awaits stream 1",
                                                         "the host awaits event 2 of stream 2",
                                                         "stream 2 awaits event 2 of stream 1",
                                                         "stream 2 copies pinned 1 to device 3",
                                                         "stream 2 records event 4",
                                                         "stream 1 awaits event 4 of stream 2",
                                                         "stream 1 copies device 3 to device 1",
                                                         "stream 1 records event 4",
                                                         "stream 1 copies device 1 to device 1",
                                                     }));
}

}  // namespace transfers_test
}  // namespace singa
