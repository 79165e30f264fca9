// Computes SHA-256 and random names by libsodium.
#pragma once

#include <sodium/crypto_hash_sha256.h>

#include <cstddef>
#include <string>

namespace singa {

class Sha256 {
 public:
  Sha256() { crypto_hash_sha256_init(&state_); }
  void Update(const void* data, size_t bytes);
  // Returns 64 lower-case digits. REQUIRES: called once, last.
  std::string Hex();

 private:
  crypto_hash_sha256_state state_;
};

std::string Sha256Hex(const void* data, size_t bytes);
inline std::string Sha256Hex(const std::string& text) {
  return Sha256Hex(text.data(), text.size());
}

// Returns `bytes` random bytes as lower-case digits, a name that nobody else picks.
std::string RandomHex(size_t bytes);

}  // namespace singa
