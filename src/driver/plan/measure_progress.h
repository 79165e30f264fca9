// EveryTenSeconds tells a user that measurements go on.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <utility>

#include "singa/base/str_cat.h"

namespace singa {

// The measurements call it before each of `all` measurements, after `done` of them.
using MeasureProgress = std::function<void(int done, int all)>;

// Returns a progress that gives `say` a sentence at most every ten seconds.
inline MeasureProgress EveryTenSeconds(std::function<void(const std::string&)> say) {
  using std::chrono::steady_clock;
  return [say = std::move(say), last = steady_clock::now()](int done, int all) mutable {
    const steady_clock::time_point now = steady_clock::now();
    if (done == 0) last = now;
    if (now - last < std::chrono::seconds(10)) return;
    last = now;
    say(StrCat("has measured ", done, " of ", all, " parts of the net"));
  };
}

}  // namespace singa
