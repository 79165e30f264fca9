#include "driver/command/ckpt_files.h"

#include <climits>
#include <filesystem>
#include <functional>
#include <iostream>
#include <numeric>
#include <optional>
#include <set>

#include "base/file/file_system.h"
#include "base/file/sha256.h"
#include "base/file/unfinished_file.h"
#include "base/text/counted.h"
#include "base/text/edit_distance.h"
#include "driver/command/like_file.h"
#include "driver/command/moved_params.h"
#include "driver/conf/check_job.h"
#include "driver/job/conf_fields.h"
#include "driver/version.h"
#include "driver/workspace/progress.h"
#include "io/checkpoint/blob_protos.h"
#include "io/checkpoint/checkpoint_writer.h"
#include "io/checkpoint/finite_params.h"
#include "io/checkpoint/json_text.h"
#include "io/checkpoint/mapped_file.h"
#include "io/checkpoint/safetensors.h"
#include "io/checkpoint/safetensors_writer.h"
#include "io/checkpoint/shape_fit.h"
#include "io/file/new_file.h"
#include "io/file/new_folder.h"
#include "nn/plan/net_builder.h"

namespace singa {
namespace {

namespace fs = std::filesystem;

MovedParams MoverOf(const Arguments& args) {
  if (!args.Has("map")) return {"", {}};
  return {args.Get("map"), ReadNameMap(args.Get("map"))};
}

// Returns "a, b, c", and how many more there are.
std::string FirstNames(std::vector<std::string> names) {
  constexpr size_t kMost = 20;
  const size_t more = names.size() > kMost ? names.size() - kMost : 0;
  names.resize(names.size() - more);
  return Printable(JoinNames(names)) + (more > 0 ? StrCat(" and ", more, " more") : "");
}

void TellNames(const std::string& what, const std::vector<std::string>& names) {
  if (!names.empty()) std::cerr << what << ": " << FirstNames(names) << '\n';
}

void TellLeftOut(const ParamsFile& params) {
  TellNames("left out, not of a floating-point type", params.left_out());
}

void WriteBlobs(const ParamsFile& params, WritableFile* file) {
  for (const auto& [name, entry] : params.params())
    WriteBlob("0#" + name, entry.version, entry.shape, entry.values, file);
}

// Returns whether OUT is to be a file of SINGA 0.3. Throws UsageError for flags that do not fit.
bool AsksForBlobProtos(const Arguments& args) {
  const std::string format = args.Get("format", "safetensors");
  if (format != "safetensors" && format != "blobprotos")
    args.ThrowUsage(StrCat("-format must be safetensors or blobprotos, is \"", format, "\""));
  if (format == "blobprotos" && args.Has("map"))
    args.ThrowUsage("-map is for safetensors; SINGA 0.3 reads the net's names");
  if (format == "blobprotos" && args.Has("like"))
    args.ThrowUsage("-like is for safetensors; SINGA 0.3 reads the net's shapes");
  if (args.Has("conf") && !args.Has("like"))
    args.ThrowUsage("-conf is for -like: it says which weights are transposed");
  for (const char* flag : {"set", "plugin"})
    if (args.Has(flag) && !args.Has("conf")) args.ThrowUsage(StrCat("-", flag, " needs -conf"));
  if (format != "blobprotos" && !args.Operands("PATH OUT")[1].ends_with(".safetensors"))
    args.ThrowUsage(
        StrCat("the file to write must end with .safetensors, is ", args.operands()[1]));
  return format == "blobprotos";
}

size_t NumbersIn(const ParamsFile& params) {
  return std::accumulate(
      params.params().begin(), params.params().end(), size_t{0},
      [](size_t sum, const auto& item) { return sum + item.second.values.size(); });
}

// Returns the params of the net that the job trains or, if it trains none, tests.
ParamTable ParamsOf(const JobProto& job) {
  ParamTable params;
  NetOptions options;
  options.phase = Trains(job, JobUse::kEither) ? kTrain : kTest;
  BuildNet(job.neuralnet(), options, &params);
  return params;
}

// Returns the tensors of the net's params, in its names and shapes. Adds the names of others to
// `unused`, and those of matrices that it transposes to `turned`.
std::vector<StoredTensor> FitToNet(std::vector<StoredTensor> tensors, const ParamTable& params,
                                   MovedParams* mover, std::vector<std::string>* unused,
                                   std::vector<std::string>* turned) {
  std::vector<StoredTensor> fitting;
  std::vector<ParamShapes> shapes;
  for (StoredTensor& tensor : tensors) {
    const Param* const param = params.Find(tensor.name);
    if (!param) {
      unused->push_back(tensor.name);
      continue;
    }
    const bool may_turn = param->transposed() && !mover->IsTransposed(tensor.name);
    shapes.push_back({tensor.shape, param->shape(), may_turn});
    fitting.push_back(std::move(tensor));
  }
  const std::vector<ShapeFit> fits = FitsOf(shapes);
  for (size_t i = 0; i < fits.size(); ++i) {
    const Shape& in_net = shapes[i].in_net;
    if (fits[i] == ShapeFit::kNone)
      mover->AddProblem(StrCat("param ", Quote(fitting[i].name), " has the shape ",
                               fitting[i].shape.ToString(), " here, in the net ",
                               in_net.ToString()));
    if (fits[i] == ShapeFit::kTransposed) {
      turned->push_back(fitting[i].name);
      fitting[i].shape = {in_net[1], in_net[0]};
      fitting[i] = mover->Transposed(fitting[i]);
    }
    fitting[i].shape = in_net;
  }
  return fitting;
}

int ImportFor(const JobProto& job, const Arguments& args) {
  const std::string &in = args.operands()[0], dir = FolderPath(args.operands()[1]);
  RequireNewFolder(dir);
  const ParamsFile file = LoadParams(in);
  if (file.kind() == ParamsFile::Kind::kBlobProtos)
    throw DataError(in, -1, "is a file of SINGA 0.3, which checkpoint_path reads without import");
  RequireFinite(file);
  const ParamTable params = ParamsOf(job);
  MovedParams mover = MoverOf(args);
  std::vector<std::string> unused, turned, missing;
  CheckpointContent content;
  content.params = FitToNet(mover.ToNet(file), params, &mover, &unused, &turned);
  std::set<std::string> given;
  for (const StoredTensor& tensor : content.params) given.insert(tensor.name);
  for (const auto& param : params.params())
    if (!given.contains(param->name())) missing.push_back(param->name());
  if (given.empty())
    mover.AddProblem(StrCat("no param is one of the net's: it has ", FirstNames(unused),
                            ", the net ", FirstNames(missing)));
  mover.ThrowProblems(in);

  content.conf = FieldsOf(job);
  content.conf_sha256 = Sha256Hex(job.ShortDebugString());
  content.run["version"] = std::string(kSingaVersion);
  PosixFileSystem disk;
  WriteCheckpointFolder(disk, dir, content);
  TellLeftOut(file);
  TellNames("transposed, as their layers say", turned);
  TellNames("not in the net", unused);
  TellNames("not in the file, so they start as the job says", missing);
  std::cerr << "wrote " << dir << ": " << Counted(content.params.size(), "param") << '\n';
  return kExitOk;
}

// Writes a whole file at `out`, by `write`, or leaves what is there.
void WriteWholeFile(const std::string& out, const std::function<void(WritableFile*)>& write) {
  PosixFileSystem disk;
  const std::string target = TargetOf(out), fresh = TemporaryName(target);
  const UnfinishedFile unfinished(fresh);
  try {
    const auto file = disk.Create(fresh);
    write(file.get());
    file->Sync();
    file->Close();
    disk.Rename(fresh, target);
  } catch (...) {
    std::error_code ignored;
    fs::remove(fresh, ignored);
    throw;
  }
}

// Writes params by the map, and like the file that -like names. `job`: of -conf; may be null.
void ExportTensors(const ParamsFile& params, const JobProto* job, const Arguments& args) {
  MovedParams mover = MoverOf(args);
  std::vector<StoredTensor> tensors = mover.ToFile(params);
  std::optional<SafetensorsFile> like;
  std::vector<std::string> turned;
  if (args.Has("like")) {
    like.emplace(MappedFile(args.Get("like")));
    const ParamTable net = job ? ParamsOf(*job) : ParamTable();
    tensors = LikeFile(std::move(tensors), like->view(), job ? &net : nullptr, &mover, &turned);
  }
  mover.ThrowProblems(args.operands()[0]);
  const TensorOrder order = like ? TensorOrder::kAsGiven : TensorOrder::kByName;
  WriteWholeFile(args.operands()[1],
                 [&](WritableFile* file) { WriteSafetensors(std::move(tensors), file, order); });
  TellNames("transposed, as their layers say", turned);
}

int ExportFor(const JobProto* job, const Arguments& args, bool as_blob_protos) {
  const std::string &path = args.Operands("PATH OUT")[0], &out = args.operands()[1];
  const ParamsFile params = LoadParams(path);
  RequireFinite(params);
  const size_t numbers = NumbersIn(params);
  if (as_blob_protos && numbers > INT_MAX / sizeof(float) - (1 << 20))
    throw Error(kExitUsage, StrCat(path, ": ", numbers * sizeof(float),
                                   " bytes of params; a blobprotos file holds less than 2 GiB"));
  if (as_blob_protos)
    WriteWholeFile(out, [&](WritableFile* file) { WriteBlobs(params, file); });
  else
    ExportTensors(params, job, args);
  TellLeftOut(params);
  if (params.path() != path) std::cerr << "params from " << Printable(params.path()) << '\n';
  std::cerr << "wrote " << out << ": " << Counted(params.params().size(), "param") << ", "
            << Counted(numbers, "number") << "\n";
  return kExitOk;
}

}  // namespace

int ExportParams(const Arguments& args) {
  const bool as_blob_protos = AsksForBlobProtos(args);
  if (!args.Has("conf")) return ExportFor(nullptr, args, as_blob_protos);
  return WithJob(args.Get("conf"), args.Settings(), {},
                 [&](const JobProto& job) { return ExportFor(&job, args, as_blob_protos); });
}

int ImportParams(const Arguments& args) {
  args.Operands("IN.safetensors DIR");
  if (!args.Has("conf"))
    args.ThrowUsage("-conf, the job whose net takes the parameters, is missing");
  return WithJob(args.Get("conf"), args.Settings(), {},
                 [&](const JobProto& job) { return ImportFor(job, args); });
}

}  // namespace singa
