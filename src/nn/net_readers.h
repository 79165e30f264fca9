// NetReaders asks and moves the record readers of a net's input layers together.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "singa/nn/net.h"

namespace singa {

class NetReaders {
 public:
  using Positions = std::vector<std::pair<std::string, int64_t>>;
  using Records = std::vector<std::pair<std::string, std::vector<int64_t>>>;

  explicit NetReaders(Net* net) : net_(net) {}

  // Returns the milliseconds that input layers waited for records since the last call.
  double TakeWaitMs();
  // Returns the next record of each reader, by layer.
  Positions positions() const;
  void Seek(const Positions& positions);
  // Moves the readers on by `steps` batches. Returns false if a layer does not tell its Stride.
  bool Skip(int64_t steps);

  // Returns the number of records in one pass over the net's stores, or -1 if it has none. Opens
  // the stores. Throws ConfigError relative to the JobProto if two stores differ.
  int64_t CountRecords();
  // Returns the names of the classes, from the first reader that has any
  // (RecordReader::ClassNames). Waits until its store is open.
  std::vector<std::string> ClassNames();
  // Returns, for each input layer that skipped bad records, its name and their numbers in rising
  // order.
  Records BadRecords() const;
  void RestoreBadRecords(const std::string& layer, const std::vector<int64_t>& records);

 private:
  Net* const net_;
};

}  // namespace singa
