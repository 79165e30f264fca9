#include "driver/launch/launch_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <thread>

#include "base/file/entry_place.h"
#include "base/file/file_system.h"
#include "base/file/input_file.h"
#include "base/file/which_file.h"
#include "base/system/descriptor.h"
#include "comm/transport/own_address.h"
#include "driver/signals/interrupt.h"
#include "io/file/new_file.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// Intervals of polling, as shared file systems do not report a new file.
constexpr std::chrono::milliseconds kPause{20};
constexpr std::chrono::seconds kLookAgain{1};
constexpr int64_t kLongestEndpoint = 512;

std::string EndpointFile(const std::string& path) { return path + ".endpoint"; }
std::string NetworkFile(const std::string& path) { return path + ".network"; }

// Returns the line without its newline; nullopt: it has no newline yet.
std::optional<std::string> ReadLine(const std::string& name) {
  // Refuse another user's file, which could lead this process to a stranger's.
  const std::string parent = std::filesystem::path(name).parent_path().string();
  const Descriptor folder = EntryPlace(parent).OpenFolder();
  const Descriptor file = EntryPlace(parent, folder.get(), name).OpenFile(O_RDONLY);
  std::string text(kLongestEndpoint, '\0');
  const ssize_t n = ::pread(file.get(), text.data(), text.size(), 0);
  if (n < 0) ThrowInputError(name, "cannot read", errno);
  text.resize(static_cast<size_t>(n));
  const size_t end = text.find('\n');
  if (end == std::string::npos) return {};
  return text.substr(0, end);
}

Endpoint ReadEndpointFile(const std::string& name) {
  const std::optional<std::string> line = ReadLine(name);
  if (!line) throw DataError(name, -1, "is no line HOST:PORT");
  try {
    return ParseEndpoint(*line);
  } catch (const ConfigError& error) {
    throw DataError(name, -1, error.what());
  }
}

void WriteLine(const std::string& path, const std::string& line) {
  PosixFileSystem fs(std::filesystem::path(path).parent_path().string());
  const std::string temporary = TemporaryName(path);
  const std::string text = line + "\n";
  try {
    const std::unique_ptr<WritableFile> file = fs.Create(temporary);
    file->Write(text.data(), text.size());
    file->Close();
    fs.Rename(temporary, path);
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
}

}  // namespace

LaunchFiles::LaunchFiles(const std::string& path, const JobSecrets& secrets) : path_(path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  PosixFileSystem().MakeDirectories(folder);
  PosixFileSystem fs(folder);
  const std::string temporary = TemporaryName(path);
  Remove();  // files of a killed process
  for (const std::string& file : Files()) RemoveLeftOver(&fs, file);
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
  WriteLine(NetworkFile(path_), OwnNetwork());
  WriteLine(EndpointFile(path_), ToString(endpoint));
}

std::vector<std::string> LaunchFiles::Files() const {
  return {EndpointFile(path_), NetworkFile(path_), path_};
}

void LaunchFiles::Remove() {
  for (const std::string& file : Files()) ::unlink(file.c_str());
}

LaunchFilesReader::LaunchFilesReader(std::string path, int seconds)
    : path_(std::move(path)),
      seconds_(seconds),
      deadline_(std::chrono::steady_clock::now() + std::chrono::seconds(seconds)) {}

// Blocks until the file exists and is another one than `but`.
void LaunchFilesReader::AwaitFile(const std::string& file, const std::string& but) const {
  for (;;) {
    std::string which = WhichFile(file);
    if (!which.empty() && which != but) {
      read_[file] = std::move(which);
      return;
    }
    if (InterruptCode() != kExitOk)
      throw Error(InterruptCode(), "stopped by a signal before process 0 was found");
    if (std::chrono::steady_clock::now() >= deadline_)
      throw PeerError(StrCat("process 0 was not found within ", seconds_,
                             " s (cluster.start_timeout; ", file,
                             which.empty() ? " is not there" : " is of another start",
                             "); all processes need the same cluster.workspace"));
    std::this_thread::sleep_for(kPause);
  }
}

template <typename Read>
auto LaunchFilesReader::Await(const std::string& file, Read read, const std::string& but) const {
  for (;;) {
    AwaitFile(file, but);
    try {
      return read(file);
    } catch (const FileError&) {
      if (!WhichFile(file).empty()) throw;  // if it is gone, a new rank 0 has just removed it
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

std::string LaunchFilesReader::ReadNetwork() const {
  try {
    return ReadLine(NetworkFile(path_)).value_or("");
  } catch (const FileError&) {
    return "";  // all processes have met meanwhile, or another rank 0 has started
  }
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
