#include "driver/log/logging.h"

#include <glog/logging.h>

#include <cstdio>
#include <string>

#include "driver/conf/check_values.h"
#include "driver/conf/job_conf.h"
#include "driver/log/log_file.h"
#include "driver/workspace/progress.h"
#include "driver/workspace/workspace.h"
#include "singa/base/error.h"
#include "singa/proto/singa.pb.h"

namespace singa {
namespace {

// Writes warnings and errors to stderr as the program's other messages are written. With glog's
// own flags for stderr, glog writes them.
class StderrLines final : public google::LogSink {
 public:
  void send(google::LogSeverity severity, const char*, const char*, int,
            const google::LogMessageTime&, const char* message, size_t bytes) override {
    if (severity != google::GLOG_WARNING && severity != google::GLOG_ERROR) return;
    if (FLAGS_logtostderr || FLAGS_alsologtostderr || severity >= FLAGS_stderrthreshold) return;
    ClearLine();
    std::fprintf(stderr, "%s: %s\n", severity == google::GLOG_WARNING ? "warning" : "error",
                 Printable(std::string(message, bytes)).c_str());
  }
};

}  // namespace

void StartLogging(const char* program) {
  static bool started = false;
  if (started) return;
  started = true;
  FLAGS_stderrthreshold = google::GLOG_FATAL;
  for (int severity = 0; severity < google::NUM_SEVERITIES; ++severity)
    google::SetLogDestination(severity, "");  // no files yet
  google::InitGoogleLogging(program);
  static auto* const lines = new StderrLines;  // never deleted, as threads may log until the end
  google::AddLogSink(lines);
}

void LogTo(const std::string& folder, int rank) {
  google::base::SetLogger(google::GLOG_INFO, new LogFile(folder, rank));
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): glog owns the file

std::string LogFolder(const JobProto& job, const std::string& singa_conf) {
  if (!singa_conf.empty()) {
    SingaProto settings;
    JobConf conf(singa_conf, {}, &settings);
    ConfFindings found;
    WarnWithoutEffect(settings, &found);
    for (const ConfigError& warning : found.warnings) conf.Add(warning, Diagnostic::kWarning);
    std::fputs(conf.Render().c_str(), stderr);
    if (!conf.ok()) throw Error(kExitConfig, singa_conf + " has the errors that are shown above");
    if (settings.has_log_dir()) return settings.log_dir();
  }
  return WorkspacePath(job) + "/log";
}

}  // namespace singa
