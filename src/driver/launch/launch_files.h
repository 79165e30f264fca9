// How processes that mpirun or srun started meet: rank 0 leaves the job's secrets and then its
// endpoint in two files, which the others wait for. All processes need the same folder, on one host
// or shared between them. A start that was killed leaves its files, and another of the same name
// replaces them: until a process has met the others it looks whether they are still those it read.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "comm/security/keys.h"
#include "comm/transport/endpoint.h"

namespace singa {

// Rank 0's side. One thread uses it.
class LaunchFiles {
 public:
  // Makes `path`, mode 0600, with all ranks' secrets, and its folder where that is missing.
  // Throws FileError.
  LaunchFiles(const std::string& path, const JobSecrets& secrets);
  // Removes all files, if Remove has not.
  ~LaunchFiles();
  LaunchFiles(const LaunchFiles&) = delete;
  LaunchFiles& operator=(const LaunchFiles&) = delete;

  // Makes `path`.network, a line with this process's OwnNetwork, then `path`.endpoint. Throws
  // FileError.
  void Tell(const Endpoint& endpoint) const;
  void Remove();

 private:
  std::vector<std::string> Files() const;

  std::string path_;
};

// The other ranks' side.
class LaunchFilesReader {
 public:
  // Waits from now on, for `seconds` in all.
  LaunchFilesReader(std::string path, int seconds);

  // Both throw PeerError where rank 0 has not come in time; Error with a signal's code where one
  // has come; FileError, DataError. Secrets of another number of processes are of a start that was
  // killed: those of the next one are waited for.
  JobSecrets AwaitSecrets(int processes) const;
  Endpoint AwaitEndpoint() const;
  // OwnNetwork of the rank 0 that left the endpoint; "": it does not say.
  std::string ReadNetwork() const;
  // Whether one of those that were read has been replaced. Looks once a second at most.
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
  mutable std::map<std::string, std::string> read_;  // which file that was, by name
};

}  // namespace singa
