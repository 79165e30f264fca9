// A launcher that is killed, or that a second Ctrl-C ends, leaves its processes behind. They must
// not train on: they would hold the workspace.
#pragma once

#include <sys/types.h>

#include <string>

namespace singa {

// From now on SIGTERM comes to this process when its launcher has ended. Nothing happens where no
// launcher started it, or none that lives as long as its processes. Throws Error, as StartThread.
void EndWithLauncher();

// The nearest ancestor of `pid` that did not start with `variable` in its environment: whoever set
// it for the others, which may be scripts. 0: it is outside of this container.
pid_t AncestorWithout(const std::string& variable, pid_t pid);

}  // namespace singa
