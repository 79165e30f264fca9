// ClassRates counts decisions about classes, and gives the precision, recall and F1 of each:
//   precision = hits / predicted, recall = hits / support, F1 = 2 hits / (predicted + support).
// A rate whose denominator is 0 is not defined. Macro means leave it out, as scikit-learn's do with
// zero_division=nan. Micro means are the rates of the counts of all classes together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace singa {

class ClassRates {
 public:
  // names: of the classes; empty: they have numbers from 0.
  ClassRates(int64_t classes, const std::vector<std::string>& names);

  // Adds a decision about a class: whether the record has it, and whether the net says so.
  void Add(int64_t index, bool has, bool predicted);
  int64_t size() const { return static_cast<int64_t>(counts_.size()); }
  std::string Name(int64_t index) const;

  // Returns `"macro":{...},"micro":{...}` for a JSON object.
  std::string JsonMeans() const;
  // Returns a JSON array with an object for each class.
  std::string JsonClasses() const;
  // Returns a line for each class that occurs or is predicted, then the means. `what` heads the
  // names: "class".
  std::string Table(const std::string& what) const;

 private:
  struct Counts {
    int64_t support = 0, predicted = 0, hits = 0;
    std::optional<double> precision() const;
    std::optional<double> recall() const;
    std::optional<double> f1() const;
  };
  // A mean over the classes for which a rate is defined.
  struct Mean {
    std::optional<double> mean;
    int64_t classes = 0;
  };

  Mean MeanOf(std::optional<double> (Counts::*rate)() const) const;
  Counts Total() const;

  const std::vector<std::string> names_;
  std::vector<Counts> counts_;
};

}  // namespace singa
