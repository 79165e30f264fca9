// JobSecrets are the keys and the token that only the processes of one job know. The launcher makes
// them and hands them over in a file of mode 0600 or an inherited descriptor; never in arguments,
// environment or logs. proto/README.md has the format.
#pragma once

#include <string>
#include <vector>

namespace singa {

// A pair of CURVE keys in Z85, of 40 characters each.
struct KeyPair {
  std::string public_key;
  std::string secret_key;  // empty: the pair is another process's

  bool operator==(const KeyPair&) const = default;
};

struct JobSecrets {
  std::string job;            // 16 random bytes, which name the job
  std::string token;          // 64 hexadecimal digits: 32 random bytes
  std::vector<KeyPair> keys;  // by rank

  bool operator==(const JobSecrets&) const = default;

  static JobSecrets Make(int processes);
  // Returns a copy without the secret keys of all other processes.
  JobSecrets ForRank(int rank) const;
};

// The most processes of a job. Their endpoints fit into one message (rendezvous.h).
inline constexpr int kMostProcesses = 1024;

std::string SecretsText(const JobSecrets& secrets);
// Parses the text that SecretsText returns. Throws DataError, which holds nothing of `text`.
JobSecrets ParseSecrets(const std::string& text, const std::string& name);

// Makes a file that its owner alone may read and write. Throws FileError.
void WriteSecretsFile(const std::string& path, const JobSecrets& secrets);
// Reads the file. Throws DataError, or FileError, which has kExitNoPermission if the file is
// another user's or others may read or write it.
JobSecrets ReadSecretsFile(const std::string& path);

// Returns a descriptor of memory that holds the secrets, which a child may inherit. The caller
// closes it. Each process needs its own, since a shared descriptor has one read position.
int SecretsToDescriptor(const JobSecrets& secrets);
// Reads `fd` to its end and closes it. Throws FileError or DataError.
JobSecrets ReadSecretsDescriptor(int fd);

}  // namespace singa
