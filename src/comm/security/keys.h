// JobSecrets: what the processes of one job know and nobody else does. The launcher makes them and
// hands them over in a file of mode 0600 or an inherited descriptor; never in arguments,
// environment or logs. The format: proto/README.md.
#pragma once

#include <string>
#include <vector>

namespace singa {

// Of CURVE, in Z85: 40 characters each.
struct KeyPair {
  std::string public_key;
  std::string secret_key;  // empty: of another process

  bool operator==(const KeyPair&) const = default;
};

struct JobSecrets {
  std::string job;            // 16 random bytes, which name the job
  std::string token;          // 64 hexadecimal digits: 32 random bytes
  std::vector<KeyPair> keys;  // of each process, by rank

  bool operator==(const JobSecrets&) const = default;

  static JobSecrets Make(int processes);
  // Without the secret keys of all others.
  JobSecrets ForRank(int rank) const;
};

// Of a job: the endpoints of so many fit into one message (rendezvous.h).
inline constexpr int kMostProcesses = 1024;

std::string SecretsText(const JobSecrets& secrets);
// Throws DataError, which holds nothing of `text`.
JobSecrets ParseSecrets(const std::string& text, const std::string& name);

// A new file that its owner alone may read and write. Throws FileError.
void WriteSecretsFile(const std::string& path, const JobSecrets& secrets);
// Throws FileError, kExitNoPermission where others may read or write the file or it is not ours;
// DataError.
JobSecrets ReadSecretsFile(const std::string& path);

// A descriptor of memory with them, which a child may inherit; the caller closes it. Each process
// needs a descriptor of its own, or they share a place in it.
int SecretsToDescriptor(const JobSecrets& secrets);
// Reads to the end and closes. Throws FileError, DataError.
JobSecrets ReadSecretsDescriptor(int fd);

}  // namespace singa
