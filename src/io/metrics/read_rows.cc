#include "io/metrics/read_rows.h"

#include <cerrno>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

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
  if (json["step"].is_number_unsigned() && row->step < 0) return false;  // it has no int64_t
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

// Calls use(line) with each line of at most kMostRowBytes bytes.
template <typename Use>
void EachLine(std::istream* file, const Use& use) {
  std::vector<char> block(1 << 16);
  std::string line;
  bool too_long = false;
  const auto end_line = [&] {
    if (!too_long) use(line);
    line.clear();
    too_long = false;
  };
  while (*file) {
    file->read(block.data(), static_cast<std::streamsize>(block.size()));
    std::string_view rest(block.data(), static_cast<size_t>(file->gcount()));
    while (!rest.empty()) {
      const size_t newline = rest.find('\n');
      const std::string_view part = rest.substr(0, newline);
      too_long = too_long || line.size() + part.size() > size_t{kMostRowBytes};
      if (!too_long) line += part;
      if (newline == std::string_view::npos) break;
      end_line();
      rest.remove_prefix(newline + 1);
    }
  }
  end_line();
}

}  // namespace

void ReadRows(const std::string& path, const std::function<void(const MetricsRow&, double)>& use) {
  InputFile::Open(path);  // throws if it is missing or no file
  std::ifstream file(path, std::ios::binary);
  EachLine(&file, [&](const std::string& line) {
    const Json json = Json::parse(line, nullptr, false);
    MetricsRow row;
    double time = 0;
    if (json.is_discarded() || !ReadHead(json, &row, &time)) return;
    ReadScalars(json, &row);
    use(row, time);
  });
  if (!file.eof()) ThrowInputError(path, "its rows cannot be read", errno);
}

}  // namespace singa
