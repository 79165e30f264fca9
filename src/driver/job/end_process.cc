#include "driver/job/end_process.h"

#include <glog/logging.h>
#include <unistd.h>

#include <cstdio>

#include "base/system/caught_error.h"
#include "cluster/process/stub.h"
#include "driver/signals/interrupt.h"

namespace singa {

void EndProcess(const RunOptions& options, const Error& error) {
  const bool shown = options.is_shown_elsewhere && options.is_shown_elsewhere(error);
  if (!shown)
    std::fprintf(stderr, "singa: error: %s%s\n", error.what(), options.advice(error).c_str());
  if (options.leave) options.leave();
  google::FlushLogFiles(google::INFO);
  _exit(error.code());
}

void EndLate(const RunOptions& options, const std::exception_ptr& why, int rank,
             const std::string& whose) {
  const std::string late = StrCat("; a thread of ", whose, " did not come back for ",
                                  kLongestEnd.count(), " s after that");
  try {
    std::rethrow_exception(why);
  } catch (const ToldError& error) {
    RunOptions told;
    if (rank > 0) told.is_shown_elsewhere = [](const Error&) { return true; };
    LOG(INFO) << error.what() << late;
    EndProcess(told, Error(error.code(), error.what() + late));
  } catch (...) {
    const Error error = CaughtError();
    EndProcess(options, Error(error.code(), error.what() + late));
  }
}

EndsOnSignal::EndsOnSignal(const RunOptions& options, const std::string& before)
    : watch_([options, before] {
        EndProcess(options, Error(InterruptCode(), "stopped by a signal before " + before));
      }) {}

void EndStalled(const RunOptions& options, const std::string& text) {
  EndProcess(options, Error(kExitStalled, text));
}

}  // namespace singa
