// RecordReader: the interface of a layer that reads records, such as an input layer on a store.
// The net, the trainer and the program find it by Layer::reader().
//
// Positions count records of the worker group's order, or steps where a layer's Stride is 1. The
// thread of the layer calls all functions.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "singa/base/api.h"
#include "singa/proto/layer.pb.h"

namespace singa {

class StoreInput;

class SINGA_API RecordReader {
 public:
  virtual ~RecordReader() = default;

  // Rows of a batch of the whole worker group that `conf`, the layer's, asks for; 0: it says none.
  // May be called before Layer::Setup, as the two functions behind it.
  virtual int64_t BatchSize(const LayerProto& conf) const;  // store_conf.batchsize, the sum
  // Makes `conf` ask for batches of `rows` rows. A layer that cannot change them does nothing.
  virtual void SetBatchSize(int32_t rows, LayerProto* conf) const;  // in store_conf, if set
  // File of the characters whose indices the outputs are; "": the outputs are no characters.
  virtual std::string VocabularyPath(const LayerProto& conf) const;

  // Where the next batch begins, >= 0. A checkpoint keeps this number. A resumed run, and a test
  // that begins again, gives it to Seek, before Layer::Open or after it.
  virtual int64_t Position() const = 0;
  virtual void Seek(int64_t position) = 0;
  // By how much each batch moves Position; 0: not known. A process that takes the place of a lost
  // one finds its worker group's next batch by the stride. Without one all processes start again.
  virtual int64_t Stride() const { return 0; }

  // Records in one pass of the worker group over its share of the store; -1: not known. May open
  // the store. Throws DataError or FileError where the store cannot be read.
  virtual int64_t CountRecords() { return -1; }
  // Names of the classes, by label; empty: the store has none. Called after Layer::Open.
  virtual std::vector<std::string> ClassNames() { return {}; }
  // File and number of the record that is row `row` of the last batch; ("", -1): not known. With
  // outputs that are time steps, row l R + r is row r of R of output l.
  virtual std::pair<std::string, int64_t> RecordOfRow(int64_t) const { return {"", -1}; }

  // Numbers of the store's records that were skipped as bad, rising.
  virtual std::vector<int64_t> BadRecords() const { return {}; }
  // Skips the records that an earlier run, or another net on the store, has found bad.
  virtual void RestoreBadRecords(const std::vector<int64_t>&) {}

  // Milliseconds that ComputeFeature has waited for records since the last call.
  virtual double TakeWaitMs() { return 0; }

  // The layer, if it is one of singa's own that read a store (a StoreInput); else null.
  virtual StoreInput* store() { return nullptr; }
};

}  // namespace singa
