#include "comm/security/token.h"

#include <glog/logging.h>
#include <sodium.h>

#include <array>

namespace singa {

std::string ProofOf(const std::string& token, const std::string& what) {
  const auto bytes = [](const std::string& text) {
    return reinterpret_cast<const unsigned char*>(text.data());
  };
  std::array<unsigned char, crypto_generichash_BYTES> hash;
  CHECK_EQ(crypto_generichash(hash.data(), hash.size(), bytes(what), what.size(), bytes(token),
                              token.size()),
           0);
  std::array<char, 2 * hash.size() + 1> text;
  return sodium_bin2hex(text.data(), text.size(), hash.data(), hash.size());
}

bool SameProof(const std::string& a, const std::string& b) {
  return a.size() == b.size() && sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace singa
