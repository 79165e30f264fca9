#include "driver/launch/launch_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "base/descriptor.h"
#include "base/file_system.h"
#include "base/input_file.h"
#include "base/sha256.h"
#include "driver/job/interrupt.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// Between two looks: file systems that several hosts share tell nobody of a new file.
constexpr std::chrono::milliseconds kLook{20};
constexpr std::chrono::seconds kLookAgain{1};
constexpr int64_t kLongestEndpoint = 512;

std::string EndpointFile(const std::string& path) { return path + ".endpoint"; }

// Names that nobody can guess: a folder may be open to others.
std::string TemporaryName(const std::string& path) { return path + "." + RandomHex(8); }

// Another text for another file of that name; "": there is none.
std::string WhichFile(const std::string& file) {
  // NFS asks its server anew what is in a folder that is opened.
  const std::string folder = std::filesystem::path(file).parent_path().string();
  const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat status;
  if (::stat(file.c_str(), &status) != 0) return "";
  return StrCat(status.st_dev, " ", status.st_ino, " ", status.st_size, " ", status.st_mtim.tv_sec,
                " ", status.st_mtim.tv_nsec);
}

Endpoint ReadEndpointFile(const std::string& name) {
  const std::vector<uint8_t> bytes = InputFile::Open(name).ReadAll(kLongestEndpoint);
  const std::string text(bytes.begin(), bytes.end());
  const size_t end = text.find('\n');
  if (end == std::string::npos) throw DataError(name, -1, "is no line HOST:PORT");
  try {
    return ParseEndpoint(text.substr(0, end));
  } catch (const ConfigError& error) {
    throw DataError(name, -1, error.what());
  }
}

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

// Until it is there, and another than `but`.
void LaunchFilesReader::AwaitFile(const std::string& file, const std::string& but) const {
  for (;;) {
    std::string which = WhichFile(file);
    if (!which.empty() && which != but) {
      read_[file] = std::move(which);
      return;
    }
    if (InterruptCode() != kExitOk)
      throw Error(InterruptCode(), "stopped by a signal before process 0 had come");
    if (std::chrono::steady_clock::now() >= deadline_)
      throw PeerError(StrCat("process 0 has not come for ", seconds_, " s (", file,
                             which.empty() ? " is not there" : " is of another start",
                             "); all processes need the same cluster.workspace"));
    std::this_thread::sleep_for(kLook);
  }
}

template <typename Read>
auto LaunchFilesReader::Await(const std::string& file, Read read, const std::string& but) const {
  for (;;) {
    AwaitFile(file, but);
    try {
      return read(file);
    } catch (const FileError&) {
      if (!WhichFile(file).empty()) throw;  // else a new rank 0 has just removed it
    }
  }
}

JobSecrets LaunchFilesReader::AwaitSecrets(int processes) const {
  JobSecrets all = Await(path_, ReadSecretsFile);
  while (static_cast<int>(all.keys.size()) != processes)
    all = Await(path_, ReadSecretsFile, read_[path_]);
  return all;
}

Endpoint LaunchFilesReader::AwaitEndpoint() const {
  return Await(EndpointFile(path_), ReadEndpointFile);
}

bool LaunchFilesReader::Replaced() const {
  const Time now = std::chrono::steady_clock::now();
  if (now < next_look_) return false;
  next_look_ = now + kLookAgain;
  for (const auto& [file, which] : read_)
    if (const std::string there = WhichFile(file); !there.empty() && there != which) return true;
  return false;
}

}  // namespace singa
