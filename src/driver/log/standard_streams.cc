#include "driver/log/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <initializer_list>

namespace singa {

void HoldStandardStreams() {
  for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) >= 0) continue;
    // open returns the lowest free number, which is fd.
    if (open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
  }
}

}  // namespace singa
