#include "driver/plan/plan_texts.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text/json_text.h"
#include "cluster/protocol/topology.h"

namespace singa {
namespace {

constexpr double kMostNumber = 1e18;  // larger numbers are damage

// Returns a number of workers in `object`; 0: there is none.
int CountIn(const nlohmann::json& object, const char* name) {
  const auto at = object.find(name);
  const bool good =
      at != object.end() && at->is_number_integer() && *at >= 1 && *at <= Topology::kMostRoles;
  return good ? at->get<int>() : 0;
}

// Returns -1 if there is no such number.
double NumberIn(const nlohmann::json& object, const char* name) {
  const auto at = object.find(name);
  return at != object.end() && at->is_number() ? at->get<double>() : -1;
}

nlohmann::ordered_json LayersOf(const Division& division) {
  nlohmann::ordered_json layers = nlohmann::ordered_json::array();
  for (const auto& [name, layout] : division)
    layers.push_back({{"name", name}, {"rows", layout.rows}, {"units", layout.units}});
  return layers;
}

// Returns whether `layers` is such a list.
bool ReadLayers(const nlohmann::json& layers, Division* division) {
  if (!layers.is_array()) return false;
  for (const nlohmann::json& layer : layers) {
    if (!layer.is_object() || !layer.contains("name") || !layer["name"].is_string()) return false;
    const Layout layout{CountIn(layer, "rows"), CountIn(layer, "units")};
    if (layout.rows == 0 || layout.units == 0) return false;
    (*division)[layer["name"].get<std::string>()] = layout;
  }
  return true;
}

nlohmann::ordered_json JsonOf(const PartTimes& times) {
  nlohmann::ordered_json json = {{"rest_ms", times.rest_ms}, {"spread", times.spread}};
  if (times.others.of > 0)
    json["other_programs"] = {{"cores", times.others.used}, {"of", times.others.of}};
  json["layers"] = nlohmann::ordered_json::array();
  for (const auto& [name, layer] : times.layers)
    json["layers"].push_back({{"name", name},
                              {"forward_ms", layer.forward},
                              {"backward_ms", layer.backward},
                              {"update_ms", layer.update}});
  return json;
}

std::optional<PartTimes> PartTimesOf(const nlohmann::json& json) {
  if (!json.is_object() || !json.contains("layers") || !json["layers"].is_array()) return {};
  PartTimes times;
  times.rest_ms = NumberIn(json, "rest_ms");
  times.spread = NumberIn(json, "spread");
  bool good = times.rest_ms >= 0 && times.spread >= 0;
  for (const nlohmann::json& layer : json["layers"]) {
    if (!layer.is_object() || !layer.contains("name") || !layer["name"].is_string()) return {};
    LayerTimes& of = times.layers[layer["name"].get<std::string>()];
    of.forward = NumberIn(layer, "forward_ms");
    of.backward = NumberIn(layer, "backward_ms");
    of.update = NumberIn(layer, "update_ms");
    good = good && of.forward >= 0 && of.backward >= 0 && of.update >= 0 && std::isfinite(of.sum());
  }
  if (const auto others = json.find("other_programs"); others != json.end()) {
    if (!others->is_object()) return {};
    times.others = {NumberIn(*others, "cores"), CountIn(*others, "of")};
    good = good && times.others.of > 0 && times.others.used >= 0 && times.others.used < kMostNumber;
  }
  if (!good || !std::isfinite(times.rest_ms + times.spread)) return {};
  return times;
}

}  // namespace

std::string ToText(const AutoPartition& partition) {
  nlohmann::ordered_json json;
  json["layers"] = LayersOf(partition.division);
  json["workers"] = partition.workers;
  json["predicted_ms"] = partition.predicted_ms;
  json["predicted_data_ms"] = partition.predicted_data_ms;
  if (partition.measured_ms > 0) {
    json["measured_ms"] = partition.measured_ms;
    json["measured_data_ms"] = partition.measured_data_ms;
  }
  json["predicted_bytes"] = partition.predicted_bytes;
  if (partition.tried_ms > 0)
    json["tried"] = {{"layers", LayersOf(partition.tried)},
                     {"predicted_ms", partition.tried_predicted_ms},
                     {"measured_ms", partition.tried_ms}};
  if (!partition.why.empty()) json["why"] = partition.why;
  return JsonText(json, 1) + "\n";
}

std::optional<AutoPartition> AutoPartitionOf(const std::string& text) {
  const nlohmann::json json = ParsedJson(text);
  if (!json.is_object()) return {};
  AutoPartition partition;
  partition.workers = CountIn(json, "workers");
  if (partition.workers == 0 || !json.contains("layers")) return {};
  if (!ReadLayers(json["layers"], &partition.division)) return {};
  const auto number = [&](const char* name, const nlohmann::json& object) {
    const double value = NumberIn(object, name);
    return value >= 0 && value < kMostNumber ? value : 0;
  };
  partition.predicted_ms = number("predicted_ms", json);
  partition.predicted_data_ms = number("predicted_data_ms", json);
  partition.measured_ms = number("measured_ms", json);
  partition.measured_data_ms = number("measured_data_ms", json);
  partition.predicted_bytes = static_cast<int64_t>(number("predicted_bytes", json));
  if (const auto tried = json.find("tried"); tried != json.end() && tried->is_object()) {
    partition.tried_ms = number("measured_ms", *tried);
    partition.tried_predicted_ms = number("predicted_ms", *tried);
    if (!tried->contains("layers") || !ReadLayers((*tried)["layers"], &partition.tried)) return {};
  }
  const auto why = json.find("why");
  if (why != json.end() && why->is_string()) partition.why = why->get<std::string>();
  return partition;
}

std::string ToText(const std::vector<PartTimes>& times) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const PartTimes& part : times) json.push_back(JsonOf(part));
  return JsonText(json, 1) + "\n";
}

std::optional<std::vector<PartTimes>> TimesOf(const std::string& text) {
  const nlohmann::json json = ParsedJson(text);
  if (!json.is_array()) return {};
  std::vector<PartTimes> times;
  for (const nlohmann::json& part : json) {
    std::optional<PartTimes> one = PartTimesOf(part);
    if (!one) return {};
    times.push_back(std::move(*one));
  }
  return times;
}

std::string ToText(const StepTimes& times) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const auto& [division, ms] : times)
    json.push_back({{"layers", LayersOf(division)}, {"step_ms", ms}});
  return JsonText(json, 1) + "\n";
}

std::optional<StepTimes> StepTimesOf(const std::string& text) {
  const nlohmann::json json = ParsedJson(text);
  if (!json.is_array()) return {};
  StepTimes times;
  for (const nlohmann::json& plan : json) {
    Division division;
    if (!plan.is_object() || !plan.contains("layers") || !ReadLayers(plan["layers"], &division))
      return {};
    const double ms = NumberIn(plan, "step_ms");
    if (!(ms > 0 && ms < kMostNumber)) return {};
    times[division] = ms;
  }
  return times;
}

std::string ErrorsText(const std::vector<double>& errors) {
  return JsonText(nlohmann::json(errors)) + "\n";
}

std::optional<std::vector<double>> ErrorsOf(const std::string& text) {
  const nlohmann::json json = ParsedJson(text);
  if (!json.is_array() || std::ssize(json) > kMostErrors) return {};
  std::vector<double> errors;
  for (const nlohmann::json& number : json) {
    const double error = number.is_number() ? number.get<double>() : -2;
    if (!(error > -1 && std::isfinite(error))) return {};  // both times are above 0
    errors.push_back(error);
  }
  return errors;
}

}  // namespace singa
