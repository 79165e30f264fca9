// TempDir is a folder that a test fills. It is removed when the test ends.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace singa {

class TempDir {
 public:
  TempDir() {
    std::string path = (std::filesystem::temp_directory_path() / "singa-test-XXXXXX").string();
    if (!mkdtemp(path.data())) throw std::runtime_error("no temporary folder: " + path);
    path_ = path;
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::string& path() const { return path_; }
  std::string Path(const std::string& name) const { return path_ + "/" + name; }

  // Returns the path of the file.
  std::string Write(const std::string& name, const std::string& bytes) const {
    std::ofstream(Path(name), std::ios::binary) << bytes;
    return Path(name);
  }

  static std::string Read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::string path_;
};

// Runs `statement`, which must throw a singa::Error with that exit code and with each of the texts
// in its message.
#define EXPECT_ERROR(statement, exit_code, ...)                                           \
  try {                                                                                   \
    statement;                                                                            \
    ADD_FAILURE() << #statement " threw nothing";                                         \
  } catch (const ::singa::Error& error) {                                                 \
    EXPECT_EQ(error.code(), exit_code) << error.what();                                   \
    for (const std::string& text : std::initializer_list<std::string>{__VA_ARGS__})       \
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what(); \
  }

}  // namespace singa
