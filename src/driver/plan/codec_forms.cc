#include "driver/plan/codec_forms.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "cluster/protocol/gradient_codec.h"
#include "comm/collective/slice_table.h"
#include "driver/timing/measure_ms.h"
#include "driver/timing/median.h"
#include "singa/base/philox.h"

namespace singa {
namespace {

constexpr double kMegabyte = 1e6;
constexpr double kSliceMb = sizeof(float) * SliceTable::kMost / kMegabyte;
constexpr int64_t kLater = int64_t{1} << 40;  // a step after any warm-up
constexpr int kLeastTurns = 5;
constexpr int kMostHosts = 16;  // more take longer, and change the share of a sum little

// Returns the milliseconds for 1 MB of `work` on a slice.
template <typename Work>
double MsOfMb(const Work& work) {
  return MeasureMs(work) / kSliceMb;
}

std::vector<float> Noise(int seed) {
  const Philox random = {static_cast<uint64_t>(seed), HashName("codec"), 0};
  std::vector<float> floats(SliceTable::kMost);
  for (size_t i = 0; i < floats.size(); ++i) floats[i] = random.Gaussian(static_cast<int64_t>(i));
  return floats;
}

// Returns the magnitude that `share` of the noise has or exceeds.
float MagnitudeOf(double share) {
  std::vector<float> floats = Noise(0);
  for (float& x : floats) x = std::abs(x);
  const auto size = std::ssize(floats);
  const auto least = std::clamp<int64_t>(std::llround(share * static_cast<double>(size)), 1, size);
  std::ranges::nth_element(floats, floats.begin() + (least - 1), std::greater<>());
  return floats[least - 1];
}

ExchangeForm FormOf(const Codec& codec, int hosts) {
  if (codec.plain()) return {};
  hosts = std::min(hosts, kMostHosts);
  const auto n = static_cast<int64_t>(SliceTable::kMost);
  std::vector<float> sum(n), other(n), sent(n), rest(codec.states() * n);
  std::vector<std::byte> bytes(codec.MostBytes(n));
  std::vector<double> encode, decode, encode_sum;
  int64_t size = 0;
  for (int turn = 0; turn < std::max(hosts, kLeastTurns); ++turn) {
    const std::vector<float> gradient = Noise(turn);
    std::ranges::fill(rest, 0.f);
    std::vector<float>& to = turn < hosts ? sum : other;
    encode.push_back(MsOfMb([&] { size = codec.Encode(kLater, gradient, rest, bytes.data()); }));
    decode.push_back(MsOfMb([&] {
      codec.Decode({bytes.data(), static_cast<size_t>(size)}, sent);
      for (int64_t i = 0; i < n; ++i) to[i] += sent[i];
    }));
  }
  ExchangeForm form = {.updates_all = true};
  const auto share = [&] { return static_cast<double>(size) / kMegabyte / kSliceMb; };
  form.gradient = share();
  for (int turn = 0; turn < kLeastTurns; ++turn)
    encode_sum.push_back(MsOfMb([&] { size = codec.EncodeSum(sum, bytes.data()); }));
  form.sum = share();
  form.encode_ms = Median(std::move(encode));
  form.decode_ms = Median(std::move(decode));
  form.sum_ms = Median(std::move(encode_sum));
  return form;
}

}  // namespace

ExchangeForm CodecForm(const JobProto& job, int hosts) {
  ClusterProto conf = job.cluster();
  AllReduceProto& all_reduce = *conf.mutable_all_reduce();
  if (all_reduce.compression() == AllReduceProto::kThreshold && all_reduce.threshold() > 0)
    all_reduce.set_threshold(MagnitudeOf(all_reduce.sparsity()));
  return FormOf(*MakeGradientCodec(conf, MomentumOfCodec(job)), hosts);
}

// An outer step is encoded as a change is.
ExchangeForm OuterForm(const ClusterProto& conf, int hosts) {
  ExchangeForm form = FormOf(*MakeOuterCodec(conf), hosts);
  form.sum = form.gradient;
  form.sum_ms = form.encode_ms;
  form.updates_all = true;
  return form;
}

}  // namespace singa
