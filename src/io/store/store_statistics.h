// StoreStatistics describes a store's content in numbers.
#pragma once

#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "io/store/store.h"

namespace singa {

struct NumberStatistics {
  double min = 0, max = 0, mean = 0, std = 0;
};

// The numbers are those of all records.
struct StoreStatistics : NumberStatistics {
  int64_t records = 0;
  int64_t least_size = 0, most_size = 0;  // number of numbers in a record
  // The smallest and the largest size of each side of the records' shapes. Empty: a record has no
  // shape that fits, or the records' shapes have different numbers of sides.
  std::vector<int32_t> shape, most_shape;
  bool shaped = false;                    // a record has a shape that fits
  bool pictures = true;                   // all records are decoded pictures
  std::vector<std::string> classes;       // names of the labels from 0 on; empty: there are none
  std::map<int32_t, int64_t> labels;      // label -> number of records; kNoLabel: without a label
  std::vector<NumberStatistics> targets;  // of target i of all records; empty: there are none
  // The statistics of each channel over all records, as StoreProto.channel_mean counts channels:
  // the first of three sizes, or each number of a record with one size or without a shape. Empty:
  // records are of other kinds, or differ in their channels.
  std::vector<NumberStatistics> channels;
  std::vector<std::string> names;  // of the channels, by the file's header; empty: there is none
};

// Reads every record. Throws DataError, FileError.
StoreStatistics Measure(Store* store);

// Prints a table for people.
std::ostream& operator<<(std::ostream& out, const StoreStatistics& statistics);

}  // namespace singa
