// `singa import onnx` makes a job of an ONNX model.
#include <google/protobuf/text_format.h>

#include <climits>
#include <cmath>
#include <filesystem>
#include <iostream>

#include "base/file/file_system.h"
#include "base/text/counted.h"
#include "driver/arguments/arguments.h"
#include "driver/command/subcommand.h"
#include "driver/onnx/import/job_import.h"
#include "driver/onnx/import/net_names.h"
#include "io/checkpoint/safetensors_writer.h"
#include "io/file/new_folder.h"
#include "io/format/synthetic_store.h"
#include "io/store/store.h"

namespace singa {
namespace {

constexpr const char* kImportedConf = "job.conf";
constexpr const char* kImportedValues = "model.safetensors";
constexpr const char* kImportedVocabulary = "vocabulary";
constexpr const char* kImportedText = "noise.txt";

// Returns the numbers of a flag, separated by commas; none if it is not given.
template <typename T>
std::vector<T> NumbersOf(const Arguments& args, const std::string& flag,
                         const std::string& wanted = "numbers with commas") {
  std::vector<T> numbers;
  std::string rest = args.Get(flag);
  while (args.Has(flag)) {
    const size_t comma = rest.find(',');
    numbers.push_back(args.ToNumber<T>(flag, rest.substr(0, comma), wanted));
    if (comma == std::string::npos) break;
    rest.erase(0, comma + 1);
  }
  return numbers;
}

void RequireOneOf(const Arguments& args, const std::string& flag,
                  const std::vector<std::string>& words) {
  if (!args.Has(flag)) return;
  std::string known;
  for (const std::string& word : words) {
    if (args.Get(flag) == word) return;
    known += StrCat(known.empty() ? "" : ", ", word);
  }
  args.ThrowUsage(StrCat("-", flag, " must be one of ", known, "; is ", args.Get(flag)));
}

void CheckRecords(const Arguments& args) {
  if (args.Has("backend") && !args.Has("store"))
    args.ThrowUsage("-backend needs -store, whose format it is");
  if (args.Has("labels") && !args.Has("store"))
    args.ThrowUsage("-labels needs -store, whose labels they are");
  try {
    if (args.Has("backend")) CheckBackend(args.Get("backend"));
  } catch (const ConfigError& error) {
    args.ThrowUsage("-backend: " + error.message());
  }
  std::error_code ignored;
  for (const char* flag : {"store", "labels"})
    if (args.Has(flag) && !std::filesystem::exists(args.Get(flag), ignored))
      throw FileError(kExitNoInput, args.Get(flag), "No such file or directory");
}

void CheckOperands(const Arguments& args) {
  constexpr size_t kWanted = 2;
  const std::string usage = ": singa import onnx NET.onnx DIR";
  const std::vector<std::string>& words = args.operands();
  if (words.empty()) args.ThrowUsage("the format is missing" + usage);
  if (words[0] != "onnx") args.ThrowUsage(StrCat("the format must be onnx, is ", words[0], usage));
  if (words.size() - 1 != kWanted)
    args.ThrowUsage(
        StrCat("onnx needs ", Counted(kWanted, "operand"), ", got ", words.size() - 1, usage));
}

ImportOptions ReadOptions(const Arguments& args) {
  RequireOneOf(args, "loss", {"softmax", "sigmoid", "euclidean", "none"});
  ImportOptions options;
  options.shape = NumbersOf<int64_t>(args, "shape", "sizes with commas, from 1 to 2147483647");
  for (int64_t size : options.shape)
    if (size < 1 || size > INT_MAX) args.ThrowUsage("-shape must have sizes from 1 to 2147483647");
  options.loss = args.Get("loss");
  options.mean = NumbersOf<float>(args, "mean");
  options.std = NumbersOf<float>(args, "std");
  for (const std::vector<float>* list : {&options.mean, &options.std})
    for (float value : *list)
      if (!std::isfinite(value)) args.ThrowUsage("-mean and -std must be finite numbers");
  for (float value : options.std)
    if (value == 0) args.ThrowUsage("-std must not have a 0");
  CheckRecords(args);
  options.store = args.Get("store");
  options.backend = args.Get("backend");
  options.label_path = args.Get("labels");
  return options;
}

bool ReadsText(const JobProto& job) { return job.neuralnet().layer(0).has_char_rnn_conf(); }

// Returns what the user can do about noise that the job reads in place of data; "": it reads none.
std::string NoiseAdvice(const JobProto& job, const ImportedText& text) {
  if (!text.text.empty()) return "set path, and vocab_path, to a text of yours";
  const bool noise = job.neuralnet().layer(0).store_conf().backend() == kSyntheticBackend;
  return noise ? "set backend and path of your records, and remove synthetic_conf" : "";
}

// Returns the text of job.conf, with comments for its reader. `noise`: NoiseAdvice's.
std::string ConfText(const JobProto& job, const std::string& file, const std::string& noise) {
  google::protobuf::TextFormat::Printer printer;
  printer.SetUseShortRepeatedPrimitives(true);
  std::string fields;
  printer.PrintToString(job, &fields);
  std::string text = StrCat("# proto-file: proto/job.proto\n# proto-message: singa.JobProto\n#\n",
                            "# Imported by `singa import onnx` from ", Printable(file), ".\n");
  if (!noise.empty())
    text += StrCat("# The job reads noise, from which it learns nothing: ", noise, ".\n");
  if (ReadsText(job))
    text += "# Byte n of the file at vocab_path has index n.\n";
  else
    text +=
        "# If the model's inputs were prepared outside of it, set channel_mean and channel_std.\n";
  return text + "# To train, add an updater and train_steps or train_epochs.\n" + fields;
}

void WriteWhole(FileSystem* disk, const std::string& path, const auto& write) {
  const auto file = disk->Create(path);
  write(file.get());
  file->Sync();
  file->Close();
}

void WriteBytes(FileSystem* disk, const std::string& path, const std::string& bytes) {
  WriteWhole(disk, path, [&](WritableFile* file) { file->Write(bytes.data(), bytes.size()); });
}

void WriteJob(const std::string& dir, const std::string& conf, const ImportedText& text,
              std::vector<StoredTensor> tensors) {
  PosixFileSystem disk;
  NewFolder folder(&disk, dir);
  const auto path = [&](const char* name) { return StrCat(folder.temporary(), "/", name); };
  WriteWhole(&disk, path(kImportedValues),
             [&](WritableFile* file) { WriteSafetensors(std::move(tensors), file); });
  if (!text.vocabulary.empty()) WriteBytes(&disk, path(kImportedVocabulary), text.vocabulary);
  if (!text.text.empty()) WriteBytes(&disk, path(kImportedText), text.text);
  WriteBytes(&disk, path(kImportedConf), conf);
  folder.Commit();
}

// Sets the paths of the job's own files. All are in `dir`, away from the workspace of the job that
// the model may come from.
void SetPaths(const std::string& dir, JobProto* job) {
  job->set_name(CleanName(std::filesystem::path(dir).filename().string(), "net"));
  job->mutable_cluster()->set_workspace(StrCat(dir, "/run"));
  job->add_checkpoint_path(StrCat(dir, "/", kImportedValues));
  LayerProto* const input = job->mutable_neuralnet()->mutable_layer(0);
  if (!ReadsText(*job)) return;
  CharRNNProto* const text = input->mutable_char_rnn_conf();
  text->set_vocab_path(StrCat(dir, "/", kImportedVocabulary));
  if (!text->has_path()) text->set_path(StrCat(dir, "/", kImportedText));
}

int ImportOnnx(const Arguments& args) {
  CheckOperands(args);
  const ImportOptions options = ReadOptions(args);
  const std::string &in = args.operands()[1], dir = FolderPath(args.operands()[2]);
  RequireNewFolder(dir);
  const MappedFile file(in);
  const OnnxModel model = ReadOnnxModel(file.bytes(), in);
  TensorValues values(in);
  ImportedJob imported = ImportJob(model, in, options, &values);
  SetPaths(dir, &imported.job);
  std::vector<StoredTensor> tensors;
  size_t numbers = 0;
  for (const ImportedValues& param : imported.params) {
    tensors.push_back(Stored(param.name, Shape(param.shape), param.numbers.data()));
    numbers += param.numbers.size();
  }
  const std::string noise = NoiseAdvice(imported.job, imported.text);
  WriteJob(dir, ConfText(imported.job, in, noise), imported.text, std::move(tensors));
  std::cerr << "wrote " << Printable(dir) << ": "
            << Counted(imported.job.neuralnet().layer_size(), "layer") << ", "
            << Counted(imported.params.size(), "param") << ", " << Counted(numbers, "number")
            << '\n';
  if (imported.guessed_loss)
    std::cerr << "loss: kSoftmaxLoss, as the model does not say; -loss names another\n";
  if (!noise.empty())
    std::cerr << "the job reads noise, from which it learns nothing: give -store PATH, or in "
              << Printable(dir) << "/" << kImportedConf << " " << noise << '\n';
  return kExitOk;
}

constexpr const char* kImportHelp =
    R"(usage: singa import onnx NET.onnx DIR [-loss KIND] [-shape SIZES] [-mean NUMBERS]
                         [-std NUMBERS] [-store PATH [-backend FORMAT] [-labels FILE]]

Makes the folder DIR with a job of an ONNX model: job.conf, the net as plain layers, and
model.safetensors, the values of its params. The job's workspace is DIR/run. Run the job from the
folder that this runs in.

