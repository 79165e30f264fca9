#include "driver/plan/part_meeting.h"

#include "singa/base/error.h"
#include "singa/base/str_cat.h"

namespace singa {

void PartMeeting::Arrive(int part) {
  arrived_[part].fetch_add(1, std::memory_order_release);
  deadline_.Renew();
  changed_.Tell();
}

void PartMeeting::Await(int64_t count) {
  const auto arrived = [&] { return AllArrived(count); };
  if (changed_.Await(arrived, parts_, &ended_, &deadline_)) return;
  throw Error(kExitStalled,
              StrCat("a worker's part that is measured stands still: no part has come "
                     "to a bridge for ",
                     deadline_.longest().count() / 1000, " s"));
}

void PartMeeting::End() {
  ended_ = true;
  changed_.Tell();
}

bool PartMeeting::AllArrived(int64_t count) const {
  for (int part = 0; part < parts_; ++part)
    if (arrived_[part].load(std::memory_order_acquire) < count) return false;
  return true;
}

}  // namespace singa
