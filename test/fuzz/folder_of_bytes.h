// FolderOfBytes is a folder whose only file has the fuzzer's bytes, for code that reads folders.
#pragma once

#include <stdlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace singa {

class FolderOfBytes {
 public:
  // `name` is the name of the file. It may have folders before it.
  FolderOfBytes(const std::string& name, const uint8_t* data, size_t size) {
    std::string path = (std::filesystem::temp_directory_path() / "singa-fuzz-XXXXXX").string();
    if (!mkdtemp(path.data())) abort();
    path_ = path;
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  }
  ~FolderOfBytes() { std::filesystem::remove_all(path_); }
  FolderOfBytes(const FolderOfBytes&) = delete;
  FolderOfBytes& operator=(const FolderOfBytes&) = delete;

  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace singa