  -loss KIND      softmax, sigmoid, euclidean or none. If not given, the loss fits the end of the
                  model: a softmax or sigmoid there becomes a part of it; else softmax
  -shape SIZES    dimensions of a record, such as 3,224,224, if the model leaves them free; for a
                  text, its time steps
  -mean NUMBERS   subtracted from each number of a record: one for all, or with commas one for
                  each channel
  -std NUMBERS    divides the difference: one for all, or with commas one for each channel
  -store PATH     records, or text, that the job reads; if not given, noise
  -backend FORMAT format of the records, as in conf/guide/data.md; detected from the content if not
                  given
  -labels FILE    labels of the records, if they are idx; found by name for MNIST's files

A layer has the name of the value that it computes. A node that no layer can compute is an error,
which lists the first 20 such nodes. External data must be in the folder of the model.
conf/guide/onnx.md lists the operators.

Exit code 65: the model is damaged, or has nodes without a layer; 66: a file is not there; 73, 74:
DIR cannot be made, or exists.
)";

SINGA_REGISTER_SUBCOMMAND(import,
                          {.place = 85,
                           .name = "import",
                           .operands = "onnx",
                           .brief = "convert an ONNX model to a job",
                           .reads = Subcommand::kItsOwn,
                           .options = {},
                           .alone = true,
                           .help = kImportHelp,
                           .run = [](const CommandLine& line) {
                             return ImportOnnx({"import",
                                                line.args,
                                                {.values = {"loss", "shape", "mean", "std", "store",
                                                            "backend", "labels"}}});
                           }});

}  // namespace
}  // namespace singa
