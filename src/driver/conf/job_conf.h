// A file of settings in protobuf's text format (job.conf, singa.conf), the -set options that go
// over it, and what is found wrong with either, each with its place.
#pragma once

#include <google/protobuf/message.h>

#include <set>
#include <string>
#include <vector>

#include "driver/conf/conf_tree.h"
#include "driver/conf/diagnostic.h"

namespace singa {

class JobConf {
 public:
  // Reads `file` into `message`, then applies `options` ("path=value", "path+=value") in order.
  // Mistakes are diagnostics, and leave `message` empty.
  // Throws FileError: the file cannot be read, or is larger than 16 MiB.
  JobConf(const std::string& file, const std::vector<std::string>& options,
          google::protobuf::Message* message);
  // The same for a file that holds `text`.
  JobConf(const std::string& file, const std::string& text, const std::vector<std::string>& options,
          google::protobuf::Message* message);

  // Adds a mistake or a warning at the place of its path. One about a path that has an error
  // already is dropped.
  void Add(const ConfigError& error, Diagnostic::Severity severity = Diagnostic::kError);

  bool ok() const { return errors_ == 0; }  // there may be warnings
  // kExitConfig, or that of the first error where none has that; kExitOk without errors.
  ExitCode exit_code() const;
  // In order of place.
  const Diagnostics& diagnostics() const { return diagnostics_; }
  // All of them, as the user sees them.
  std::string Render() const;
  // One error, without keeping it: for what goes wrong after the check.
  std::string Render(const ConfigError& error) const;

 private:
  void Load(const std::vector<std::string>& options, google::protobuf::Message* message);
  void LoadPlugins(const std::vector<std::string>& options);
  void Parse(google::protobuf::Message* message);
  void Set(const std::vector<std::string>& options, google::protobuf::Message* message);
  void CheckRequired();
  bool IsToldOf(const Diagnostic& another) const;
  void Keep(Diagnostic diagnostic);
  Diagnostic Place(const ConfigError& error, Diagnostic::Severity severity) const;

  std::string file_, text_;
  ConfNode root_;
  std::vector<std::string> set_paths_;  // of the options
  Diagnostics diagnostics_;
  std::set<std::string> paths_with_error_;
  size_t errors_ = 0, dropped_ = 0;
};

}  // namespace singa
