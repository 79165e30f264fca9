#include "tensor/gpu/gpu_group.h"

#include "base/thread/stopped.h"
#include "singa/base/error.h"

namespace singa {

GpuGroupWait::GpuGroupWait(const GpuMember& member, const char* what)
    : member_(member), what_(what) {
  if (member.deadline) waiting_.emplace(*member.deadline);
}

void GpuGroupWait::Look() {
  if (member_.stopped->load(std::memory_order_acquire)) throw Stopped();
  if (!waiting_ || !waiting_->Ends()) return;
  const auto longest =
      std::chrono::duration_cast<std::chrono::seconds>(member_.deadline->longest());
  throw Error(kExitStalled,
              StrCat("worker ", member_.member, " of the group waits in vain: ", what_, " of the ",
                     member_.members, " workers' GPUs has not come for ", longest.count(), " s"));
}

}  // namespace singa
