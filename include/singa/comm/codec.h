// Codec: turns the floats of a slice of a gradient into the bytes that travel between processes,
// and back. A codec is one .cc file that ends in SINGA_REGISTER_CODEC. Its members are const:
// threads share one object. The sender keeps the state of each slice (a residual) and hands it in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "singa/base/api.h"
#include "singa/base/registry.h"

namespace singa {

class SINGA_API Codec {
 public:
  virtual ~Codec() = default;

  // The most bytes that n encoded floats take. It grows with n, and with n = 0 gives what each
  // slice takes besides its floats.
  virtual int64_t MostBytes(int64_t n) const = 0;
  // Floats of state that the sender keeps for each float that it encodes.
  virtual int64_t states() const { return 0; }
  // Whether the bytes are the floats as they lie in memory, without state. Nothing is then encoded
  // or decoded: sender and receiver use one memory.
  virtual bool plain() const { return false; }

  // Writes floats [n], which are finite, to `to`, which has room for MostBytes(n). Returns the
  // bytes written. state: [states(), n]; it is 0 before the first step.
  virtual int64_t Encode(std::span<const float> floats, std::span<float> state,
                         std::byte* to) const = 0;
  // Overwrites floats [n]. `bytes` come from a peer: at most MostBytes(n), with any contents.
  // False: no n floats are encoded in this way.
  virtual bool Decode(std::span<const std::byte> bytes, std::span<float> floats) const = 0;
};

using CodecRegistry = Registry<Codec>;
SINGA_API CodecRegistry& Codecs();

// SINGA_REGISTER_CODEC(kNone, IdentityCodec); the first argument is the enum's name or a user's
// own.
#define SINGA_REGISTER_CODEC(name, Class)                                            \
  [[maybe_unused]] const bool singa_registered_codec_##name = ::singa::Codecs().Add( \
      #name, [] { return std::unique_ptr<::singa::Codec>(std::make_unique<Class>()); })

}  // namespace singa
