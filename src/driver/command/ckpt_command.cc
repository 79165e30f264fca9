#include "driver/command/ckpt_command.h"

#include <sys/stat.h>

#include <cstdio>
#include <ctime>
#include <filesystem>
#include <iostream>

#include "base/text/counted.h"
#include "base/text/edit_distance.h"
#include "base/text/formatted.h"
#include "driver/arguments/arguments.h"
#include "driver/command/ckpt_files.h"
#include "driver/command/subcommand.h"
#include "driver/job/trained_files.h"
#include "io/checkpoint/checkpoint.h"
#include "io/checkpoint/checkpoint_names.h"
#include "io/checkpoint/find_checkpoint.h"
#include "io/checkpoint/finite_params.h"
#include "io/checkpoint/params_file.h"
#include "io/checkpoint/retention.h"

namespace singa {
namespace {

namespace fs = std::filesystem;

std::string TimeOf(const std::string& file) {
  struct stat status;
  std::tm local{};
  if (::stat(file.c_str(), &status) != 0 || !::localtime_r(&status.st_mtime, &local)) return "?";
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &local);
  return text;
}

int64_t BytesIn(const std::string& dir) {
  int64_t bytes = 0;
  for (const char* name : {kModelFile, kStateFile, kManifestFile}) {
    std::error_code error;
    const auto size = fs::file_size(dir + "/" + name, error);
    if (!error) bytes += static_cast<int64_t>(size);
  }
  return bytes;
}

void PrintRow(const std::string& step, const std::string& time, const std::string& mb,
              const std::string& params, const std::string& check) {
  std::printf("%-12s %-19s %12s %14s  %s\n", step.c_str(), time.c_str(), mb.c_str(), params.c_str(),
              check.c_str());
}

std::string Megabytes(int64_t bytes) {
  return Formatted(static_cast<double>(bytes) / 1e6, "%.1f MB");
}

int64_t NumbersIn(const Safetensors& tensors) {
  int64_t numbers = 0;
  for (const StoredTensor& tensor : tensors.tensors()) numbers += tensor.shape.size();
  return numbers;
}

// Prints the line of a file, which has no step and no checksums.
int ListFile(const std::string& path) {
  const ParamsFile file = LoadParams(path);
  int64_t numbers = 0;
  for (const auto& [name, entry] : file.params()) numbers += entry.shape.size();
  PrintRow("step", "time", "size", "params", "check");
  PrintRow("-", TimeOf(path), Megabytes(static_cast<int64_t>(fs::file_size(path))),
           std::to_string(numbers), "well formed");
  return kExitOk;
}

int List(const std::string& path) {
  const TrainedPath found = FindTrainedPath(path);
  if (found.kind == TrainedPath::kFile) return ListFile(found.path);
  const std::vector<CheckpointEntry> entries = FindCheckpoints(path);
  const fs::path folder = fs::path(entries[0].dir).lexically_normal().parent_path();
  const auto best = BestStep(folder.parent_path().string());
  PrintRow("step", "time", "size", "params", "check");
  for (const CheckpointEntry& entry : entries) {
    std::string step = fs::path(entry.dir).lexically_normal().filename().string(), params = "?",
                check;
    try {
      const auto checkpoint = LoadCheckpoint(entry.dir);
      step = std::to_string(checkpoint->step());
      params = std::to_string(NumbersIn(checkpoint->params()));
      check = best == checkpoint->step() ? "ok, best" : "ok";
    } catch (const FileError&) {
      if (!fs::exists(entry.dir)) continue;  // its job has just removed it
      throw;
    } catch (const NewerFormatError& error) {
      check = "newer format";
      std::cerr << error.what() << '\n';
    } catch (const DataError& error) {
      if (!fs::exists(entry.dir)) continue;
      if (const auto n = StepOf(step)) step = std::to_string(*n);
      check = "DAMAGED";
      std::cerr << error.what() << '\n';
    }
    PrintRow(step, TimeOf(entry.dir + "/" + kManifestFile), Megabytes(BytesIn(entry.dir)), params,
             check);
  }
  return kExitOk;
}

// Returns a line for each param of a checkpoint that is not finite. REQUIRES: the checkpoint was
// verified; its checksums are not checked again.
std::vector<std::string> NotFiniteIn(const std::string& path) {
  std::vector<std::string> lines;
  for (const std::string& line : NotFinite(LoadParams(path + "/" + kModelFile)))
    lines.push_back(StrCat(path, ": ", line));
  return lines;
}

int Verify(const std::string& path) {
  if (FindTrainedPath(path).kind == TrainedPath::kFile) {
    const ParamsFile file = LoadParams(path);
    RequireFinite(file);
    std::cout << file.path() << ": well formed, " << Counted(file.params().size(), "param");
    std::cout << (file.kind() == ParamsFile::Kind::kCheckpoint ? "" : " (it holds no checksums)")
              << '\n';
    return kExitOk;
  }
  int code = kExitOk;
  for (const CheckpointEntry& entry : FindCheckpoints(path)) {
    const TrainedFilesMark before(entry.dir);
    std::vector<std::string> damage;
    try {
      damage = VerifyCheckpoint(entry.dir);
      if (damage.empty()) damage = NotFiniteIn(entry.dir);
    } catch (const Error&) {
      if (!before.Changed()) throw;
    }
    if (before.Changed()) continue;  // its trainer has just removed it
    if (damage.empty()) std::cout << entry.dir << ": intact\n";
    for (const std::string& line : damage) std::cout << line << '\n';
    if (!damage.empty()) code = kExitBadData;
  }
  return code;
}

}  // namespace

