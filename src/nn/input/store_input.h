// StoreInput: an input layer that reads batches of records from a store.
//   data: (rows, store_conf.shape...), label: i32 [rows] iff has_label.
// Worker i of K takes rows [i B / K, (i + 1) B / K) of each batch of B; with K values of batchsize
// as many rows as the i-th says. Groups read disjoint shares of an epoch. With partition_dim 1 it
// takes all rows and its share of the units.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/reader/batch_reader.h"
#include "nn/input/store_settings.h"
#include "singa/nn/layer.h"
#include "singa/nn/record_reader.h"

namespace singa {

class StoreInput : public Layer, public RecordReader {
 public:
  Wiring wiring(const LayerProto& conf) const override;
  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override;
  void Prepare(Context& ctx, Declare& declare, Inputs in, Outputs out) override;
  void Open(Context& ctx) override;
  void ComputeFeature(Context& ctx, Phase phase, Inputs in, Outputs out) override;
  RecordReader* reader() override { return this; }

  int64_t Position() const override;
  void Seek(int64_t position) override;
  int64_t Stride() const override { return options_.batch; }
  int64_t CountRecords() override;
  std::vector<std::string> ClassNames() override;
  std::pair<std::string, int64_t> RecordOfRow(int64_t row) const override;
  std::vector<int64_t> BadRecords() const override;
  void RestoreBadRecords(const std::vector<int64_t>& records) override;
  double TakeWaitMs() override;
  StoreInput* store() override { return this; }

  // As nn/input/store_settings.h says.
  StoreSettings SettingsOf(const LayerProto& conf) const;

  // As nn/input/await_records.h says.
  bool AwaitRecords(Phase phase, const std::function<bool()>& stop);
  // The facts that its store states. Waits for the reader. REQUIRES: Open was called.
  StoreFacts Facts() { return reader_->Facts(); }
  // The field of the LayerProto that has its settings: "store_conf", for old types another.
  const std::string& field() const { return field_; }
  // The facts that its settings state. REQUIRES: Setup was called.
  const ReaderOptions& options() const { return options_; }
  // The phase has other input layers: their order of records is named `stream`, and what is bad in
  // one of `stores` is skipped here, too. REQUIRES: Open was not called.
  void ReadBeside(const std::string& stream, std::vector<RowSource> stores) {
    options_.order.stream = stream;
    options_.beside = std::move(stores);
  }

 protected:
  // What the kinds differ in. `field`: of the LayerProto, that the settings are in.
  StoreInput(ValueFormat format, std::string backend, std::string field = "store_conf")
      : format_(format), default_backend_(std::move(backend)), field_(std::move(field)) {}

 private:
  // Throws ConfigError relative to `conf`.
  virtual StoreProto Settings(const LayerProto& conf) const;
  void SetStore(const StoreProto& conf, Declare* declare);
  void SetReading(const StoreProto& conf);
  void SetShape(const StoreProto& conf);
  void SetNormalisation(const StoreProto& conf, Declare* declare);
  void SetRows(const StoreProto& store, const LayerProto& conf);
  void SetOutput(const LayerProto& conf, Declare* declare, Port* out);
  void StartReader();
  void SetOrder(Phase phase);
  void CopyUnits(Context& ctx, Tensor* data);

  const ValueFormat format_;
  const std::string default_backend_, field_;
  ReaderOptions options_;
  bool evaluation_ = false;   // the reader goes through the store in its order, from record 0
  Tensor* whole_ = nullptr;   // with partition_dim 1: rows of all units; null: none
  int64_t first_unit_ = 0;    // of whole_
  int64_t seek_ = 0;          // where the reader starts
  std::vector<int64_t> bad_;  // records that it knows as bad from the start
  std::unique_ptr<BatchReader> reader_;
};

// The layer as the StoreInput that it is, or stands before; null: it is none.
StoreInput* StoreInputOf(Layer* layer);

}  // namespace singa
