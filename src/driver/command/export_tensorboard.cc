#include "driver/command/export_tensorboard.h"

#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/text/counted.h"
#include "io/file/new_file.h"
#include "io/metrics/event_files.h"
#include "io/metrics/read_rows.h"
#include "io/metrics/record_frames.h"
#include "io/metrics/row_events.h"

namespace singa {
namespace {

// Returns the names of the metrics that several layers have in rows of one phase.
std::set<std::string> SharedNamesIn(const std::string& metrics) {
  std::set<std::string> shared;
  std::map<std::pair<std::string, std::string>, std::string> layers;  // first, by phase and name
  ReadRows(metrics, [&](const MetricsRow& row, double) {
    for (const auto& [name, value] : row.metrics)
      if (layers.try_emplace({row.phase, name}, row.layer).first->second != row.layer)
        shared.insert(name);
  });
  return shared;
}

// Throws FileError if TensorBoard would read events of other files in the folder, too.
void RequireNoEvents(FileSystem* files, const std::string& folder) {
  for (const std::string& name : files->List(folder))
    if (name.find("tfevents") != std::string::npos)
      throw FileError(kExitCantCreate, folder + "/" + name,
                      "exists already; name another folder behind the workspace");
}

}  // namespace

int ExportTensorBoard(const Arguments& args) {
  const std::string& workspace = args.operands()[1];
  const std::string folder = args.operands().size() > 2 ? args.operands()[2] : workspace;
  const std::string metrics = workspace + "/metrics.jsonl";
  RowEvents events(SharedNamesIn(metrics));
  PosixFileSystem files;
  files.MakeDirectories(folder);
  RequireNoEvents(&files, folder);
  const std::string path = folder + "/" + NextEventFile(&files, folder);
  NewFile file(&files, path);
  int64_t scalars = 0;
  ReadRows(metrics, [&](const MetricsRow& row, double time) {
    const auto event = events.Of(row, time);
    if (!event) return;
    if (scalars == 0) file.Write(FrameOf(VersionEvent(time).SerializeAsString()));
    file.Write(FrameOf(event->SerializeAsString()));
    scalars += event->summary().value_size();
  });
  if (scalars == 0) throw FileError(kExitBadData, metrics, "has no row");
  file.Commit();
  std::fprintf(stderr, "%s: %s\n", Printable(path).c_str(), Counted(scalars, "scalar").c_str());
  return kExitOk;
}

}  // namespace singa
