// RecordReader is the interface of a layer that reads records, such as an input layer on a store.
// The net, the trainer and the program get it from Layer::reader().
//
// Positions count records in the worker group's order; if a layer's Stride is 1, they count
// batches. The thread of the layer calls all functions.
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

  // Returns the rows of the whole worker group's batch that the layer's `conf` asks for; 0: it does
  // not say. This and the next two functions may be called before Layer::Setup.
  virtual int64_t BatchSize(const LayerProto& conf) const;  // store_conf.batchsize, the sum
  // Makes `conf` ask for batches of `rows` rows. Does nothing if the layer cannot change them.
  virtual void SetBatchSize(int32_t rows, LayerProto* conf) const;  // in store_conf, if it is set
  // Returns the file that lists the characters, if the outputs are indices of characters; else "".
  virtual std::string VocabularyPath(const LayerProto& conf) const;

  // Returns the position where the next batch begins, >= 0. A checkpoint stores it. A resumed run
  // passes it to Seek, as does a test that begins again, before or after Layer::Open.
  virtual int64_t Position() const = 0;
  virtual void Seek(int64_t position) = 0;
  // Returns by how much each batch increases Position; 0: not known. A process that replaces a lost
  // one finds its group's next batch by the stride. If it is not known, all processes start again.
  virtual int64_t Stride() const { return 0; }

  // Returns the records in one pass of the worker group over its share of the store; -1: not known.
  // May open the store. Throws DataError or FileError if it cannot be read.
  virtual int64_t CountRecords() { return -1; }
  // Returns the largest number that the outputs have, if they are indices of characters; -1: not
  // known. Opens the text as CountRecords does.
  virtual int64_t LargestIndex() { return -1; }
  // Returns the names of the classes, by label; empty: the store has none. Called after
  // Layer::Open.
  virtual std::vector<std::string> ClassNames() { return {}; }
  // Returns file and number of the record in row `row` of the last batch; ("", -1): not known. If
  // outputs are time steps of R rows, row l R + r is row r of output l.
  virtual std::pair<std::string, int64_t> RecordOfRow(int64_t) const { return {"", -1}; }

  // Returns the numbers of the store's records that were skipped as bad, in rising order.
  virtual std::vector<int64_t> BadRecords() const { return {}; }
  // Skips the records that an earlier run, or another net on the same store, found bad.
  virtual void RestoreBadRecords(const std::vector<int64_t>&) {}

  // Returns the milliseconds that ComputeFeature waited for records since the last call.
  virtual double TakeWaitMs() { return 0; }

  // Returns the layer if it is a StoreInput (one of singa's layers that read a store), else null.
  virtual StoreInput* store() { return nullptr; }
};

}  // namespace singa
