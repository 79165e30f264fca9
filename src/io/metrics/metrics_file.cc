#include "io/metrics/metrics_file.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/file/input_file.h"
#include "base/text/json_text.h"
#include "io/file/new_file.h"
#include "io/file/scan_window.h"
#include "io/metrics/read_rows.h"
#include "singa/base/error.h"

namespace singa {
namespace {

nlohmann::ordered_json ToJson(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

// `time`: seconds since 1970.
std::string LineOf(const MetricsRow& row, double time) {
  nlohmann::ordered_json json;
  json["time"] = time;
  json["phase"] = row.phase;
  json["step"] = row.step;
  json["group"] = row.group;
  json["layer"] = row.layer;
  if (!row.host.empty()) {
    json["host"] = row.host;
    json["pid"] = row.pid;
  }
  for (const auto* const part : {&row.metrics, &row.values})
    for (const auto& [name, value] : *part) json[name] = ToJson(value);
  if (!row.staleness.empty()) json["staleness"] = row.staleness;
  if (row.bad_records > 0) json["bad_records"] = row.bad_records;
  return JsonText(json) + "\n";
}

// Returns whether `line` stays if the groups continue at `first_steps`. Lines of other programs
// stay. Incomplete rows, which a crash of the system leaves, do not.
bool Stays(const std::string& line, const std::vector<int64_t>& first_steps) {
  const nlohmann::json row = ParsedJson(line);
  if (row.is_discarded() && line.starts_with('{')) return false;
  if (!row.is_object()) return true;
  const auto step = row.find("step"), group = row.find("group");
  if (step == row.end() || !step->is_number_integer()) return true;
  const bool known = group != row.end() && group->is_number_integer();
  const int64_t g = known ? group->get<int64_t>() : 0;
  if (g < 0 || g >= static_cast<int64_t>(first_steps.size())) return false;
  return step->get<int64_t>() < first_steps[static_cast<size_t>(g)];
}

// A line of a file, or the start of one that is longer than all rows.
struct Line {
  ValuePlace place = {};  // with its newline
  std::string text = {};
  bool whole = true;   // `text` is all of it
  bool zeros = false;  // it has bytes that are 0
  bool ends = false;   // by a newline
};

// Reads the line at `begin`, which is in the file.
Line LineFrom(int64_t begin, const InputFile& file, ScanWindow* window) {
  Line line = {.place = {begin, 0}};
  int64_t at = begin;
  while (at < file.size() && !line.ends) {
    const std::string_view bytes = window->At(at, 1);
    const size_t size = std::min(bytes.find('\n'), bytes.size());
    const std::string_view part = bytes.substr(0, size);
    line.zeros = line.zeros || part.find('\0') != part.npos;
    line.whole = line.whole && line.text.size() + size <= size_t{kMostRowBytes};
    if (line.whole) line.text += part;
    line.ends = size < bytes.size();
    at += static_cast<int64_t>(size) + (line.ends ? 1 : 0);
  }
  line.place.size = at - begin;
  return line;
}

// The content of a file that stays: its first `bytes`, and the parts `later` after them.
struct Kept {
  int64_t bytes = 0;
  std::vector<ValuePlace> later = {};
  bool lacks_newline = false;  // at the end of the last part

  void Add(const ValuePlace& place) {
    const bool adjacent = !later.empty() && later.back().offset + later.back().size == place.offset;
    if (adjacent)
      later.back().size += place.size;
    else
      later.push_back(place);
  }
};

// A last line without a newline stays only if it is a complete JSON value.
template <typename Keeps>
Kept KeepOf(const InputFile& file, const Keeps& keeps) {
  ScanWindow window(file);
  Kept kept;
  bool cut = false;
  for (int64_t at = 0; at < file.size();) {
    const Line line = LineFrom(at, file, &window);
    at += line.place.size;
    if (!keeps(line) || (!line.ends && !(line.whole && IsJson(line.text)))) {
      cut = true;
    } else if (cut || !line.ends) {
      kept.Add(line.place);
      kept.lacks_newline = !line.ends;
    } else {
      kept.bytes = at;
    }
  }
  return kept;
}

void Copy(const InputFile& from, const ValuePlace& place, NewFile* to) {
  constexpr int64_t kPiece = 1 << 16;
  std::string piece;
  for (int64_t done = 0; done < place.size; done += kPiece) {
    piece.resize(static_cast<size_t>(std::min(kPiece, place.size - done)));
    from.ReadAt(place.offset + done, piece.data(), std::ssize(piece));
    to->Write(piece);
  }
}

// Replaces `path` by the content that stays.
void Rewrite(FileSystem* files, const std::string& path, const Kept& kept, const InputFile& from) {
  NewFile to(files, path);
  Copy(from, {0, kept.bytes}, &to);
  for (const ValuePlace& place : kept.later) Copy(from, place, &to);
  if (kept.lacks_newline) to.Write("\n");
  to.Commit();
}

template <typename Keeps>
void Open(FileSystem* files, const std::string& path, const PendingOptions& options,
          const Keeps& keeps, std::optional<PendingFile>* file) try {
  file->emplace(files, path, options);  // throws if `path` cannot be opened
  RemoveLeftOver(files, path);
  const InputFile before = InputFile::Open(path);
  const Kept kept = KeepOf(before, keeps);
  if (kept.later.empty()) return (*file)->Truncate(kept.bytes);
  Rewrite(files, path, kept, before);
  file->emplace(files, path, options);
} catch (const WriteError&) {
  throw;
} catch (const FileError& error) {  // of an input file
  throw WriteError(error.code(), path, StrCat("its rows cannot be read: ", error.what()), 0);
}

}  // namespace

MetricsFile::MetricsFile(const MetricsOptions& options) : path_(options.folder + "/metrics.jsonl") {
  Open(
      options.files, path_, options.pending,
      [&](const Line& line) {
        return !options.first_steps ||
               (!line.zeros && (!line.whole || Stays(line.text, *options.first_steps)));
      },
      &file_);
}

void MetricsFile::Write(const MetricsRows& rows) {
  const double time =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  for (const MetricsRow& row : rows) file_->Add(LineOf(row, time));
}

void MetricsFile::RequireRoom() {
  if (file_->Overflows()) ThrowWriteError(kExitIo, path_, "too many rows wait", file_->error());
}

SINGA_REGISTER_METRICS_FORMAT(jsonl, MetricsFile);

}  // namespace singa
