#include "io/metrics_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cmath>
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

// The bytes of `path` before the first row of `first_step` or later, without an incomplete last
// line. A line that is no row, whoever wrote it, stays.
int64_t BytesToKeep(const std::string& path, int64_t first_step) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  int64_t bytes = 0;
  while (std::getline(file, line) && !file.eof()) {
    const nlohmann::json row = nlohmann::json::parse(line, nullptr, false);
    const auto step = row.is_object() ? row.find("step") : row.end();
    if (step != row.end() && step->is_number_integer() && step->get<int64_t>() >= first_step) break;
    bytes += static_cast<int64_t>(line.size()) + 1;
  }
  return bytes;
}

}  // namespace

MetricsFile::MetricsFile(std::string path, int64_t first_step) : path_(std::move(path)) {
  const int64_t keep = BytesToKeep(path_, first_step);
  descriptor_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor_ < 0)
    throw FileError(errno == EACCES ? kExitNoPermission : kExitCantCreate, path_,
                    std::strerror(errno));
  if (ftruncate(descriptor_, keep) != 0) throw FileError(kExitIo, path_, std::strerror(errno));
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
