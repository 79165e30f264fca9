#include "driver/conf/job_conf.h"

#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "driver/conf/conf_lexer.h"
#include "driver/conf/conf_scanner.h"
#include "driver/conf/repeat_blocks.h"
#include "driver/conf/set_option.h"
#include "driver/plugin/load_plugins.h"
#include "singa/proto/job.pb.h"

namespace singa {
namespace {

namespace protobuf = google::protobuf;
using google::protobuf::TextFormat;

constexpr size_t kMaxBytes = size_t{16} << 20;

// Collects protobuf's errors. The scan comes first, so there should be none.
class ParseErrors : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& text) override {
    Diagnostic error;
    error.line = line + 1, error.column = column + 1, error.text = text;
    errors.push_back(std::move(error));
  }
  Diagnostics errors;
};

std::string ReadText(const std::string& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored))
    throw FileError(kExitNoInput, Escape(file), "is a folder, not a file");
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    const int code = errno;
    throw FileError(code == EACCES ? kExitNoPermission : kExitNoInput, Escape(file),
                    code ? std::strerror(code) : "cannot be opened");
  }
  // In blocks: once a large block of memory was freed, malloc keeps as much free memory for each
  // thread as long as the job runs.
  std::string text, block(1 << 16, '\0');
  errno = 0;
  while (in && text.size() <= kMaxBytes) {
    in.read(block.data(), static_cast<std::streamsize>(block.size()));
    text.append(block, 0, static_cast<size_t>(in.gcount()));
  }
  if (in.bad())
    throw FileError(kExitIo, Escape(file), StrCat("cannot be read: ", std::strerror(errno)));
  if (text.size() > kMaxBytes)
    throw FileError(kExitConfig, Escape(file), "is larger than 16 MiB, the limit of a conf");
  return text;
}

// Returns where ElementPath has put the number of a value; npos: nowhere.
size_t FindElement(const std::string& path) {
  const size_t mark = path.rfind('#');
  const bool digits = mark != std::string::npos && mark + 1 < path.size() &&
                      path.find_first_not_of("0123456789", mark + 1) == std::string::npos;
  return digits ? mark : std::string::npos;
}

// Returns "a.b" of "a.b#1".
std::string FieldOf(const std::string& path) { return path.substr(0, FindElement(path)); }

// Returns "a.b[1]" of "a.b#1".
std::string IndexedPath(const std::string& path) {
  const size_t mark = FindElement(path);
  return mark == std::string::npos ? path
                                   : StrCat(path.substr(0, mark), "[", path.substr(mark + 1), "]");
}

}  // namespace

JobConf::JobConf(const std::string& file, const std::vector<std::string>& options,
                 protobuf::Message* message)
    : JobConf(file, ReadText(file), options, message) {}

JobConf::JobConf(const std::string& file, const std::string& text,
                 const std::vector<std::string>& options, protobuf::Message* message)
    : file_(file), text_(text) {
  constexpr char kByteOrderMark[] = "\xEF\xBB\xBF";
  if (text_.rfind(kByteOrderMark, 0) == 0) text_.replace(0, 3, "   ");
  Load(options, message);
}

void JobConf::Load(const std::vector<std::string>& options, protobuf::Message* message) {
  const google::protobuf::LogSilencer silencer;
  message->Clear();
  root_.type = message->GetDescriptor();
  for (const std::string& option : options) set_paths_.push_back(SetOptionPath(option));
  if (root_.type == JobProto::descriptor()) LoadPlugins(options);
  Diagnostics findings;
  ScanConf(text_, &root_, &findings);
  for (Diagnostic& finding : findings) Keep(std::move(finding));
  if (findings.empty()) {  // the options name the file's layers
    Parse(message);
    Set(options, true, message);
    if (root_.type == JobProto::descriptor()) ExpandBlocks(static_cast<JobProto*>(message));
    Set(options, false, message);
  }
  CheckRequired();
  if (!ok()) message->Clear();
}

// Applies the options that change a `repeat`, or the others, which may name a copy's layers.
void JobConf::Set(const std::vector<std::string>& options, bool of_repeat,
                  protobuf::Message* message) {
  for (size_t i = 0; i < options.size(); ++i) {
    if (set_paths_[i].starts_with("neuralnet.repeat[") != of_repeat) continue;
    try {
      const std::string note = ApplySetOption(options[i], static_cast<int>(i), message, &root_);
      if (note.empty()) continue;
      Diagnostic diagnostic;
      diagnostic.severity = Diagnostic::kNote;
      diagnostic.set = set_paths_[i], diagnostic.text = note;
      Keep(std::move(diagnostic));
    } catch (const ConfigError& error) {
      Diagnostic diagnostic;
      diagnostic.set = error.path(), diagnostic.text = error.message();
      Keep(std::move(diagnostic));
    }
  }
}

void JobConf::ExpandBlocks(JobProto* job) {
  if (job->neuralnet().repeat_size() == 0) return;
  ConfNode* const net = root_.Find(JobProto::descriptor()->FindFieldByName("neuralnet"));
  for (const ConfigError& error : ExpandRepeats(job->mutable_neuralnet(), net))
    Add(error.Under("neuralnet"));
  NameParts(&root_);
}

