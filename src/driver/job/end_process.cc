#include "driver/job/end_process.h"

#include <glog/logging.h>
#include <unistd.h>

#include <cstdio>

namespace singa {

void EndProcess(const RunOptions& options, const Error& error) {
  const bool shown = options.is_shown_elsewhere && options.is_shown_elsewhere(error);
  if (!shown) std::fprintf(stderr, "singa: error: %s\n", error.what());
  google::FlushLogFiles(google::INFO);
  _exit(error.code());
}

void EndStalled(const RunOptions& options, const std::string& text) {
  EndProcess(options, Error(kExitStalled, text));
}

}  // namespace singa
