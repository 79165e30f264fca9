// Calibration compares the best probability of each record with the share of records whose best
// class is right. The expected calibration error is the mean difference over bins, weighted by
// their records: Guo et al., On Calibration of Modern Neural Networks, arXiv:1706.04599,
// equation 3.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace singa {

class Calibration {
 public:
  // Adds a record: its best probability, and whether its best class is right.
  void Add(float probability, bool right);
  // Returns the error; none: there is no record.
  std::optional<double> ExpectedError() const;
  // Returns a JSON array with an object for each bin.
  std::string Json() const;
  // Returns a line for each bin that has records.
  std::string Table() const;

 private:
  static constexpr int kBins = 15;  // bin i has the probabilities in (i / 15, (i + 1) / 15]

  struct Bin {
    int64_t records = 0, right = 0;
    double probability = 0;  // sum
  };

  std::array<Bin, kBins> bins_;
};

}  // namespace singa
