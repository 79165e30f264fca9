// These functions are shared by tests of readers.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "io/reader/batch_reader.h"

namespace singa {

// Returns the labels of the reader's next batches of `rows` records of two numbers.
inline std::vector<int32_t> Labels(BatchReader* reader, int64_t rows, int batches = 1) {
  std::vector<int32_t> all, labels(rows);
  std::vector<float> data(rows * 2);
  for (int b = 0; b < batches; ++b) {
    reader->Next(Context{}, data.data(), labels.data());
    all.insert(all.end(), labels.begin(), labels.end());
  }
  return all;
}

// Expects that two readers which share shuffled batches of four read the same 30 batches as one
// reader.
inline void ExpectTwoReadersReadAsOne(ReaderOptions options) {
  options.order.shuffle = true;
  options.batch = options.rows = 4;
  BatchReader whole(options);
  options.rows = 3;
  BatchReader first(options);
  options.first = 3;
  options.rows = 1;
  BatchReader second(options);
  for (int batch = 0; batch < 30; ++batch) {
    auto parts = Labels(&first, 3);
    parts.push_back(Labels(&second, 1)[0]);
    EXPECT_EQ(parts, Labels(&whole, 4)) << batch;
  }
}

}  // namespace singa
