#include "base/file/sha256.h"

#include <glog/logging.h>
#include <sodium.h>

#include <array>
#include <vector>

namespace singa {
namespace {

std::string Hex(const unsigned char* data, size_t bytes) {
  std::string text(2 * bytes + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), data, bytes);
  text.resize(2 * bytes);
  return text;
}

}  // namespace

void Sha256::Update(const void* data, size_t bytes) {
  crypto_hash_sha256_update(&state_, static_cast<const unsigned char*>(data), bytes);
}

std::string Sha256::Hex() {
  std::array<unsigned char, crypto_hash_sha256_BYTES> digest;
  crypto_hash_sha256_final(&state_, digest.data());
  return singa::Hex(digest.data(), digest.size());
}

std::string Sha256Hex(const void* data, size_t bytes) {
  Sha256 sha;
  sha.Update(data, bytes);
  return sha.Hex();
}

std::string RandomHex(size_t bytes) {
  CHECK_GE(sodium_init(), 0) << "libsodium cannot start";
  std::vector<unsigned char> random(bytes);
  randombytes_buf(random.data(), random.size());
  return Hex(random.data(), random.size());
}

}  // namespace singa
