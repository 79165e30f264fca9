#include "driver/job/dot_picture.h"

#include <sys/wait.h>

#include <cerrno>
#include <cstdio>

#include "base/system/system_limits.h"

namespace singa {

ExitCode PrintSvg(const std::string& dot) {
  FILE* pipe = popen("dot -Tsvg", "w");
  if (!pipe) throw CannotStart("`dot`", errno);
  std::fwrite(dot.data(), 1, dot.size(), pipe);
  const int status = pclose(pipe);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
    throw Error(kExitNoInput, "-svg needs Graphviz's `dot`, which is not installed");
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw Error(kExitIo, "Graphviz's `dot` failed, or could not write the picture to stdout");
  return kExitOk;
}

}  // namespace singa
