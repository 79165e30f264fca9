#include "driver/job/end_stalled.h"

#include <glog/logging.h>
#include <unistd.h>

#include <cstdio>

namespace singa {

void EndStalled(const RunOptions& options, const std::string& text) {
  const bool shown =
      options.is_shown_elsewhere && options.is_shown_elsewhere(Error(kExitStalled, text));
  if (!shown) std::fprintf(stderr, "singa: error: %s\n", text.c_str());
  google::FlushLogFiles(google::INFO);
  _exit(kExitStalled);
}

}  // namespace singa
