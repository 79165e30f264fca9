// Declare: how a layer asks, in Setup, for what it will own or share.
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

// How long a buffer's content lasts.
enum class Keep : uint8_t {
  kForwardToBackward,  // from ComputeFeature to ComputeGradient of one step
  kStep,               // the whole step
  kForever,            // across steps; named and checkpointed
};

struct Buffer {
  std::string name;  // of kForever buffers
  Keep keep;
  Tensor tensor;
  // Of a kForever buffer whose first dimension is rows of the batch: which of the group's; rows 0:
  // it has none, and is the same in every worker.
  RowSpan span = {};
};

// A mean: the sum of what was added by its weights. The trainer takes it after each step.
struct Metric {
  std::string name;
  Tensor cell;               // f64 [2]: sum, weight; where its layer computes
  bool exponential = false;  // shown as e to the mean: of losses, a perplexity
  Tensor seen = {};          // the cell on the host, as of Net::SeeMetrics

  void Add(double sum, double weight) {
    cell.as<double>()[0] += sum;
    cell.as<double>()[1] += weight;
  }
};

// Params of one worker by conf name, shared by its nets of all phases.
class SINGA_API ParamTable {
 public:
  // The param that position `index` of `layer` names, made at its first use. Follows share_from.
  // `path`: of the layer, for errors. Throws ConfigError relative to the ParamProto: shape
  // mismatch, unknown share_from.
  // `value`, where not null, is what a param without an init starts as.
  // `net`: which net the layer is in, for errors: "kTest, where layer[data] gives (1, 8, 8)".
  Param* Get(const LayerProto& layer, const std::string& path, int index, const Shape& shape,
             const float* value = nullptr, const std::string& net = "");

  // A share_from may name a param of a later layer: Expect tells of it, and where it is, before the
  // layers' Setup.
  void Expect(const ParamProto& conf, const std::string& layer, const std::string& path);

  const std::vector<std::unique_ptr<Param>>& params() const { return params_; }
  Param* Find(const std::string& name) const;  // null: none

 private:
  struct Expected {
    ParamProto conf;
    std::string layer, path;
  };
  std::vector<std::unique_ptr<Param>> params_;  // in order of first use
  std::map<std::string, Expected> expected_;
  std::map<std::string, std::string> nets_;  // of a param's first use, by its name
};

class SINGA_API Declare {
 public:
  // `path`: where errors say that the layer is; `net`: as ParamTable::Get takes it.
  Declare(const LayerProto& conf, ParamTable* params, std::string path = "", std::string net = "")
      : conf_(conf), table_(params), path_(std::move(path)), net_(std::move(net)) {}

  // The worker group that the layer computes for, of so many: the input layers of each read other
  // records. Which of its workers it is, LayerProto.partition_id of num_partitions says.
  int64_t group() const { return group_; }
  int64_t groups() const { return groups_; }
  void SetGroup(int64_t group, int64_t groups) {
    group_ = group;
    groups_ = groups;
  }

  // Throws ConfigError("srclayers") unless least <= number of sources <= most.
  void Sources(Inputs in, int least, int most);
  void Sources(Inputs in, int count) { Sources(in, count, count); }

  // Param `index` of the layer, for the layer's lifetime. Shape as files show it.
  singa::Param* Param(int index, const Shape& shape);
  // The same; where the conf gives it no init, every element starts as `value`.
  singa::Param* Param(int index, const Shape& shape, float value);
  // ComputeGradient gives no gradient of `param`: another layer that shares it does, or nobody.
  void GivesNoGradient(const singa::Param* param) { std::erase(given_, param); }
  // ComputeGradient gives the gradient of `param` to its sink, piece by piece, where it has one.
  void InPieces(singa::Param* param) { in_pieces_.push_back(param); }
  // What lasts for each row of the batch, [rows of `span`, ...]: a checkpoint joins the workers'
  // rows, so that the job may go on with another number of workers.
  Tensor* RowBuffer(const std::string& name, const Shape& shape, const RowSpan& span);
  // A buffer bound before Prepare; a kForever one needs a name.
  Tensor* Buffer(const Shape& shape, Keep keep, DType type = DType::kF32,
                 const std::string& name = "");
  // Context::scratch holds at least so many bytes in both compute functions.
  void Scratch(int64_t bytes) { scratch_ = std::max(scratch_, bytes); }
  // Bytes that the layer allocates itself in Open and keeps.
  void Keeps(int64_t bytes) { kept_ += bytes; }
  // Kernels that the layer calls itself, for those who ask what it runs on; plans say so alone.
  template <typename... Slots>
  void Uses(const Slots&... slots) {
    (slots_.push_back(&slots), ...);
  }
  singa::Metric* Metric(const std::string& name);
  // Shown as e to the mean of what is added: of losses in nats, a perplexity.
  singa::Metric* ExponentialMetric(const std::string& name);
  // A file that must exist when the job starts; `field` is its path in the layer's conf.
  void File(const std::string& field, const std::string& path) { files_.push_back({field, path}); }

  const std::vector<singa::Param*>& params() const { return params_; }
  // Those whose gradient the layer gives.
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
  singa::Param* Get(int index, const Shape& shape, const float* value);

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
