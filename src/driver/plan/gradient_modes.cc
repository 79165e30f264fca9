#include "driver/plan/gradient_modes.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>

#include "cluster/protocol/gradient_codec.h"
#include "comm/collective/slice_table.h"
#include "nn/cost/step_cost.h"
#include "singa/base/philox.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

constexpr double kMegabyte = 1e6;
constexpr int64_t kLater = int64_t{1} << 40;  // a step after any warm-up

double MsOf(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

std::vector<float> Noise(int seed) {
  const Philox random = {static_cast<uint64_t>(seed), HashName("codec"), 0};
  std::vector<float> floats(SliceTable::kMost);
  for (size_t i = 0; i < floats.size(); ++i) floats[i] = random.Gaussian(static_cast<int64_t>(i));
  return floats;
}

CodecRates RatesOf(const std::string& name, const AllReduceProto& conf, int hosts) {
  ClusterProto cluster;
  *cluster.mutable_all_reduce() = conf;
  const std::unique_ptr<Codec> codec = MakeGradientCodec(cluster);
  const auto n = static_cast<int64_t>(SliceTable::kMost);
  const double mb = sizeof(float) * static_cast<double>(n) / kMegabyte;
  std::vector<float> sum(n), sent(n), rest(codec->states() * n);
  std::vector<std::byte> bytes(codec->MostBytes(n));
  CodecRates rates;
  rates.name = name;
  for (int host = 0; host < hosts; ++host) {
    const std::vector<float> gradient = Noise(host);
    std::ranges::fill(rest, 0.f);
    int64_t size = 0;
    rates.encode_ms =
        MsOf([&] { size = codec->Encode(kLater, gradient, rest, bytes.data()); }) / mb;
    rates.decode_ms = MsOf([&] {
                        codec->Decode({bytes.data(), static_cast<size_t>(size)}, sent);
                        for (int64_t i = 0; i < n; ++i) sum[i] += sent[i];
                      }) /
                      mb;
    rates.gradient = static_cast<double>(size) / kMegabyte / mb;
  }
  int64_t size = 0;
  rates.sum_ms = MsOf([&] { size = codec->EncodeSum(sum, bytes.data()); }) / mb;
  rates.sum = static_cast<double>(size) / kMegabyte / mb;
  return rates;
}

// Returns the costs of a layer whose gradients are compressed. A host encodes its gradient, and
// decodes and applies the sums of the others; its server decodes gradients, adds them up and
// encodes sums, each of its share of the params.
LayerCost Compressed(LayerCost cost, const PlanCluster& cluster, const CodecRates& codec,
                     double send_ms_per_mb) {
  const double share = (codec.gradient + codec.sum) / 2;
  const double mb = static_cast<double>(cost.sent_bytes) / kMegabyte;  // half of it gradients
  const double work = mb / 2 * (codec.encode_ms + 2 * codec.decode_ms + codec.sum_ms);
  cost.update_ms += (work - (1 - share) * mb * send_ms_per_mb) / cluster.here();
  cost.update_ms = std::max(0.0, cost.update_ms);
  cost.sent_ms *= share;
  cost.sent_bytes = static_cast<int64_t>(share * static_cast<double>(cost.sent_bytes));
  return cost;
}

}  // namespace

std::vector<CodecRates> MeasureCodecs(const AllReduceProto& conf, int hosts) {
  constexpr int kMostHosts = 16;  // more take longer, and change the share of a sum little
  hosts = std::min(hosts, kMostHosts);
  AllReduceProto halves, largest = conf;
  halves.set_compression(AllReduceProto::kFp16);
  largest.set_compression(AllReduceProto::kTopK);
  const std::string share = StrCat("kTopK, ", 100 * conf.sparsity(), " %");
  return {RatesOf("kFp16", halves, hosts), RatesOf(share, largest, hosts)};
}

std::vector<GradientMode> PredictModes(const CostNet& net, const Layouts& layouts,
                                       const PlanCluster& cluster,
                                       const std::vector<CodecRates>& codecs,
                                       double send_ms_per_mb) {
  const StepCost whole = CostOfStep(net, layouts);
  std::vector<GradientMode> modes = {{"kNone", whole.step_ms, whole.sent_bytes}};
  for (const CodecRates& codec : codecs) {
    CostNet compressed = net;
    for (CostLayer& layer : compressed.layers)
      for (auto& [layout, cost] : layer.costs)
        cost = Compressed(cost, cluster, codec, send_ms_per_mb);
    const StepCost cost = CostOfStep(compressed, layouts);
    modes.push_back({codec.name, cost.step_ms, cost.sent_bytes});
  }
  return modes;
}

}  // namespace singa
