#include "base/file/unfinished_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace singa {
namespace {

constexpr size_t kMostPath = 4096;  // PATH_MAX of Linux
constexpr int kMostFiles = 16;      // a command writes three at most

enum class State : uint8_t { kFree, kTaken, kSet };

// A handler of signals takes no lock, so it reads paths of fixed places.
struct Place {
  std::atomic<State> state{State::kFree};
  std::array<char, kMostPath> path{};
};
std::array<Place, kMostFiles> places;

static_assert(std::atomic<State>::is_always_lock_free);

// Removes a folder and the files in it. It only calls the system, as a handler of signals has to:
// opendir takes memory.
void RemoveFolder(const char* path) {
  const int folder = ::open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return;
  alignas(dirent64) char entries[4096];
  for (ssize_t size; (size = ::getdents64(folder, entries, sizeof entries)) > 0;) {
    for (ssize_t at = 0; at < size;) {
      const auto* const entry = reinterpret_cast<const dirent64*>(entries + at);
      ::unlinkat(folder, entry->d_name, 0);
      at += entry->d_reclen;
    }
  }
  ::close(folder);
  ::rmdir(path);
}

}  // namespace

UnfinishedFile::UnfinishedFile(const std::string& path) {
  if (path.size() >= kMostPath) return;
  for (int i = 0; i < kMostFiles && place_ < 0; ++i) {
    State none = State::kFree;
    if (places[i].state.compare_exchange_strong(none, State::kTaken)) place_ = i;
  }
  if (place_ < 0) return;
  std::memcpy(places[place_].path.data(), path.c_str(), path.size() + 1);
  places[place_].state = State::kSet;
}

UnfinishedFile::~UnfinishedFile() {
  if (place_ >= 0) places[place_].state = State::kFree;
}

void RemoveUnfinishedFiles() {
  const int error = errno;
  for (const Place& place : places)
    if (place.state == State::kSet && ::unlink(place.path.data()) != 0 && errno == EISDIR)
      RemoveFolder(place.path.data());
  errno = error;
}

}  // namespace singa
