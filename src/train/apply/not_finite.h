// The messages about a loss or gradient that is not finite.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/thread/mutex.h"
#include "singa/base/str_cat.h"

namespace singa {

// The worker that has such a loss or gradient. -1: not known, or the job has only one.
struct NotFiniteAt {
  int worker = -1, group = -1, process = -1;
};

// Returns ", at worker 1 of group 0, in process 1", as far as it is known.
inline std::string PlaceText(const NotFiniteAt& at) {
  std::string text;
  if (at.worker >= 0) text = StrCat(", at worker ", at.worker);
  if (at.worker >= 0 && at.group >= 0) text += StrCat(" of group ", at.group);
  if (at.process >= 0) text += StrCat(", in process ", at.process);
  return text;
}

inline std::string LossNotFiniteText(const std::string& layer, int64_t step,
                                     const NotFiniteAt& at = {}) {
  return StrCat("step ", step, ": the loss of layer \"", layer, "\" is not finite", PlaceText(at));
}
// `what`: a ParamText, or the name of a slice.
inline std::string GradientNotFiniteText(const std::string& what, int64_t step,
                                         const NotFiniteAt& at = {}) {
  return StrCat("step ", step, ": the gradient of ", what, " is not finite", PlaceText(at));
}
inline std::string ParamText(const std::string& name, const std::string& layer) {
  return StrCat("param \"", name, "\" of layer \"", layer, "\"");
}
// Returns the message when on_nonfinite is kSkip. `why`: one of the texts above.
inline std::string SkippedText(const std::string& why) {
  return StrCat(why, "; the step is skipped");
}

// Keeps the first of these texts about a step until the processes of the group have agreed to skip
// the step. Any thread may use it.
class SkipReason {
 public:
  void Note(int64_t step, const std::string& text) {
    const MutexLock lock(&mutex_);
    if (std::exchange(step_, step) != step) text_ = text;
  }
  // Returns the text about `step`. If there is none, another process has it, or only the sum over
  // the processes is not finite. `where`: text about these processes.
  std::string Of(int64_t step, const std::string& where = "") const {
    const MutexLock lock(&mutex_);
    if (step_ == step) return text_;
    return StrCat("step ", step, ": a loss or gradient is not finite", where);
  }

 private:
  mutable Mutex mutex_;
  int64_t step_ GUARDED_BY(mutex_) = -1;
  std::string text_ GUARDED_BY(mutex_);
};

}  // namespace singa