int CkptCommand(const std::vector<std::string>& args) {
  if (args.empty()) throw UsageError("ckpt", "singa ckpt needs one of ls, verify, export, import");
  const std::string command = "ckpt " + args[0];
  const std::vector<std::string> rest(args.begin() + 1, args.end());
  if (args[0] == "ls") return List(Arguments(command, rest, {}).Operands("PATH")[0]);
  if (args[0] == "verify") return Verify(Arguments(command, rest, {}).Operands("PATH")[0]);
  if (args[0] == "export")
    return ExportParams(
        {command,
         rest,
         {.values = {"format", "map", "like", "conf"}, .repeated = {"set", "plugin"}}});
  if (args[0] == "import")
    return ImportParams(
        {command, rest, {.values = {"conf", "map"}, .repeated = {"set", "plugin"}}});
  throw UsageError("ckpt", StrCat("no command singa ", command,
                                  DidYouMeanOneOf(args[0], {"ls", "verify", "export", "import"})));
}

namespace {

constexpr const char* kCkptHelp = R"(usage: singa ckpt ls PATH       list the checkpoints
       singa ckpt verify PATH   check all checksums, and look for values that are nan or inf
       singa ckpt export [-format safetensors|blobprotos] [-map FILE]
                         [-like FILE.safetensors [-conf JOB [-set PATH=VALUE]...]] PATH OUT
                                write the parameters as one file
       singa ckpt import IN.safetensors DIR -conf JOB [-map FILE] [-set PATH=VALUE]...
                                turn another program's parameters into a checkpoint for the job

PATH is a workspace, its folder of checkpoints, one checkpoint's folder, a .safetensors file, or a
file of SINGA 0.3. From several checkpoints, export takes the newest that is intact.

import writes the folder DIR, which checkpoint_path and -checkpoint take. Parameters match by name. A
shape may differ in dimensions of size 1, and in merged neighbouring dimensions: (64, 3, 7, 7) is
(64, 147). The weight of a layer with transpose: true is transposed if the file has it the other way
round. A square one follows the other weights of the file. Shapes that do not fit, and names of the
map that the file lacks, are errors: all are listed, and nothing is written. Parameters that only the
file or only the net has are named.

A line of the map is

  NAME-IN-FILE NAME-IN-NET [SHAPE] [transpose]

SHAPE, such as 64,3,7,7, is the shape in the file. `transpose` says that the file has the transposed
matrix. "#" begins a comment. Names that no line has stay as they are.

export -like undoes an import: OUT gets the names of FILE, by the map, its shapes, and its order of
tensors. -conf JOB is the job of the import, if import transposed weights for it; without -conf,
export transposes only by the map. FILE's tensors without floating-point numbers are copied. Numbers
are float32. Params that FILE lacks, tensors that no param becomes, and shapes that do not fit are
errors: all are listed, and nothing is written.

Exit code 0: sound, or listed by ls, which marks what is damaged; 65: damaged, or with values that
are nan or inf, which export and import do not write, or of other names or shapes than the net has;
66: missing.
)";

SINGA_REGISTER_SUBCOMMAND(
    ckpt, {.place = 60,
           .name = "ckpt",
           .operands = "",
           .brief = "ls, verify, export, import: list, verify, export and import checkpoints",
           .reads = Subcommand::kItsOwn,
           .options = {},
           .alone = true,
           .help = kCkptHelp,
           .run = [](const CommandLine& line) { return CkptCommand(line.args); }});

}  // namespace

}  // namespace singa
