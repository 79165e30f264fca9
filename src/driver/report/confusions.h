// Confusions counts for each pair of classes how many records of one are predicted as the other. It
// keeps only pairs that occur, so that many classes take little memory.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "driver/report/class_rates.h"

namespace singa {

class Confusions {
 public:
  // Adds a record.
  void Add(int32_t label, int32_t predicted) { ++records_[{label, predicted}]; }

  // Returns members of a JSON object. Up to 1000 classes: "confusion", a row for each class with a
  // count for each predicted class. Of more classes this is null, and "confusion_cells" has
  // [class, predicted class, records] for each pair that occurs.
  std::string Json(int64_t classes) const;
  // Returns the matrix. For more than 20 classes, returns the largest confusions instead. `names`
  // gives the names.
  std::string Table(const ClassRates& names) const;

 private:
  std::string Matrix(const ClassRates& names) const;
  std::string Largest(const ClassRates& names) const;
  int64_t At(int32_t label, int32_t predicted) const;

  std::map<std::pair<int32_t, int32_t>, int64_t> records_;
};

}  // namespace singa
