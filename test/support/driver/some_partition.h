// A choice of partition: kAuto with all that it can have.
#pragma once

#include "driver/plan/auto_partition.h"

namespace singa {

inline AutoPartition SomePartition() {
  AutoPartition some;
  some.division = {{"fc1", LayoutByUnits(4)}, {"fc \"2\"", LayoutByUnits(4)}, {"conv", {2, 2}}};
  some.workers = 4;
  some.predicted_ms = 1.5;
  some.predicted_data_ms = 3;
  some.measured_ms = 2;
  some.measured_data_ms = 4;
  some.predicted_bytes = 1000;
  some.why = "it is a test";
  some.tried["fc1"] = {2, 2};
  some.tried_ms = 5;
  some.tried_predicted_ms = 4.5;
  return some;
}

}  // namespace singa
