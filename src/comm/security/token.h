// Proofs that a process knows the token of its job, without saying it. They hold for one purpose
// each: who hears one cannot make another.
#pragma once

#include <string>

namespace singa {

// 64 hexadecimal digits: BLAKE2b of `what`, keyed with the token.
std::string ProofOf(const std::string& token, const std::string& what);
// In time that does not tell how much of them is equal.
bool SameProof(const std::string& a, const std::string& b);

}  // namespace singa
