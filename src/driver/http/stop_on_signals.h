// While a StopOnSignals exists, a signal that asks the program to end stops a server. A second
// SIGINT ends the program at once, as that of a job does (driver/signals/stop_requests.h).
#pragma once

#include <atomic>
#include <csignal>
#include <thread>

#include "driver/http/http_server.h"

namespace singa {

class StopOnSignals {
 public:
  // Threads that are started later do not take these signals. `server` must outlive it.
  explicit StopOnSignals(HttpServer* server);
  ~StopOnSignals();
  StopOnSignals(const StopOnSignals&) = delete;
  StopOnSignals& operator=(const StopOnSignals&) = delete;

 private:
  sigset_t signals_;
  std::atomic<bool> ends_ = false;  // set before the signal that ends thread_
  std::thread thread_;
};

}  // namespace singa
