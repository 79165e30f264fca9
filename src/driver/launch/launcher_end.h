// EndWithLauncher ends this process after its launcher. A launcher that is killed, or ended by a
// second Ctrl-C, leaves its processes behind, and they would hold the workspace.
#pragma once

#include <sys/types.h>

#include <string>

namespace singa {

// Sends SIGTERM to this process when its launcher has ended. Does nothing if no launcher started
// it, or one that need not live as long as its processes. Throws Error, as StartThread.
void EndWithLauncher();

// Returns the nearest ancestor of `pid` that did not start with `variable` in its environment, that
// is, the process that set it. Processes between may be scripts. 0: it is outside of this
// container.
pid_t AncestorWithout(const std::string& variable, pid_t pid);

}  // namespace singa
