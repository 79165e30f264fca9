// Threads are started here alone, so that a limit of the system that is met is an error that names
// it.
#pragma once

#include <functional>
#include <thread>

namespace singa {

// `run` in a thread. Throws Error, kExitCantCreate, which names the system's limits.
std::thread StartThread(std::function<void()> run);

// Throws as StartThread unless `count` more threads can run at once. For libraries that end the
// process where they get none.
void CheckThreads(int count);

}  // namespace singa
