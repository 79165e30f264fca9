#include "singa/nn/declare.h"

#include <glog/logging.h>

#include "base/text/counted.h"
#include "base/text/element_path.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"

namespace singa {

void Declare::Sources(Inputs in, int least, int most) {
  const int count = static_cast<int>(in.size());
  if (count >= least && count <= most) return;
  const std::string allowed =
      least == most ? Counted(least, "source") : StrCat("from ", least, " to ", most, " sources");
  throw ConfigError(ElementPath("srclayers", count > most ? most : 0),
                    StrCat("needs ", allowed, ", has ", count));
}

Param* Declare::Get(int index, const Shape& shape, const ParamGenProto& init, const UnitSpan* own) {
  try {
    declared_.params.push_back(
        table_->Get(conf_, place_.path, index, shape, init, place_.net, own));
  } catch (const ConfigError& error) {
    throw error.Under(StrCat("param[", index, "]"));
  }
  declared_.given.push_back(declared_.params.back());
  return declared_.params.back();
}

Tensor* Declare::Buffer(const Shape& shape, Keep keep, DType type, const std::string& name) {
  shape.Check();
  CHECK(keep != Keep::kForever || (type == DType::kF32 && !name.empty()))
      << "a checkpoint holds kForever buffers by name, as float32";
  singa::Buffer& buffer = declared_.buffers.emplace_back();
  buffer.name = name;
  buffer.keep = keep;
  buffer.tensor.SetShape(shape, type);
  return &buffer.tensor;
}

Tensor* Declare::RowBuffer(const std::string& name, const Shape& shape, const RowSpan& span) {
  const bool alone = span.rows == span.batch;
  if (shape[0] != span.rows && !alone)
    throw ConfigError("srclayers", StrCat("the source gives ", shape[0], " rows for the worker's ",
                                          span.rows, " of the batch: must be as many"));
  Tensor* const tensor = Buffer(shape, Keep::kForever, DType::kF32, name);
  declared_.buffers.back().span =
      alone ? RowSpan{0, shape[0], shape[0]} : RowSpan{span.first, span.rows, span.batch};
  return tensor;
}

Metric* Declare::Metric(const std::string& name) {
  singa::Metric& metric = declared_.metrics.emplace_back();
  metric.name = name;
  metric.cell.SetShape({2}, DType::kF64);
  return &metric;
}

Metric* Declare::ExponentialMetric(const std::string& name) {
  singa::Metric* metric = Metric(name);
  metric->exponential = true;
  return metric;
}

Metric* Declare::DerivedMetric(const std::string& name, int64_t count, MetricValue value) {
  singa::Metric* const shown = Metric(name);
  shown->value = value;
  shown->parts = count;
  for (int64_t i = 1; i < count; ++i) Metric(StrCat(name, ".", i))->hidden = true;
  return shown;
}

}  // namespace singa
