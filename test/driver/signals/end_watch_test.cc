// Tests the end of a process whose threads never return.
#include "driver/signals/end_watch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <stdexcept>
#include <string>

namespace singa {
namespace {

using std::chrono::milliseconds;

TEST(EndWatchTest, EndsWhatGoesOnForTooLongAfterTheJobCannot) {
  std::promise<std::string> ended;
  EndWatch watch(milliseconds(20), [&](const std::exception_ptr& why) {
    try {
      std::rethrow_exception(why);
    } catch (const std::exception& error) {
      ended.set_value(error.what());
    }
  });
  watch.Begin(std::make_exception_ptr(std::runtime_error("first")));
  watch.Begin(std::make_exception_ptr(std::runtime_error("second")));
  EXPECT_EQ(ended.get_future().get(), "first");
}

TEST(EndWatchTest, LeavesAloneWhoComesBackInTime) {
  std::atomic<bool> ended{false};
  const auto end = [&](const std::exception_ptr&) { ended = true; };
  { EndWatch never(milliseconds(0), end); }
  {
    EndWatch begun(std::chrono::minutes(1), end);
    begun.Begin(std::make_exception_ptr(std::runtime_error("lost")));
  }
  EXPECT_FALSE(ended);
}

}  // namespace
}  // namespace singa
