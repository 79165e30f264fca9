// Codec encodes the floats of a gradient's slice as bytes for a message, and decodes them. Threads
// share one object, so its functions are const. The sender keeps the state of each slice (such as a
// residual) and passes it to Encode. A codec is one .cc file that ends in SINGA_REGISTER_CODEC.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "singa/base/api.h"
#include "singa/base/registry.h"

namespace singa {

class AllReduceProto;

class SINGA_API Codec {
 public:
  virtual ~Codec() = default;

  // Takes the settings of cluster.all_reduce, before any other call. `momentum`: Encode applies
  // this momentum, and the updater does not. 0: none.
  virtual void Setup(const AllReduceProto& /*conf*/, float /*momentum*/) {}
  // Returns the largest number of bytes of n encoded floats. It never falls as n grows;
  // MostBytes(0) is the constant overhead of a slice.
  virtual int64_t MostBytes(int64_t n) const = 0;
  // Number of floats of state that the sender keeps for each float that it encodes.
  virtual int64_t states() const { return 0; }
  // Returns whether the bytes equal the floats in memory and there is no state. If so, neither
  // Encode nor Decode is called, and messages carry the floats themselves.
  virtual bool plain() const { return false; }

  // Returns whether sums of gradients travel encoded, too: each process applies the sum that the
  // server sends. If not, the server sends the new values, as float32.
  virtual bool sends_sums() const { return false; }

  // Encodes floats [n], a gradient of `step`, into `to`, which has room for MostBytes(n), and
  // returns the number of bytes written. All floats are finite. state: [states(), n], 0 before the
  // first step.
  virtual int64_t Encode(int64_t step, std::span<const float> floats, std::span<float> state,
                         std::byte* to) const = 0;
  // Encodes a gradient that one worker of the group computes alone, so that it needs no sum, as
  // Encode does. A codec that leaves floats out overrides this to send all.
  virtual int64_t EncodeWhole(int64_t step, std::span<const float> floats, std::span<float> state,
                              std::byte* to) const {
    return Encode(step, floats, state, to);
  }
  // Encodes a sum of decoded floats, as Encode does, but without state: what it leaves out is lost.
  // Called if sends_sums().
  virtual int64_t EncodeSum(std::span<const float> floats, std::byte* to) const {
    return Encode(0, floats, {}, to);
  }
  // Decodes `bytes` into floats [n]. The bytes come from a peer: at most MostBytes(n), of any
  // content. Returns false if they do not encode n floats.
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
