// All threads are started here, so that the error of a failed start names the system's limits.
#pragma once

#include <functional>
#include <thread>

namespace singa {

// Starts a thread that calls `run`. Throws Error with kExitCantCreate, which names the system's
// limits.
std::thread StartThread(std::function<void()> run);

// Throws as StartThread does unless `count` more threads can run at once. Called for libraries that
// end the process if they get no threads.
void CheckThreads(int count);

}  // namespace singa
