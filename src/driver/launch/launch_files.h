// LaunchFiles lets processes meet that mpirun or srun started. Rank 0 writes the job's secrets and
// then its endpoint to two files, for which the others wait. All processes need the same folder, on
// one host or shared. A killed start leaves its files, and a new start of the same name replaces
// them. So a process checks, until it has met the others, that the files are still those it read.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "comm/security/keys.h"
#include "comm/transport/endpoint.h"

namespace singa {

// The side of rank 0. One thread uses it.
class LaunchFiles {
 public:
  // Makes `path`, mode 0600, with all ranks' secrets, and its folder if missing. Throws FileError.
  LaunchFiles(const std::string& path, const JobSecrets& secrets);
  // Removes all files, unless Remove has done so.
  ~LaunchFiles();
  LaunchFiles(const LaunchFiles&) = delete;
  LaunchFiles& operator=(const LaunchFiles&) = delete;

  // Makes `path`.network, with this process's OwnNetwork, then `path`.endpoint. Throws FileError.
  void Tell(const Endpoint& endpoint) const;
  void Remove();

 private:
  std::vector<std::string> Files() const;

  std::string path_;
};

// The side of the other ranks.
class LaunchFilesReader {
 public:
  // All waits together last at most `seconds` from now on.
  LaunchFilesReader(std::string path, int seconds);

  // Block until rank 0 has written the file. Both throw PeerError if rank 0 does not come in time,
  // Error with a signal's code if one comes, FileError, and DataError. Secrets for another number
  // of processes are of a killed start, so AwaitSecrets waits for the next ones.
  JobSecrets AwaitSecrets(int processes) const;
  Endpoint AwaitEndpoint() const;
  // Returns OwnNetwork of the rank 0 that wrote the endpoint; "": unknown.
  std::string ReadNetwork() const;
  // Returns whether a file that was read was replaced. Looks at most once a second.
  bool Replaced() const;

 private:
  using Time = std::chrono::steady_clock::time_point;

  template <typename Read>
  auto Await(const std::string& file, Read read, const std::string& but = "") const;
  void AwaitFile(const std::string& file, const std::string& but) const;

  std::string path_;
  int seconds_;
  Time deadline_;
  mutable Time next_look_;
  mutable std::map<std::string, std::string> read_;  // by name: identity of the file that was read
};

}  // namespace singa
