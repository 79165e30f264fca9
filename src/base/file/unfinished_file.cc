#include "base/file/unfinished_file.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace singa {
namespace {

constexpr size_t kMostPath = 4096;  // PATH_MAX of Linux
constexpr int kMostFiles = 16;      // a command writes two at most

enum class State : uint8_t { kFree, kTaken, kSet };

// A handler of signals takes no lock, so it reads paths of fixed places.
struct Place {
  std::atomic<State> state{State::kFree};
  std::array<char, kMostPath> path{};
};
std::array<Place, kMostFiles> places;

static_assert(std::atomic<State>::is_always_lock_free);

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
    if (place.state == State::kSet) ::unlink(place.path.data());
  errno = error;
}

}  // namespace singa
