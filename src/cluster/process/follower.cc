#include "cluster/process/follower.h"

#include "singa/base/error.h"

namespace singa {

void Follower::Ready() {
  Answer(EmptyControl(ControlMessage::kReady));
  if (!control_.AwaitOrder(ControlChannel::Wait::kStart).has_all_ready())
    throw PeerError("process 0 does not say that all processes are ready");
}

std::vector<std::string> Follower::AwaitStates(int group) {
  const Range all = topology_.ProcessesOf(group);
  return control_.AwaitStates({all.first + 1, all.last});
}

}  // namespace singa
