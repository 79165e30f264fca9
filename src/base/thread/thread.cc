#include "base/thread/thread.h"

#include <latch>
#include <system_error>
#include <utility>
#include <vector>

#include "base/system/system_limits.h"

namespace singa {

std::thread StartThread(std::function<void()> run) {
  try {
    return std::thread(std::move(run));
  } catch (const std::system_error& error) {
    throw CannotStart("a thread", error.code().value());
  }
}

void CheckThreads(int count) {
  std::latch go(1);  // outlives the threads, which their vector joins
  std::vector<std::jthread> threads;
  threads.reserve(count);
  try {
    for (int i = 0; i < count; ++i) threads.emplace_back([&go] { go.wait(); });
  } catch (const std::system_error& error) {
    go.count_down();
    throw CannotStart(StrCat(count, " more threads"), error.code().value());
  } catch (...) {
    go.count_down();
    throw;
  }
  go.count_down();
}

}  // namespace singa
