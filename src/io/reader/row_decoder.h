// RowDecoder turns a record into a row of a feature: floats, normalised, channels last.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/store/store.h"

namespace singa {

// Each number x becomes y = (x - mean) / std. The first record of a file overrides the value. Then
// y becomes (y - channel_mean[c]) / channel_std[c], c: its channel, the index of the record's first
// dimension.
struct Normalisation {
  float mean_value = 0, std_value = 1;
  std::string mean_file = {}, std_file = {};               // "": none
  std::vector<float> channel_mean = {}, channel_std = {};  // empty: 0, 1
};

class RowDecoder {
 public:
  // `shape` is a record's, planar. A row of shape (c, h, w) is stored as (h, w, c). Reads the files
  // of `norm`: textfiles if the data is a textfile, else kvfiles. Throws DataError, FileError.
  // REQUIRES: lists of channels in `norm` are empty or have shape[0] numbers.
  RowDecoder(const std::vector<int64_t>& shape, const Normalisation& norm,
             const std::string& backend, const StoreOptions& options);

  int64_t size() const { return size_; }
  // Contents of the files of `norm`, in a row's order; empty: the values of `norm` are used.
  const std::vector<float>& mean() const { return mean_; }
  const std::vector<float>& std() const { return std_; }
  // Writes a row. Throws DataError if record `index` of `store` has not size() numbers.
  void Decode(const Sample& sample, const Store& store, int64_t index, float* row) const;

 private:
  std::vector<float> FirstRecord(const std::string& file, const std::string& backend,
                                 const StoreOptions& options) const;
  void CheckSize(const Sample& sample, const Store& store, int64_t index) const;
  void Spread(const Sample& sample, float* row) const;
  std::vector<float> OfNumbers(const std::vector<float>& of_channels) const;

  std::vector<int64_t> shape_;
  int64_t size_ = 1, channels_ = 1;
  bool scales_;  // whether the store brings pictures to the shape
  float mean_value_, std_value_;
  std::vector<float> mean_, std_;  // in the row's order; empty: the values of Normalisation
  std::vector<float> channel_mean_, channel_std_;  // one for each number of a row; empty: 0, 1
};

}  // namespace singa
