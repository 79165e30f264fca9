// Tests kFp16 on slices of a device's memory against the host's codec.
#include "comm/codec/half_slices.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "comm/codec/half_slices_block.h"
#include "singa/comm/codec.h"
#include "singa/proto/cluster.pb.h"
#include "support/comm/sent_floats.h"
#include "support/emulated_block.h"

namespace singa::half_slices_test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr int kThreads = 64;
constexpr uint16_t kUntouched = 0xABCD;

// Slices of odd sizes, and their floats: small, large, and all zeros.
struct Slices {
  Slices() {
    for (const int64_t n : {1, 7, 8, 65, 1000}) {
      slices.push_back({std::ssize(floats), n, codes});
      const float scale = n == 7 ? 1e-42f : n == 65 ? 1e30f : n == 8 ? 0 : 1;
      for (const float x : Gaussian(static_cast<int>(n), static_cast<int>(n)))
        floats.push_back(x * scale);
      codes += HalfSlice::Halves(n);
    }
  }
  std::vector<HalfSlice> slices;
  std::vector<float> floats;
  int64_t codes = 0;
};

std::unique_ptr<Codec> HostCodec(float clip) {
  std::unique_ptr<Codec> codec = Codecs().Make("kFp16");
  AllReduceProto conf;
  conf.set_clip(clip);
  codec->Setup(conf, 0);
  return codec;
}

// Each calls the same operation by the plain kernel, or by blocks.
std::vector<uint16_t> Encoded(const Slices& of, float clip, bool blocks,
                              const StepState* state = nullptr) {
  std::vector<uint16_t> codes(of.codes, kUntouched);
  Context ctx;
  const EncodeHalfSlice encode = {of.slices.data(), of.floats.data(), clip, state, codes.data()};
  if (blocks)
    RunBlocks(std::ssize(of.slices), kThreads, encode);
  else
    EncodeHalves(ctx, of.slices.data(), std::ssize(of.slices), of.floats.data(), clip, state,
                 codes.data());
  return codes;
}
std::vector<float> Decoded(const Slices& of, const std::vector<uint16_t>& codes, bool blocks) {
  std::vector<float> floats(of.floats.size());
  Context ctx;
  const DecodeHalfSlice decode = {of.slices.data(), codes.data(), floats.data()};
  if (blocks)
    RunBlocks(std::ssize(of.slices), kThreads, decode);
  else
    DecodeHalves(ctx, of.slices.data(), std::ssize(of.slices), codes.data(), floats.data());
  return floats;
}

class HalfSlices : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Kernels, HalfSlices, ::testing::Values(false, true),
                         [](const auto& kernel) { return kernel.param ? "blocks" : "plain"; });

TEST_P(HalfSlices, HaveTheCodeOfTheHost) {
  const Slices of;
  for (const float clip : {0.f, 0.5f}) {
    const std::unique_ptr<Codec> host = HostCodec(clip);
    const std::vector<uint16_t> codes = Encoded(of, clip, GetParam());
    for (const HalfSlice& slice : of.slices) {
      const std::span floats(of.floats.data() + slice.begin, slice.n);
      std::vector<std::byte> bytes(host->MostBytes(slice.n));
      host->Encode(0, floats, {}, bytes.data());
      EXPECT_EQ(static_cast<int16_t>(codes[slice.at]), static_cast<int8_t>(bytes[0])) << slice.n;
      EXPECT_EQ(std::memcmp(codes.data() + slice.at + HalfSlice::kHead, bytes.data() + 1,
                            slice.n * sizeof(uint16_t)),
                0)
          << slice.n;
    }
  }
}

TEST_P(HalfSlices, BecomeTheFloatsOfTheHost) {
  const Slices of;
  const std::unique_ptr<Codec> host = HostCodec(0);
  const std::vector<float> found = Decoded(of, Encoded(of, 0, GetParam()), GetParam());
  for (const HalfSlice& slice : of.slices) {
    std::vector<std::byte> bytes(host->MostBytes(slice.n));
    host->Encode(0, {of.floats.data() + slice.begin, static_cast<size_t>(slice.n)}, {},
                 bytes.data());
    std::vector<float> floats(slice.n);
    ASSERT_TRUE(host->Decode(bytes, floats));
    EXPECT_EQ(std::vector(found.begin() + slice.begin, found.begin() + slice.begin + slice.n),
              floats);
  }
}

TEST_P(HalfSlices, AreCutByTheLossesScale) {
  Slices of;
  of.floats[of.slices.back().begin] = 1000;
  const StepState state = {.step = 0, .loss_scale = 256};
  const std::vector<float> found = Decoded(of, Encoded(of, 2, GetParam(), &state), GetParam());
  EXPECT_EQ(found[of.slices.back().begin], 512);
}

TEST_P(HalfSlices, KeepWhatIsNotFiniteAlsoIfTheyAreCut) {
  for (const float bad : {kInf, -kInf, std::nanf("")})
    for (const float clip : {0.f, 0.5f}) {
      Slices of;
      of.floats[of.slices[3].begin + 64] = bad;
      const std::vector<float> found = Decoded(of, Encoded(of, clip, GetParam()), GetParam());
      EXPECT_FALSE(std::isfinite(found[of.slices[3].begin + 64])) << bad << " cut at " << clip;
      EXPECT_TRUE(std::isfinite(found[of.slices[4].begin]));
    }
}

// Sums of rank r's codes, which are those of the floats times a number.
TEST_P(HalfSlices, AreAddedUpInTheOrderOfTheTree) {
  Slices of;
  const std::vector<float> times = {1e4f, -1e4f, 1, 1e4f, -1e4f};
  std::vector<std::vector<uint16_t>> codes;
  std::vector<const uint16_t*> parts;
  std::vector<std::vector<float>> terms;
  for (const float factor : times) {
    Slices one = of;
    for (float& x : one.floats) x *= factor;
    codes.push_back(Encoded(one, 0, false));
    terms.push_back(Decoded(one, codes.back(), false));
  }
  for (const auto& code : codes) parts.push_back(code.data());
  Slices sums = of;
  AddUpWorkers(
      SumTree(5).root(), [&](int w) { return terms[w].data(); }, std::ssize(of.floats),
      sums.floats.data());
  const std::vector<uint16_t> expected = Encoded(sums, 0, false);
  std::vector<uint16_t> found(of.codes, kUntouched);
  Context ctx;
  const HalfParts all = {parts.data(), 5, 0};
  const AddUpHalfSlice add = {of.slices.data(), all, of.floats.data(), found.data()};
  if (GetParam())
    RunBlocks(std::ssize(of.slices), kThreads, add);
  else
    AddUpHalves(ctx, of.slices.data(), std::ssize(of.slices), all, of.floats.data(), found.data());
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace singa::half_slices_test
