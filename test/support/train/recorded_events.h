// RecordedEvents keeps what a SliceEvents hears, as text.
#pragma once

#include <string>
#include <vector>

#include "singa/base/str_cat.h"
#include "train/apply/slice_events.h"

namespace singa {

class RecordedEvents final : public SliceEvents {
 public:
  void OnSum(int slice, int64_t step) override { Note("sum", slice, step); }
  void OnSubmitted(int slice, int64_t step) override { Note("submitted", slice, step); }
  void OnFresh(int slice, int64_t step) override { Note("fresh", slice, step); }

  std::vector<std::string> heard;

 private:
  void Note(const std::string& what, int slice, int64_t step) {
    heard.push_back(StrCat(what, " ", slice, " in step ", step));
  }
};

}  // namespace singa
