// LogFile: the file that glog's lines go to. Its name holds host, rank, process and a random part:
// in containers each process may be number 1, and ranks may share the folder.
#pragma once

#include <glog/logging.h>

#include <memory>
#include <string>

#include "base/file/file_system.h"

namespace singa {

// glog calls it under a lock of its own.
class LogFile final : public google::base::Logger {
 public:
  // Files go to `folder`, made when missing; the first line makes one. The link <folder>/singa.INFO
  // names that of rank 0. Throws WriteError.
  LogFile(const std::string& folder, int rank);

  void Write(bool, time_t time, const char* message, size_t bytes) override;
  void Flush() override;
  google::uint32 LogSize() override { return bytes_; }

 private:
  void Open();

  const std::string folder_;
  const int rank_;
  std::unique_ptr<PosixFileSystem> files_;
  std::unique_ptr<WritableFile> file_;
  std::string waiting_;  // lines that the disk has refused
  google::uint32 bytes_ = 0;
  bool refused_ = false;  // by the disk, which stderr has said
};

}  // namespace singa
