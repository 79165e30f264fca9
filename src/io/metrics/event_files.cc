#include "io/metrics/event_files.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <string_view>

#include "base/file/input_file.h"
#include "base/text/parse_number.h"
#include "io/file/new_file.h"
#include "io/metrics/event_head.h"
#include "io/metrics/record_frames.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

constexpr std::string_view kNameBegin = "events.out.tfevents.", kNameEnd = ".singa";
constexpr size_t kTimeDigits = 10;

// Returns the number in the name of an event file; -1: it is no name of one.
int64_t TimeInName(std::string_view name) {
  if (name.size() != kNameBegin.size() + kTimeDigits + kNameEnd.size() ||
      !name.starts_with(kNameBegin) || !name.ends_with(kNameEnd))
    return -1;
  return ParseNumber<int64_t>(name.substr(kNameBegin.size(), kTimeDigits)).value_or(-1);
}

bool EventStays(const EventHead& event, const std::vector<int64_t>& first_steps) {
  if (!event.has_rows) return true;
  if (event.group < 0 || event.group >= static_cast<int64_t>(first_steps.size())) return false;
  return event.step < first_steps[static_cast<size_t>(event.group)];
}

// The records of a file that stay.
struct KeptEvents {
  int64_t begin = 0;   // bytes of those before the first that does not
  bool later = false;  // others stay behind it
  bool rows = false;   // some have rows
};

// Calls `use` with each record that stays.
template <typename Use>
KeptEvents ReadKept(const InputFile& file, const std::vector<int64_t>& first_steps,
                    const Use& use) {
  KeptEvents kept;
  bool cut = false;
  FrameReader reader(&file);
  for (std::string record; reader.Next(&record);) {
    const std::optional<EventHead> head = HeadOf(record);
    if (!head) break;
    if (!EventStays(*head, first_steps)) {
      cut = true;
      continue;
    }
    use(record);
    kept.rows |= head->has_rows;
    if (cut)
      kept.later = true;
    else
      kept.begin = reader.position();
  }
  return kept;
}

void CutFile(FileSystem* files, const std::string& path, const std::vector<int64_t>& first_steps) {
  RemoveLeftOver(files, path);
  const auto appended = files->Append(path);  // throws if `path` is a link
  const InputFile file = InputFile::Open(path);
  const KeptEvents kept = ReadKept(file, first_steps, [](const std::string&) {});
  if (!kept.rows) return files->RemoveTree(path);
  if (kept.later) {
    NewFile to(files, path);
    ReadKept(file, first_steps, [&](const std::string& record) { to.Write(FrameOf(record)); });
    return to.Commit();
  }
  if (kept.begin == file.size()) return;
  appended->Truncate(kept.begin);
  appended->Sync();
}

}  // namespace

std::vector<std::string> ListEventFiles(FileSystem* files, const std::string& folder) {
  std::vector<std::string> names;
  for (const std::string& name : files->List(folder))
    if (TimeInName(name) >= 0) names.push_back(name);
  return names;
}

std::string NextEventFile(FileSystem* files, const std::string& folder) {
  using std::chrono::system_clock;
  int64_t number =
      std::chrono::duration_cast<std::chrono::seconds>(system_clock::now().time_since_epoch())
          .count();
  for (const std::string& name : ListEventFiles(files, folder))
    number = std::max(number, TimeInName(name) + 1);
  char digits[24];
  std::snprintf(digits, sizeof digits, "%010lld", static_cast<long long>(number));
  return StrCat(kNameBegin, digits, kNameEnd);
}

void CutEventFiles(FileSystem* files, const std::string& folder,
                   const std::vector<int64_t>& first_steps) {
  const std::vector<std::string> names = ListEventFiles(files, folder);
  if (names.empty()) return;
  for (const std::string& name : names) CutFile(files, folder + "/" + name, first_steps);
  files->SyncDirectory(folder);
}

}  // namespace singa
