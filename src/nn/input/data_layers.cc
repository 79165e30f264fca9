// kShardData and kLMDBData (deprecated) read records with labels for kMnist, kRGBImage and kLabel.
// The conf does not give the shape, so Setup reads the first record.
#include "nn/input/store_input.h"
#include "singa/base/error.h"

namespace singa {
namespace {

class DataLayer : public StoreInput {
 protected:
  using Conf = const DataProto& (LayerProto::*)() const;

  using ChangeConf = DataProto* (LayerProto::*)();

  DataLayer(std::string backend, std::string field, Conf conf, ChangeConf change)
      : StoreInput(ValueFormat::kRecord, backend, field),
        backend_(std::move(backend)),
        field_(std::move(field)),
        conf_(conf),
        change_(change) {}

  int64_t BatchSize(const LayerProto& conf) const override { return (conf.*conf_)().batchsize(); }
  void SetBatchSize(int32_t rows, LayerProto* conf) const override {
    if ((conf->*conf_)().has_path()) (conf->*change_)()->set_batchsize(rows);
  }

 private:
  StoreProto Settings(const LayerProto& conf) const override {
    const DataProto& data = (conf.*conf_)();
    if (!data.has_path()) throw ConfigError(field_, "must be set");
    if (data.path().empty()) throw ConfigError(field_ + ".path", "must be set");
    StoreProto store;
    store.set_backend(backend_);
    store.set_path(data.path());
    store.add_batchsize(data.batchsize());
    store.set_random_skip(data.random_skip());
    for (int32_t size : ShapeOf(data.path())) store.add_shape(size);
    return store;
  }

  std::vector<int32_t> ShapeOf(const std::string& path) const {
    try {
      const std::unique_ptr<Store> store = OpenStore(backend_, {.path = path});
      const Sample& first = store->Read(0);
      if (first.size() == 0) throw DataError(store->Where(0), -1, "holds no numbers");
      if (!first.ShapeFits() || first.shape.size() >= Shape::kMaxDims)
        return {static_cast<int32_t>(first.size())};  // a row of all values
      return {first.shape.begin(), first.shape.end()};
    } catch (const ConfigError& error) {
      throw ConfigError("type", error.message());
    } catch (const Error& error) {
      throw ConfigError(field_ + ".path", error.what(), error.code());
    }
  }

  const std::string backend_, field_;
  const Conf conf_;
  const ChangeConf change_;
};

class ShardData final : public DataLayer {
 public:
  ShardData()
      : DataLayer("shard", "sharddata_conf", &LayerProto::sharddata_conf,
                  &LayerProto::mutable_sharddata_conf) {}
};

class LmdbData final : public DataLayer {
 public:
  LmdbData()
      : DataLayer("lmdb", "lmdbdata_conf", &LayerProto::lmdbdata_conf,
                  &LayerProto::mutable_lmdbdata_conf) {}
};

SINGA_REGISTER_LAYER(kShardData, ShardData);
SINGA_REGISTER_LAYER(kLMDBData, LmdbData);

}  // namespace
}  // namespace singa
