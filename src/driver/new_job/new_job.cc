#include "driver/new_job/new_job.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <system_error>

#include "base/file/file_system.h"
#include "base/file/temporary_name.h"
#include "base/text/counted.h"
#include "base/text/json_text.h"
#include "driver/arguments/arguments.h"
#include "driver/new_job/job_lines.h"
#include "driver/new_job/job_request.h"
#include "driver/new_job/picture_job.h"
#include "driver/new_job/table_job.h"
#include "io/file/new_file.h"
#include "io/file/new_folder.h"
#include "io/format/guess_backend.h"
#include "io/store/store.h"
#include "io/table/csv_fields.h"
#include "singa/base/error.h"

namespace singa {
namespace {

namespace fs = std::filesystem;

constexpr char kConf[] = "job.conf";
constexpr std::array kTableFlags = {"header", "label_column", "leave_out", "targets", "separator"};

// Reads what the flags say of a table.
void ReadTableFlags(const Arguments& args, JobRequest* request) {
  request->header = args.Has("header");
  request->label_column = args.Get("label_column");
  try {
    if (args.Has("separator")) request->separator = SeparatorsIn(args.Get("separator"));
  } catch (const ConfigError& error) {
    args.ThrowUsage("-separator " + error.message());
  }
  if (args.Has("leave_out")) {
    request->leave_out = ColumnNames(args.Get("leave_out"), ",");
    if (request->leave_out.empty() || std::ranges::count(request->leave_out, "") > 0)
      args.ThrowUsage(StrCat("-leave_out must name columns, such as id,name, is ",
                             FieldText(args.Get("leave_out"))));
  }
  if (!args.Has("targets")) return;
  request->targets = args.ToNumber<int64_t>("targets", args.Get("targets"));
  if (*request->targets < 0 || *request->targets > kMostJobTargets)
    args.ThrowUsage(
        StrCat("-targets must be from 0 to ", kMostJobTargets, ", is ", *request->targets));
}

// Throws if the folder of the job would be a class folder.
void RequireApart(const Arguments& args, const JobRequest& request) {
  const fs::path data = PlaceOf(request.data);
  for (fs::path dir = PlaceOf(request.dir); dir.has_relative_path(); dir = dir.parent_path())
    if (dir == data)
      args.ThrowUsage(StrCat("DIR lies in DATA, where folders are classes; name another one"));
}

// Returns whether the data are pictures. Throws if they are no table, either.
bool ArePictures(const Arguments& args, const JobRequest& request) {
  const std::string backend = GuessBackend(request.data);
  const bool folder = fs::is_directory(request.data);
  const StoreTraits& traits = TraitsOf(backend);
  if (traits.lines || (folder && traits.class_folders)) return folder;
  args.ThrowUsage(StrCat(request.data, " is ", backend,
                         "; DATA is a table, or a folder with one folder of pictures for each "
                         "class",
                         request.data.ends_with(".gz") ? "; unpack a compressed table" : ""));
}

// Makes the job in a folder that gets its name when it is complete.
NewJobText WriteJob(JobRequest request, bool pictures) {
  PosixFileSystem files;
  try {
    NewFolder folder(&files, request.dir);
    request.fresh = folder.temporary();
    NewJobText made = pictures ? PictureJob(request) : TableJob(request);
    NewFile conf(&files, StrCat(request.fresh, "/", kConf));
    conf.Write(made.conf);
    conf.Commit();
    folder.Commit();
    return made;
  } catch (const Error& error) {
    throw Error(error.code(), FinalName(error.what()));
  }
}

// Tells the user what takes long, if it does.
void TellOfWork(const JobRequest& request, bool pictures) {
  constexpr uintmax_t kLarge = uintmax_t{64} << 20;  // bytes that are read in seconds
  std::error_code ignored;
  if (pictures || fs::file_size(request.data, ignored) > kLarge)
    std::cerr << "reading " << Printable(request.data) << "\n";
}

void Tell(const JobRequest& request, const NewJobText& made) {
  const auto path = [&](const std::string& file) { return StrCat(request.dir, "/", file); };
  for (const std::string& note : made.notes) std::cerr << Printable(note) << "\n";
  std::cerr << "wrote " << Printable(path(made.train)) << ": "
            << Counted(made.train_records, "record") << "\n"
            << "wrote " << Printable(path(made.test)) << ": "
            << Counted(made.test_records, "record") << "\n"
            << "wrote " << Printable(path(kConf)) << "\n";
  const std::string conf = Printable(ShellWord(path(kConf)));
  const std::string predict = StrCat("singa predict -conf ", conf, " -checkpoint ",
                                     Printable(ShellWord(path("run/checkpoint/best"))), " ");
  std::cerr << "to train the net:       singa -conf " << conf << "\n"
            << "to judge it:            " << predict << "-report "
            << Printable(ShellWord(path(made.test))) << "\n"
            << "to predict new records: " << predict << made.usage << "\n";
}

}  // namespace

int NewJob(const std::vector<std::string>& words) {
  const Arguments args("new", {words.begin() + 1, words.end()},
                       {.values = {"label_column", "leave_out", "targets", "separator", "seed"},
                        .switches = {"header"}});
  if (args.operands().size() != 2)
    args.ThrowUsage("needs data and a folder: singa new job DATA DIR");
  JobRequest request = {.data = args.operands()[0], .dir = FolderPath(args.operands()[1])};
  if (request.data.empty()) args.ThrowUsage("the name of the data is empty");
  if (request.dir.empty()) args.ThrowUsage("the name of the folder is empty");
  for (const std::string& path : args.operands())
    if (ReplaceInvalidUtf8(path) != path)
      args.ThrowUsage(StrCat("a job cannot name \"", Printable(path), "\", which is no UTF-8"));
  request.seed = args.ToNumber<uint64_t>("seed", args.Get("seed", "0"));
  ReadTableFlags(args, &request);
  RequireNewFolder(request.dir);
  const bool pictures = ArePictures(args, request);
  if (pictures) {
    request.data = FolderPath(request.data);
    RequireApart(args, request);
    for (const char* flag : kTableFlags)
      if (args.Has(flag))
        args.ThrowUsage(StrCat("-", flag, " is for a table, not for folders of pictures"));
  }
  TellOfWork(request, pictures);
  Tell(request, WriteJob(request, pictures));
  return kExitOk;
}

}  // namespace singa
