#include "io/metrics/read_rows.h"

#include <cerrno>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/file/input_file.h"
#include "io/metrics/row_number.h"

namespace singa {
namespace {

using Json = nlohmann::ordered_json;

// The members of `row` that are not scalars, or say which row it is.
bool IsScalar(const std::string& name) {
  for (const char* other : {"time", "phase", "step", "group", "layer", "host", "pid", "staleness"})
    if (name == other) return false;
  return true;
}

// Returns whether the object is a row, and sets the members that say which one.
bool ReadHead(const Json& json, MetricsRow* row, double* time) {
  if (!json.is_object()) return false;
  for (const char* name : {"time", "phase", "step", "group", "layer"})
    if (!json.contains(name)) return false;
  constexpr int64_t kMostGroups = 1 << 20;
  if (!json["time"].is_number() || !json["phase"].is_string() || !json["layer"].is_string() ||
      !json["step"].is_number_integer() || !json["group"].is_number_integer())
    return false;
  const auto group = json["group"].get<int64_t>();
  if (group < 0 || group > kMostGroups) return false;
  *time = json["time"].get<double>();
  row->phase = json["phase"].get<std::string>();
  row->layer = json["layer"].get<std::string>();
  row->step = json["step"].get<int64_t>();
  row->group = static_cast<int>(group);
  return true;
}

// The metrics of a layer come first in a line. The values of its step begin with
// samples_per_second.
void ReadScalars(const Json& json, MetricsRow* row) {
  MetricsRow::Values* to = row->phase == "process" ? &row->values : &row->metrics;
  for (const auto& [name, value] : json.items()) {
    if (!IsScalar(name)) continue;
    if (name == "samples_per_second" || name == "bad_records") to = &row->values;
    if (const auto number = RowNumber(value)) to->emplace_back(name, *number);
  }
}

}  // namespace

void ReadRows(const std::string& path, const std::function<void(const MetricsRow&, double)>& use) {
  InputFile::Open(path);  // throws if it is missing or no file
  std::ifstream file(path, std::ios::binary);
  for (std::string line; std::getline(file, line);) {
    const Json json = Json::parse(line, nullptr, false);
    MetricsRow row;
    double time = 0;
    if (json.is_discarded() || !ReadHead(json, &row, &time)) continue;
    ReadScalars(json, &row);
    use(row, time);
  }
  if (!file.eof()) ThrowInputError(path, "its rows cannot be read", errno);
}

}  // namespace singa
