// LogFile is the file for glog's lines. Its name has host, rank, process id and a random part, as
// each process of a container may have id 1, and ranks may share the folder.
#pragma once

#include <glog/logging.h>

#include <memory>
#include <string>

#include "base/file/file_system.h"

namespace singa {

// glog calls it under its own lock.
class LogFile final : public google::base::Logger {
 public:
  // Makes `folder` if missing. The first line makes the file, and the link <folder>/singa.INFO
  // points to that of rank 0. Throws WriteError.
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
  bool refused_ = false;  // the disk has refused lines, which stderr has reported
};

}  // namespace singa
