// ServePredictions runs `singa predict -serve`.
#pragma once

#include <string>

#include "driver/http/http_place.h"
#include "driver/predict/predict_request.h"
#include "io/vocabulary.h"
#include "singa/driver/model.h"

namespace singa {

inline constexpr int kServePort = 8080;  // if -port is not given

struct ServedModel {
  const Model& model;
  const PredictRequest& request;
  const Vocabulary* vocabulary;  // of a net that reads a text; else null
  std::string name;              // of the job
};

// Answers requests until a signal asks to end.
void ServePredictions(const ServedModel& served, HttpPlace* place);

}  // namespace singa
