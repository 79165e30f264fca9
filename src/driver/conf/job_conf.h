// JobConf reads a file in protobuf's text format (job.conf, singa.conf) and the -set options that
// override it. It keeps their mistakes with their places.
#pragma once

#include <google/protobuf/message.h>

#include <set>
#include <string>
#include <vector>

#include "driver/conf/conf_tree.h"
#include "driver/conf/diagnostic.h"
#include "singa/proto/job.pb.h"

namespace singa {

class JobConf {
 public:
  // Reads `file` into `message`, then applies `options` ("path=value", "path+=value") in order.
  // Mistakes become diagnostics and leave `message` empty. Throws FileError if the file cannot be
  // read or is larger than 16 MiB.
  JobConf(const std::string& file, const std::vector<std::string>& options,
          google::protobuf::Message* message);
  // Reads `text` as the content of `file`.
  JobConf(const std::string& file, const std::string& text, const std::vector<std::string>& options,
          google::protobuf::Message* message);

  // Adds a mistake or a warning at the place of its path. It is dropped if the path already has an
  // error.
  void Add(const ConfigError& error, Diagnostic::Severity severity = Diagnostic::kError);

  bool ok() const { return errors_ == 0; }  // true even with warnings
  // Returns kExitConfig if an error has it, else the first error's code; kExitOk without errors.
  ExitCode exit_code() const;
  // Diagnostics in the order of places.
  const Diagnostics& diagnostics() const { return diagnostics_; }
  // Returns all diagnostics as the user sees them.
  std::string Render() const;
  // Returns one error as the user sees it, without keeping it. For errors after the check.
  std::string Render(const ConfigError& error) const;

 private:
  void Load(const std::vector<std::string>& options, google::protobuf::Message* message);
  void LoadPlugins(const std::vector<std::string>& options);
  void Parse(google::protobuf::Message* message);
  void Set(const std::vector<std::string>& options, bool of_repeat,
           google::protobuf::Message* message);
  void ExpandBlocks(JobProto* job);
  void CheckRequired();
  bool IsToldOf(const Diagnostic& another) const;
  void Keep(Diagnostic diagnostic);
  Diagnostic DiagnosticOf(const ConfigError& error, Diagnostic::Severity severity) const;

  std::string file_, text_;
  ConfNode root_;
  std::vector<std::string> set_paths_;  // paths of the options
  Diagnostics diagnostics_;
  std::set<std::string> paths_with_error_;
  size_t errors_ = 0, dropped_ = 0;
};

}  // namespace singa
