// How processes that mpirun or srun started meet: rank 0 leaves the job's secrets and then its
// endpoint in two files, which the others wait for. All processes need the same folder, on one host
// or shared between them. Files of one name belong to one start of the job.
#pragma once

#include <chrono>
#include <string>

#include "comm/endpoint.h"
#include "comm/keys.h"

namespace singa {

// Rank 0's side. One thread uses it.
class LaunchFiles {
 public:
  // Makes `path`, mode 0600, with all ranks' secrets, and its folder where that is missing.
  // Throws FileError.
  LaunchFiles(const std::string& path, const JobSecrets& secrets);
  // Removes both files, if Remove has not.
  ~LaunchFiles();
  LaunchFiles(const LaunchFiles&) = delete;
  LaunchFiles& operator=(const LaunchFiles&) = delete;

  // Makes `path`.endpoint. Throws FileError.
  void Tell(const Endpoint& endpoint) const;
  void Remove();

 private:
  std::string path_;
};

// The other ranks' side.
class LaunchFilesReader {
 public:
  // Waits from now on, for `seconds` in all.
  LaunchFilesReader(std::string path, int seconds);

  // Both throw PeerError where rank 0 has not come in time; FileError, DataError.
  JobSecrets AwaitSecrets() const;
  Endpoint AwaitEndpoint() const;

 private:
  void Await(const std::string& file) const;

  std::string path_;
  int seconds_;
  std::chrono::steady_clock::time_point deadline_;
};

}  // namespace singa
