// Declare takes what a layer asks for in Setup: params, buffers, metrics, scratch memory, files.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "singa/base/api.h"
#include "singa/nn/declared.h"
#include "singa/nn/first_values.h"
#include "singa/nn/param_table.h"

namespace singa {

// Where a layer stands: in the conf, for errors, and among the worker groups.
struct LayerPlace {
  std::string path = {}, net = {};  // as in ParamTable::Get
  int64_t group = 0, groups = 1;
  Phase phase = kTrain;  // of the net
};

class SINGA_API Declare {
 public:
  Declare(const LayerProto& conf, ParamTable* params, LayerPlace place = {})
      : conf_(conf), table_(params), place_(std::move(place)) {}

  // Number of the layer's worker group, in [0, groups()). Input layers of different groups read
  // different records. LayerProto.partition_id is the worker's number in its group.
  int64_t group() const { return place_.group; }
  int64_t groups() const { return place_.groups; }
  // Phase of the layer's net.
  Phase phase() const { return place_.phase; }

  // Throws ConfigError("srclayers") unless least <= number of sources <= most.
  void Sources(Inputs in, int least, int most);
  void Sources(Inputs in, int count) { Sources(in, count, count); }

  // Returns param `index` of the layer, valid for the layer's lifetime. Files store it in this
  // shape. `init` gives the first values of a param without an init in the conf
  // (singa/nn/first_values.h). If it is empty, the conf or a checkpoint must give them.
  singa::Param* Param(int index, const Shape& shape, const ParamGenProto& init = {}) {
    return Get(index, shape, init, nullptr);
  }
  // Returns param `index`, whose elements start as `value` by default.
  singa::Param* Param(int index, const Shape& shape, float value) {
    return Param(index, shape, ConstantValues(value));
  }
  // Returns this worker's rows of param `index`, one for each of its `own` units. The whole param
  // has the shape `shape`, with own.all rows. `init` gives the values of the whole param.
  singa::Param* Param(int index, const Shape& shape, const UnitSpan& own,
                      const ParamGenProto& init = {}) {
    return Get(index, shape, init, &own);
  }
  // States that ComputeGradient leaves out `param`. Another layer gives its gradient, or no layer.
  void GivesNoGradient(const singa::Param* param) { std::erase(declared_.given, param); }
  // States that ComputeGradient gives the gradient of `param` in pieces to its sink, if it has one.
  void InPieces(singa::Param* param) { declared_.in_pieces.push_back(param); }
  // Returns a kForever buffer with state for each row of the batch, [rows of `span`, ...]. A
  // checkpoint joins the rows of all workers, so a job may resume with another number of workers.
  Tensor* RowBuffer(const std::string& name, const Shape& shape, const RowSpan& span);
  // Returns a buffer that BindNet gives memory to. A kForever buffer must be float32 and have a
  // name.
  Tensor* Buffer(const Shape& shape, Keep keep, DType type = DType::kF32,
                 const std::string& name = "");
  // Makes Context::scratch at least `bytes` large in both compute functions.
  void Scratch(int64_t bytes) { declared_.scratch = std::max(declared_.scratch, bytes); }
  // Counts bytes that the layer itself allocates in Open and keeps.
  void Keeps(int64_t bytes) { declared_.kept += bytes; }
  // Names the kernels that the layer calls itself, for `singa check -v`. PlanKernel reports itself.
  template <typename... Slots>
  void Uses(const Slots&... slots) {
    (declared_.slots.push_back(&slots), ...);
  }
  // Makes a metric. Metrics that are made one after the other have adjacent cells.
  singa::Metric* Metric(const std::string& name);
  // Makes a metric that is shown as exp(mean): for a loss in nats, the perplexity.
  singa::Metric* ExponentialMetric(const std::string& name);
  // Makes `count` metrics, whose cells lie one after the other, and returns the first. Rows show
  // one metric, `name`: value(the sum and weight of each). REQUIRES: count >= 1.
  singa::Metric* DerivedMetric(const std::string& name, int64_t count, MetricValue value);
  // Names a file that must exist when the job starts; `field` is its path in the layer's conf.
  void File(const std::string& field, const std::string& path) {
    declared_.files.push_back({field, path});
  }

  Declared& declared() { return declared_; }
  const Declared& declared() const { return declared_; }

 private:
  singa::Param* Get(int index, const Shape& shape, const ParamGenProto& init, const UnitSpan* own);

  const LayerProto conf_;
  ParamTable* const table_;
  const LayerPlace place_;
  Declared declared_;
};

}  // namespace singa
