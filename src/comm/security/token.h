// Makes and compares proofs that a process knows its job's token. A proof does not reveal the
// token, and holds for one purpose: nobody can make another proof from it.
#pragma once

#include <string>

namespace singa {

// Returns 64 hexadecimal digits: BLAKE2b of `what`, keyed with the token.
std::string ProofOf(const std::string& token, const std::string& what);
// Compares proofs in a time that does not depend on how much of them is equal.
bool SameProof(const std::string& a, const std::string& b);

}  // namespace singa
