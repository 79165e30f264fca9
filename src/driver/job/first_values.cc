#include "driver/job/first_values.h"

#include <charconv>

#include "driver/facts/compare_facts.h"
#include "driver/job/trained_files.h"
#include "io/checkpoint/trained_classes.h"
#include "train/state/init_params.h"

namespace singa {

std::vector<std::string> FirstValues::ToTexts() const {
  std::vector<std::string> texts = {std::to_string(checksum)};
  texts.insert(texts.end(), files.begin(), files.end());
  return texts;
}

FirstValues FirstValues::Of(const std::vector<std::string>& texts) {
  FirstValues first;
  const std::string number = texts.empty() ? "" : texts[0];
  const char* const end = number.data() + number.size();
  const auto [stop, error] = std::from_chars(number.data(), end, first.checksum);
  if (error != std::errc() || stop != end)
    throw PeerError("process 0 does not say what it has read of checkpoint_path");
  first.files.assign(texts.begin() + 1, texts.end());
  return first;
}

FirstValues SetFirstValues(const JobProto& job, Trainer* trainer, Progress* progress) {
  FirstValues first;
  const auto find = [&] {
    return NamedFiles(job, [&](const std::string& text) { progress->Warn(text); });
  };
  const InitReport report = UseTrained(find, [&](const std::vector<std::string>& files) {
    first.files = files;
    return InitParams(trainer->ctx(), files, &trainer->params());
  });
  first.checksum = report.checksum;
  if (!first.files.empty() && !report.initialised.empty())
    progress->Say("params that no file gives, initialised: " + JoinNames(report.initialised));
  // A net with a new last layer may have other classes.
  const std::string label = report.initialised.empty()
                                ? OtherLabel(TrainedClasses(first.files),
                                             trainer->net().ClassNames(), "in checkpoint_path")
                                : "";
  if (!label.empty()) progress->Warn(label + ": folders are numbered in the order of their names");
  if (!report.unused.empty())
    progress->Say("params of the files that the net lacks: " + JoinNames(report.unused));
  return first;
}

void SetFirstValuesAs(const FirstValues& first, int rank, Trainer* trainer) {
  const InitReport report = InitParams(trainer->ctx(), first.files, &trainer->params());
  if (report.checksum != first.checksum)
    throw DataError(first.files.empty() ? "checkpoint_path" : JoinNames(first.files), -1,
                    StrCat("process ", rank,
                           " reads other values in it than process 0 did: it was replaced "
                           "meanwhile, or is another file on that host"));
}

}  // namespace singa
