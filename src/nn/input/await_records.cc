#include "nn/input/await_records.h"

#include "base/thread/activity_mark.h"
#include "nn/input/store_input.h"

namespace singa {

bool AwaitRecords(const Context& ctx, Phase phase, const std::function<bool()>& stop, Net* net) {
  for (NetNode& node : net->nodes()) {
    StoreInput* const store = StoreInputOf(node.layer.get());
    if (!store) continue;
    const ActivityMark::Scope reads(ctx.mark, Activity::kReading, &node.full_name);
    if (!store->AwaitRecords(phase, stop)) return false;
  }
  return true;
}

}  // namespace singa
