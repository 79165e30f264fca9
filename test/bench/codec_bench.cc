// Measures the codecs of gradients beside a copy of the same floats, on one thread. GB/s count the
// floats once. kTopK sends 5 % of the floats, kThreshold some 4 %. kPowerSGD encodes a square
// matrix, without the sums over processes.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "comm/codec/low_rank.h"
#include "singa/base/philox.h"
#include "singa/comm/codec.h"
#include "singa/proto/cluster.pb.h"

namespace singa {
namespace {

using Call = std::function<void()>;

std::vector<float> Gradient(int64_t n) {
  const Philox random{.seed = 1, .purpose = HashName("gradient"), .step = 0};
  std::vector<float> floats(n);
  for (int64_t i = 0; i < n; ++i) floats[i] = random.Gaussian(static_cast<uint64_t>(i));
  return floats;
}

void Add(const std::string& name, int64_t n, const std::function<Call(int64_t n)>& make) {
  const auto run = [=](benchmark::State& state) {
    const Call call = make(n);
    for (int i = 0; i < 4; ++i) call();  // what error feedback leaves out settles
    for (auto _ : state) call();
    state.SetBytesProcessed(state.iterations() * n * int64_t{sizeof(float)});
  };
  const std::string size = std::to_string(n * int64_t{sizeof(float)} >> 10) + "KiB";
  benchmark::RegisterBenchmark((name + "/" + size).c_str(), run)->UseRealTime();
}

Call Copy(int64_t n) {
  return [from = Gradient(n), to = std::vector<float>(n)]() mutable {
    std::memcpy(to.data(), from.data(), from.size() * sizeof(float));
    benchmark::ClobberMemory();
  };
}

struct CodecCase {
  const char *name, *codec;
  float momentum = 0;

  std::shared_ptr<Codec> Make() const {
    std::shared_ptr<Codec> made = Codecs().Make(codec);
    AllReduceProto conf;
    conf.set_sparsity(0.05f);
    conf.set_threshold(20);  // a float of 1 is sent in each 20th step
    made->Setup(conf, momentum);
    return made;
  }
};

Call Encode(const CodecCase& one, int64_t n) {
  const std::shared_ptr<Codec> codec = one.Make();
  std::vector<float> state(codec->states() * n);
  std::vector<std::byte> bytes(codec->MostBytes(n));
  return [=, floats = Gradient(n)]() mutable {
    benchmark::DoNotOptimize(codec->Encode(0, floats, state, bytes.data()));
  };
}

Call Decode(const CodecCase& one, int64_t n) {
  const std::shared_ptr<Codec> codec = one.Make();
  std::vector<float> floats = Gradient(n), state(codec->states() * n);
  std::vector<std::byte> bytes(codec->MostBytes(n));
  for (int step = 0; step < 20; ++step) {
    bytes.resize(codec->MostBytes(n));
    bytes.resize(codec->Encode(step, floats, state, bytes.data()));
  }
  return [=]() mutable { benchmark::DoNotOptimize(codec->Decode(bytes, floats)); };
}

struct ThinMatrices {
  ThinMatrices(int64_t n, int64_t rank) {
    const auto side = static_cast<int64_t>(std::lround(std::sqrt(static_cast<double>(n))));
    shape = {side, n / side, rank};
    m = Gradient(n);
    p.resize(shape.p_size());
    q.resize(shape.q_size());
    RenewColumns(shape, Philox{}, q);
  }
  void Encode() {
    RenewColumns(shape, Philox{}, q);
    TimesQ(shape, m, q, p);
    Orthonormalize(shape, p);
    TransposedTimesP(shape, m, p, q);
  }
  void Decode() { Expand(shape, p, q, m); }

  LowRankShape shape;
  std::vector<float> m, p, q;
};

bool AddAll() {
  for (const int64_t n : {int64_t{1} << 14, int64_t{1} << 18, int64_t{1} << 22}) {
    Add("copy", n, Copy);
    for (const CodecCase& one : {CodecCase{"kFp16", "kFp16"},
                                 {"kInt8", "kInt8"},
                                 {"kTopK", "kTopK"},
                                 {"kTopK momentum", "kTopK", 0.9f},
                                 {"kThreshold", "kThreshold"}}) {
      Add(std::string(one.name) + "/encode", n, [=](int64_t size) { return Encode(one, size); });
      Add(std::string(one.name) + "/decode", n, [=](int64_t size) { return Decode(one, size); });
    }
    for (const int64_t rank : {2, 8}) {
      const std::string name = "kPowerSGD rank " + std::to_string(rank);
      Add(name + "/encode", n, [=](int64_t size) {
        return [thin = ThinMatrices(size, rank)]() mutable { thin.Encode(); };
      });
      Add(name + "/decode", n, [=](int64_t size) {
        return [thin = ThinMatrices(size, rank)]() mutable {
          thin.Decode();
          benchmark::ClobberMemory();
        };
      });
    }
  }
  return true;
}

[[maybe_unused]] const bool added = AddAll();

}  // namespace
}  // namespace singa
