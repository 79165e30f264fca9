#include "driver/job/first_values.h"

#include "driver/facts/compare_facts.h"
#include "driver/job/trained_files.h"
#include "io/checkpoint/trained_classes.h"
#include "train/state/init_params.h"

namespace singa {

ControlMessage::Begin::FirstValues FirstValues::ToProto() const {
  ControlMessage::Begin::FirstValues proto;
  proto.set_checksum(checksum);
  proto.mutable_files()->Add(files.begin(), files.end());
  return proto;
}

FirstValues FirstValues::Of(const ControlMessage::Begin& begin) {
  const ControlMessage::Begin::FirstValues& told = begin.first_values();
  if (!told.has_checksum() || told.checksum() < 0 || told.checksum() > UINT32_MAX)
    throw PeerError("process 0 does not say what it has read of checkpoint_path");
  return {{told.files().begin(), told.files().end()}, static_cast<uint32_t>(told.checksum())};
}

FirstValues SetFirstValues(const JobProto& job, Trainer* trainer, Progress* progress) {
  WorkerModel& model = trainer->model();
  FirstValues first;
  const auto find = [&] {
    return NamedFiles(job, [&](const std::string& text) { progress->Warn(text); });
  };
  const InitReport report = UseTrained(find, [&](const std::vector<std::string>& files) {
    first.files = files;
    return InitParams(model.ctx(), files, &model.params());
  });
  first.checksum = report.checksum;
  if (!first.files.empty() && !report.initialised.empty())
    progress->Say("params that no file gives, initialised: " + JoinNames(report.initialised));
  // A net with a new last layer may have other classes, so classes are compared only if files give
  // all params.
  const std::string label = report.initialised.empty()
                                ? OtherLabel(TrainedClasses(first.files),
                                             model.readers().ClassNames(), "in checkpoint_path")
                                : "";
  if (!label.empty())
    progress->Warn(label +
                   ": classes are numbered in the order of class_names, or of the folders' names");
  if (!report.unused.empty())
    progress->Say("params of the files that the net lacks: " + JoinNames(report.unused));
  return first;
}

void SetFirstValuesAs(const FirstValues& first, int rank, Trainer* trainer) {
  WorkerModel& model = trainer->model();
  const InitReport report = InitParams(model.ctx(), first.files, &model.params());
  if (report.checksum != first.checksum)
    throw DataError(first.files.empty() ? "checkpoint_path" : JoinNames(first.files), -1,
                    StrCat("process ", rank,
                           " reads other values in it than process 0 did. Its host has "
                           "another file, or the file was replaced meanwhile"));
}

}  // namespace singa
