// Declare collects what a layer asks for in Setup: params, buffers, metrics, scratch memory, files.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "singa/base/api.h"
#include "singa/nn/param.h"
#include "singa/nn/port.h"
#include "singa/proto/layer.pb.h"
#include "singa/tensor/kernel.h"

namespace singa {

// Lifetime of a buffer's content.
enum class Keep : uint8_t {
  kForwardToBackward,  // from ComputeFeature to ComputeGradient of one step
  kStep,               // the whole step
  kForever,            // across steps; named and checkpointed
};

struct Buffer {
  std::string name;  // only of kForever buffers
  Keep keep;
  Tensor tensor;
  // Rows of the group's batch that the first dimension of a kForever buffer holds. rows 0: the
  // buffer has no rows of a batch and is the same in every worker.
  RowSpan span = {};
};

// A weighted mean: sum / weight of all calls of Add. The trainer takes it after each step.
struct Metric {
  std::string name;
  Tensor cell;               // f64 [2]: sum, weight; on the device of its layer
  bool exponential = false;  // shown as exp(mean): the perplexity of a loss
  Tensor seen = {};          // the cell's copy on the host, which Net::SeeMetrics updates

  void Add(double sum, double weight) {
    cell.as<double>()[0] += sum;
    cell.as<double>()[1] += weight;
  }
};

// Params of one worker by conf name. Its nets of all phases share them.
class SINGA_API ParamTable {
 public:
  // Returns the param at position `index` of `layer`, made at its first use. Follows share_from. If
  // `value` is not null, it is the first value of a param without an init. `own`, if not null, are
  // the rows of the param that this worker has. Errors quote `path`, the layer's, and `net`, such
  // as "kTest, where layer[data] gives (1, 8, 8)". Throws ConfigError relative to the ParamProto:
  // shape mismatch, unknown share_from.
  Param* Get(const LayerProto& layer, const std::string& path, int index, const Shape& shape,
             const float* value = nullptr, const std::string& net = "",
             const UnitSpan* own = nullptr);

  // Announces a named param before the Setup of all layers, as share_from may name a param of a
  // later layer. `path` is where the conf has the param.
  void Expect(const ParamProto& conf, const std::string& layer, const std::string& path);

  const std::vector<std::unique_ptr<Param>>& params() const { return params_; }
  Param* Find(const std::string& name) const;  // null: none
  // Returns whether this worker has only parts of some params, as workers divide layers by units.
  bool divided() const;
  // Returns a table of the whole params of which this one has all or parts. They have no memory.
  ParamTable Wholes() const;

 private:
  struct Expected {
    ParamProto conf;
    std::string layer, path;
  };
  std::vector<std::unique_ptr<Param>> params_;  // in the order of their first use
  std::map<std::string, Expected> expected_;
  std::map<std::string, std::string> nets_;  // net of each param's first use, by the param's name
};

class SINGA_API Declare {
 public:
  // `path` is the layer's place in the conf, for errors; `net` is as in ParamTable::Get.
  Declare(const LayerProto& conf, ParamTable* params, std::string path = "", std::string net = "")
      : conf_(conf), table_(params), path_(std::move(path)), net_(std::move(net)) {}

  // Number of the layer's worker group, in [0, groups()). Input layers of different groups read
  // different records. LayerProto.partition_id is the worker's number in its group.
  int64_t group() const { return group_; }
  int64_t groups() const { return groups_; }
  void SetGroup(int64_t group, int64_t groups) {
    group_ = group;
    groups_ = groups;
  }

  // Throws ConfigError("srclayers") unless least <= number of sources <= most.
  void Sources(Inputs in, int least, int most);
  void Sources(Inputs in, int count) { Sources(in, count, count); }

  // Returns param `index` of the layer, valid for the layer's lifetime. Files store it in this
  // shape.
  singa::Param* Param(int index, const Shape& shape);
  // Returns param `index`; if the conf gives it no init, every element starts as `value`.
  singa::Param* Param(int index, const Shape& shape, float value);
  // Returns this worker's rows of param `index`, one for each of its `own` units. The whole param
  // has the shape `shape`, with own.all rows.
  singa::Param* Param(int index, const Shape& shape, const UnitSpan& own);
  // States that ComputeGradient leaves out `param`: another layer gives its gradient, or none does.
  void GivesNoGradient(const singa::Param* param) { std::erase(given_, param); }
  // States that ComputeGradient gives the gradient of `param` in pieces to its sink, if it has one.
  void InPieces(singa::Param* param) { in_pieces_.push_back(param); }
  // Returns a kForever buffer with state for each row of the batch, [rows of `span`, ...]. A
  // checkpoint joins the rows of all workers, so a job may resume with another number of workers.
  Tensor* RowBuffer(const std::string& name, const Shape& shape, const RowSpan& span);
  // Returns a buffer that BindNet gives memory to. A kForever buffer must be float32 and have a
  // name.
  Tensor* Buffer(const Shape& shape, Keep keep, DType type = DType::kF32,
                 const std::string& name = "");
  // Makes Context::scratch at least `bytes` large in both compute functions.
  void Scratch(int64_t bytes) { scratch_ = std::max(scratch_, bytes); }
  // Counts bytes that the layer itself allocates in Open and keeps.
  void Keeps(int64_t bytes) { kept_ += bytes; }
  // Names the kernels that the layer calls itself, for `singa check -v`. PlanKernel reports itself.
  template <typename... Slots>
  void Uses(const Slots&... slots) {
    (slots_.push_back(&slots), ...);
  }
  singa::Metric* Metric(const std::string& name);
  // Makes a metric that is shown as exp(mean): for a loss in nats, the perplexity.
  singa::Metric* ExponentialMetric(const std::string& name);
  // Names a file that must exist when the job starts; `field` is its path in the layer's conf.
  void File(const std::string& field, const std::string& path) { files_.push_back({field, path}); }

  const std::vector<singa::Param*>& params() const { return params_; }
  // Params whose gradient the layer gives.
  const std::vector<singa::Param*>& given() const { return given_; }
  const std::vector<singa::Param*>& in_pieces() const { return in_pieces_; }
  std::deque<singa::Buffer>& buffers() { return buffers_; }
  std::deque<singa::Metric>& metrics() { return metrics_; }
  const std::deque<singa::Metric>& metrics() const { return metrics_; }
  const std::vector<const KernelSlot*>& slots() const { return slots_; }
  int64_t scratch() const { return scratch_; }
  int64_t kept() const { return kept_; }
  const std::vector<std::pair<std::string, std::string>>& files() const { return files_; }

 private:
  singa::Param* Get(int index, const Shape& shape, const float* value, const UnitSpan* own);

  LayerProto conf_;
  ParamTable* table_;
  std::string path_, net_;
  std::vector<singa::Param*> params_, given_, in_pieces_;
  std::vector<const KernelSlot*> slots_;
  std::deque<singa::Buffer> buffers_;
  std::deque<singa::Metric> metrics_;
  int64_t scratch_ = 0, kept_ = 0;
  int64_t group_ = 0, groups_ = 1;
  std::vector<std::pair<std::string, std::string>> files_;
};

}  // namespace singa
