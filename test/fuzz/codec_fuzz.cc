// Decodes any bytes by each codec that sends less than all floats. The first byte chooses the
// codec, the second one the number of floats. What is read can be sent as a sum.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "singa/comm/codec.h"
#include "singa/proto/cluster.pb.h"

namespace singa {
namespace {

constexpr const char* kCodecs[] = {"kFp16", "kTopK", "kThreshold", "kInt8"};

void Check(const Codec& codec, std::span<const std::byte> bytes, size_t n) {
  std::vector<float> floats(n), again(n);
  if (std::ssize(bytes) > codec.MostBytes(std::ssize(floats)) || !codec.Decode(bytes, floats))
    return;
  for (float& x : floats)
    if (!(x > -1e30f && x < 1e30f)) x = 1;
  std::vector<std::byte> sent(codec.MostBytes(std::ssize(floats)));
  const int64_t sum = codec.EncodeSum(floats, sent.data());
  if (!codec.Decode({sent.data(), static_cast<size_t>(sum)}, again)) std::abort();
  if (n == 0) return;
  std::vector<float> state(codec.states() * n);
  const int64_t gradient = codec.Encode(0, floats, state, sent.data());
  if (!codec.Decode({sent.data(), static_cast<size_t>(gradient)}, again)) std::abort();
}

}  // namespace
}  // namespace singa

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const auto codec = singa::Codecs().Make(singa::kCodecs[data[0] / 2 % std::size(singa::kCodecs)]);
  codec->Setup(singa::AllReduceProto(), data[0] % 2 == 0 ? 0 : 0.5f);
  singa::Check(*codec, std::as_bytes(std::span(data + 2, size - 2)), data[1]);
  return 0;
}