// Loads plugins before anything else is checked, as the file may use what they register. Other
// errors are found when the file is read again.
void JobConf::LoadPlugins(const std::vector<std::string>& options) {
  const std::string name = "plugin";
  if (text_.find(name) == std::string::npos &&
      std::find(set_paths_.begin(), set_paths_.end(), name) == set_paths_.end())
    return;
  const auto* field = JobProto::descriptor()->FindFieldByName(name);
  ScanConf(text_, &root_, nullptr);
  JobProto job;
  for (const auto& child : root_.children)
    if (child->field == field) job.add_plugin(child->value);
  for (size_t i = 0; i < options.size(); ++i) {
    try {
      if (set_paths_[i] == name) ApplySetOption(options[i], static_cast<int>(i), &job, &root_);
    } catch (const ConfigError&) {
      continue;  // reported when all options are applied
    }
  }
  for (const auto& child : root_.children) {
    if (child->field != field || !child->whole || child->index >= job.plugin_size()) continue;
    try {
      LoadPlugin(job.plugin(child->index));
    } catch (const ConfigError& error) {
      Add(error.Under(StrCat(name, "[", child->index, "]")));
    }
  }
  const auto* type = root_.type;
  root_ = ConfNode();
  root_.type = type;
}

void JobConf::Parse(protobuf::Message* message) {
  ParseErrors errors;
  TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  parser.AllowPartialMessage(true);
  parser.SetRecursionLimit(kMaxConfDepth);
  if (parser.ParseFromString(text_, message)) {
    TakeLabels(*message, &root_);
    NameParts(&root_);
    return;
  }
  for (Diagnostic& error : errors.errors) Keep(std::move(error));
}

void JobConf::CheckRequired() {
  for (const MissingField& missing : MissingFields(root_)) {
    const std::string path = PathOf(*missing.message);
    Add(ConfigError(path.empty() ? missing.field->name() : path + "." + missing.field->name(),
                    "is required, but missing"));
  }
}

void JobConf::Add(const ConfigError& error, Diagnostic::Severity severity) {
  const std::string field = FieldOf(error.path());
  if (paths_with_error_.count(field)) return;
  if (severity == Diagnostic::kError) paths_with_error_.insert(field);
  Diagnostic diagnostic;
  diagnostic.severity = severity;
  // Finding the place takes time, so it is not done for findings that are not shown.
  if (diagnostics_.size() < kMaxFindings) diagnostic = DiagnosticOf(error, severity);
  if (IsToldOf(diagnostic)) return;
  Keep(std::move(diagnostic));
}

Diagnostic JobConf::DiagnosticOf(const ConfigError& error, Diagnostic::Severity severity) const {
  Diagnostic diagnostic;
  diagnostic.severity = severity;
  diagnostic.code = error.code();
  diagnostic.path = FieldOf(error.path());
  diagnostic.text = error.message();
  const ConfNode& node = Locate(root_, IndexedPath(error.path()));
  diagnostic.origin = OriginOf(node, diagnostic.path);
  if (node.set < 0) {
    diagnostic.line = node.line, diagnostic.column = node.column;
  } else {
    diagnostic.set = set_paths_[node.set];
    if (PathOf(node) == diagnostic.path) diagnostic.path.clear();
  }
  return diagnostic;
}

// Returns whether the same mistake is known already: a -set option may give several layers one
// wrong value, and copies of a block have its mistakes.
bool JobConf::IsToldOf(const Diagnostic& another) const {
  return std::any_of(diagnostics_.begin(), diagnostics_.end(), [&](const Diagnostic& told) {
    const bool of_option =
        !another.set.empty() && told.set == another.set && told.path == another.path;
    const bool of_copy = !another.origin.empty() && told.origin == another.origin;
    return (of_option || of_copy) && told.text == another.text && told.severity == another.severity;
  });
}

void JobConf::Keep(Diagnostic diagnostic) {
  if (diagnostic.severity == Diagnostic::kError) ++errors_;
  if (diagnostics_.size() >= kMaxFindings) {
    ++dropped_;
    return;
  }
  Insert(std::move(diagnostic), &diagnostics_);
}

ExitCode JobConf::exit_code() const {
  if (ok()) return kExitOk;
  const Diagnostic* first = nullptr;
  for (const Diagnostic& diagnostic : diagnostics_) {
    if (diagnostic.severity != Diagnostic::kError) continue;
    if (diagnostic.code == kExitConfig) return kExitConfig;
    if (!first) first = &diagnostic;
  }
  return first ? first->code : kExitConfig;
}

std::string JobConf::Render() const {
  std::string text = singa::Render(file_, text_, diagnostics_);
  if (dropped_ > 0) text += StrCat(Escape(file_), ": and ", dropped_, " more\n");
  return text;
}

std::string JobConf::Render(const ConfigError& error) const {
  return singa::Render(file_, text_, {DiagnosticOf(error, Diagnostic::kError)});
}

}  // namespace singa
