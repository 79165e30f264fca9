#include "driver/launch/launch_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/descriptor.h"
#include "base/file_system.h"
#include "base/sha256.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// Between two looks: file systems that several hosts share tell nobody of a new file.
constexpr std::chrono::milliseconds kLook{20};
constexpr size_t kLongestEndpoint = 512;

std::string EndpointFile(const std::string& path) { return path + ".endpoint"; }

// Names that nobody can guess: a folder may be open to others.
std::string TemporaryName(const std::string& path) { return path + "." + RandomHex(8); }

}  // namespace

LaunchFiles::LaunchFiles(const std::string& path, const JobSecrets& secrets) : path_(path) {
  PosixFileSystem fs;
  fs.MakeDirectories(std::filesystem::path(path).parent_path().string());
  const std::string temporary = TemporaryName(path);
  Remove();  // of a process that was killed
  try {
    WriteSecretsFile(temporary, secrets);
    fs.Rename(temporary, path);
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
}

LaunchFiles::~LaunchFiles() { Remove(); }

void LaunchFiles::Tell(const Endpoint& endpoint) const {
  PosixFileSystem fs;
  const std::string temporary = TemporaryName(path_);
  const std::string text = ToString(endpoint) + "\n";
  try {
    const std::unique_ptr<WritableFile> file = fs.Create(temporary);
    file->Write(text.data(), text.size());
    file->Close();
    fs.Rename(temporary, EndpointFile(path_));
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
}

void LaunchFiles::Remove() {
  ::unlink(EndpointFile(path_).c_str());
  ::unlink(path_.c_str());
}

LaunchFilesReader::LaunchFilesReader(std::string path, int seconds)
    : path_(std::move(path)),
      seconds_(seconds),
      deadline_(std::chrono::steady_clock::now() + std::chrono::seconds(seconds)) {}

JobSecrets LaunchFilesReader::AwaitSecrets() const {
  Await(path_);
  return ReadSecretsFile(path_);
}

Endpoint LaunchFilesReader::AwaitEndpoint() const {
  const std::string name = EndpointFile(path_);
  Await(name);
  std::ifstream file(name, std::ios::binary);
  std::string text(kLongestEndpoint, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  const size_t end = text.find('\n');
  if (end == std::string::npos) throw DataError(name, -1, "is no line HOST:PORT");
  try {
    return ParseEndpoint(text.substr(0, end));
  } catch (const ConfigError& error) {
    throw DataError(name, -1, error.what());
  }
}

void LaunchFilesReader::Await(const std::string& file) const {
  const std::string folder = std::filesystem::path(file).parent_path().string();
  for (;;) {
    // NFS asks its server anew what is in a folder that is opened.
    const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (::access(file.c_str(), F_OK) == 0) return;
    if (std::chrono::steady_clock::now() >= deadline_)
      throw PeerError(StrCat("process 0 has not come for ", seconds_, " s (", file,
                             " is not there); all processes need the same cluster.workspace"));
    std::this_thread::sleep_for(kLook);
  }
}

}  // namespace singa
