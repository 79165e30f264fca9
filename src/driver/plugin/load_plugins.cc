#include "driver/plugin/load_plugins.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <google/protobuf/text_format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <sstream>

#include "driver/conf/conf_lexer.h"
#include "driver/plugin/plugin_file.h"
#include "singa/nn/layer.h"
#include "singa/proto/job.pb.h"
#include "singa/train/algorithm.h"
#include "singa/train/initializer.h"
#include "singa/train/learning_rate.h"
#include "singa/train/updater.h"

namespace singa {
namespace {

constexpr unsigned kTrialSeconds = 20;

// Names that were registered again: only the first layer of a name can be made.
std::vector<std::string> NamesTwice() {
  std::vector<std::string> names;
  for (const auto* twice : {&Layers().twice(), &Updaters().twice(), &LearningRates().twice(),
                            &Initializers().twice(), &Algorithms().twice()})
    names.insert(names.end(), twice->begin(), twice->end());
  return names;
}

// Its constructors run while a library is loaded, and protobuf ends the process where two define
// one extension: another process tries first. Returns how that one ended, "" if well.
std::string Trial(const std::string& path) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return "";
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDERR_FILENO);
    ::signal(SIGALRM, SIG_DFL);
    ::alarm(kTrialSeconds);
    ::_exit(::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) ? 0 : 2);
  }
  ::close(ends[1]);
  if (child < 0) {
    ::close(ends[0]);
    return "";
  }
  std::string said;
  char buffer[512];
  for (ssize_t n; (n = ::read(ends[0], buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR);)
    if (n > 0 && said.size() < 4096) said.append(buffer, static_cast<size_t>(n));
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 2)) return "";
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    return StrCat("is not loaded after ", kTrialSeconds, " s");
  said = said.substr(0, said.find('\n'));
  return StrCat("ends the process while it is loaded", said.empty() ? "" : ": ", Printable(said));
}

// What a JobProto's text says, as far as it can be read: names of extensions that are not there
// yet, and mistakes, are found when it is read again.
std::vector<std::string> NamedIn(const std::string& text) {
  if (text.find("plugin") == std::string::npos) return {};
  JobProto job;
  google::protobuf::TextFormat::Parser parser;
  parser.AllowUnknownExtension(true);
  parser.AllowUnknownField(true);
  parser.AllowPartialMessage(true);
  parser.SetRecursionLimit(kMaxConfDepth);
  const google::protobuf::LogSilencer silencer;
  parser.ParseFromString(text, &job);
  return {job.plugin().begin(), job.plugin().end()};
}

}  // namespace

void LoadPlugin(const std::string& path) {
  CheckPluginFile(path);
  // Without a slash dlopen would search the system's folders.
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  if (void* loaded = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD)) {
    ::dlclose(loaded);
    return;
  }
  const std::string trouble = Trial(file);
  if (!trouble.empty()) throw ConfigError("", trouble);
  const size_t before = NamesTwice().size();
  if (!::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL))
    throw ConfigError("", StrCat("cannot be loaded: ", Printable(::dlerror())));
  const std::vector<std::string> twice = NamesTwice();
  if (twice.size() > before)
    throw ConfigError("", StrCat("registers \"", twice.back(), "\", which there is already"));
}

std::vector<ConfigError> LoadPluginsOf(const std::string& text,
                                       const std::vector<std::string>& options) {
  std::vector<std::string> paths = NamedIn(text);
  for (const std::string& option : options) {
    const bool adds = option.starts_with("plugin+=");
    if (!adds && !option.starts_with("plugin=")) continue;
    if (!adds) paths.clear();
    std::istringstream list(option.substr(option.find('=') + 1));
    for (std::string path; std::getline(list, path, ',');) paths.push_back(path);
  }
  std::vector<ConfigError> errors;
  for (const std::string& path : paths) {
    try {
      LoadPlugin(path);
    } catch (const ConfigError& error) {
      errors.push_back(ConfigError("plugin", StrCat("\"", Printable(path), "\" ", error.message()),
                                   error.code()));
    }
  }
  return errors;
}

}  // namespace singa
