// StoreInput is the base class of input layers that read batches of records from a store.
//   output 0: data (rows, store_conf.shape...), label i32 [rows] iff has_label and no num_targets
//   output 1, iff num_targets > 0: data (rows, num_targets)
// Worker i of K takes rows [i B / K, (i + 1) B / K) of each batch of B. If batchsize has K values,
// worker i takes so many rows as the i-th value. Groups read disjoint shares of an epoch.
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

  // Returns the settings as nn/input/store_settings.h describes them.
  StoreSettings SettingsOf(const LayerProto& conf) const;

  // Does the work of nn/input/await_records.h for this layer.
  bool AwaitRecords(Phase phase, const std::function<bool()>& stop);
  // Returns the facts that the store states. Waits for the reader. REQUIRES: Open was called.
  StoreFacts Facts() { return reader_->Facts(); }
  // Returns the field of the LayerProto with the settings: "store_conf", or another for old types.
  const std::string& field() const { return field_; }
  // Returns the reader's options that the settings give. REQUIRES: Setup was called.
  const ReaderOptions& options() const { return options_; }
  // Gives the reader the order of records `stream`, which it shares with other input layers, and
  // skips the bad records of `stores`. REQUIRES: Open was not called.
  void ReadBeside(const std::string& stream, std::vector<RowSource> stores) {
    options_.order.stream = stream;
    options_.beside = std::move(stores);
  }

 protected:
  // `format`, `backend` (the default) and `field` (of the LayerProto, with the settings) depend on
  // the derived layer.
  StoreInput(ValueFormat format, std::string backend, std::string field = "store_conf")
      : format_(format), default_backend_(std::move(backend)), field_(std::move(field)) {}

 private:
  // Returns the settings of `conf` as a StoreProto. Throws ConfigError relative to `conf`.
  virtual StoreProto Settings(const LayerProto& conf) const;
  void SetStore(const StoreProto& conf, Declare* declare);
  void SetReading(const StoreProto& conf);
  void SetShape(const StoreProto& conf);
  void SetNormalisation(const StoreProto& conf, Declare* declare);
  void SetRows(const StoreProto& store, const LayerProto& conf);
  void SetTargets(const StoreProto& conf);
  void SetOutput(Port* out) const;
  void StartReader();
  void SetOrder(Phase phase);

  const ValueFormat format_;
  const std::string default_backend_, field_;
  ReaderOptions options_;
  bool evaluation_ = false;   // the reader reads in the store's order, from record 0
  int64_t seek_ = 0;          // position where the reader starts
  std::vector<int64_t> bad_;  // records known as bad from the start
  std::unique_ptr<BatchReader> reader_;
};

// Returns `layer`, or the layer that it wraps, as a StoreInput; null if it is none.
StoreInput* StoreInputOf(Layer* layer);

}  // namespace singa
