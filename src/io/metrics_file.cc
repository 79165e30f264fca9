#include "io/metrics_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "singa/base/error.h"

namespace singa {
namespace {

nlohmann::ordered_json ToJson(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

// Whether `line` is a row that a run would write which goes on at `first_steps`. A line that is no
// row, whoever wrote it, is none.
bool IsLater(const std::string& line, const std::vector<int64_t>& first_steps) {
  const nlohmann::json row = nlohmann::json::parse(line, nullptr, false);
  if (!row.is_object()) return false;
  const auto step = row.find("step"), group = row.find("group");
  if (step == row.end() || !step->is_number_integer()) return false;
  const bool known = group != row.end() && group->is_number_integer();
  const int64_t g = known ? group->get<int64_t>() : 0;
  if (g < 0 || g >= static_cast<int64_t>(first_steps.size())) return true;
  return step->get<int64_t>() >= first_steps[static_cast<size_t>(g)];
}

// What stays of a file: its first `bytes`, and `lines` that stand behind them.
struct Kept {
  int64_t bytes = 0;
  std::string lines;
};

Kept KeepOf(const std::string& path, const std::vector<int64_t>& first_steps) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  Kept kept;
  bool cut = false;
  while (std::getline(file, line) && !file.eof()) {
    if (IsLater(line, first_steps))
      cut = true;
    else if (cut)
      kept.lines += line + "\n";
    else
      kept.bytes += static_cast<int64_t>(line.size()) + 1;
  }
  return kept;
}

// Puts the file that is kept in the place of `path`.
void Rewrite(const std::string& path, const Kept& kept) {
  const std::string other = path + ".tmp";
  std::ifstream from(path, std::ios::binary);
  std::string begin(static_cast<size_t>(kept.bytes), '\0');
  from.read(begin.data(), kept.bytes);
  std::ofstream to(other, std::ios::binary | std::ios::trunc);
  to << begin << kept.lines;
  to.close();
  if (!to || std::rename(other.c_str(), path.c_str()) != 0)
    throw FileError(kExitIo, path, "the rows before the resumed step cannot be written anew");
}

}  // namespace

MetricsFile::MetricsFile(std::string path) : path_(std::move(path)) { Open(); }

MetricsFile::MetricsFile(std::string path, const std::vector<int64_t>& first_steps)
    : path_(std::move(path)) {
  const Kept kept = KeepOf(path_, first_steps);
  if (!kept.lines.empty()) Rewrite(path_, kept);
  Open();
  const auto size = kept.bytes + static_cast<int64_t>(kept.lines.size());
  if (ftruncate(descriptor_, size) != 0) throw FileError(kExitIo, path_, std::strerror(errno));
}

void MetricsFile::Open() {
  descriptor_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor_ < 0)
    throw FileError(errno == EACCES ? kExitNoPermission : kExitCantCreate, path_,
                    std::strerror(errno));
}

MetricsFile::~MetricsFile() { close(descriptor_); }

void MetricsFile::Write(const MetricsRow& row) {
  nlohmann::ordered_json json;
  json["time"] =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  json["phase"] = row.phase;
  json["step"] = row.step;
  json["group"] = row.group;
  json["layer"] = row.layer;
  for (const auto& [name, value] : row.values) json[name] = ToJson(value);
  if (!row.staleness.empty()) json["staleness"] = row.staleness;
  if (row.bad_records > 0) json["bad_records"] = row.bad_records;
  const std::string line =
      json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  size_t done = 0;
  while (done < line.size()) {
    const ssize_t n = write(descriptor_, line.data() + done, line.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw FileError(kExitIo, path_, std::strerror(errno));
    done += static_cast<size_t>(n);
  }
}

}  // namespace singa
