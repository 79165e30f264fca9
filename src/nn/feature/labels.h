// These functions check the labels with which a loss or an accuracy compares scores.
#pragma once

#include <string>

#include "base/text/counted.h"
#include "base/text/element_path.h"
#include "math/reduction/top_k.h"
#include "nn/feature/row_fault.h"
#include "singa/base/error.h"
#include "singa/nn/declare.h"
#include "singa/nn/port.h"

namespace singa {

// Throws ConfigError unless source 1 has one label for each row of source 0's `rows`.
inline void RequireLabels(const LayerProto& conf, Inputs in, int64_t rows) {
  const std::string name = conf.srclayers_size() > 1 ? conf.srclayers(1) : "the second";
  if (!in[1]->has_label())
    throw ConfigError(ElementPath("srclayers", 1), StrCat("source \"", name, "\" has no labels"));
  if (in[1]->label.rows() != rows)
    throw ConfigError(ElementPath("srclayers", 1),
                      StrCat("source \"", name, "\" has ", Counted(in[1]->label.rows(), "label"),
                             " for ", Counted(rows, "row")));
}

// Declares the metrics accuracy_<class> of a net that tests, and returns the first. Their cells lie
// one after the other. Returns null if the net trains, or if the conf does not ask for them. `path`
// is that of `conf`, a SoftmaxLossProto or an ArgSortProto, in the layer's.
template <typename Conf>
Metric* AccuracyOfClasses(const std::string& path, const Conf& conf, int64_t classes,
                          Declare& declare) {
  constexpr int64_t kMostClasses = 100;  // a row of metrics stays readable
  if (!conf.per_class()) return nullptr;
  if (classes > kMostClasses)
    throw ConfigError(path + ".per_class", StrCat("is for at most ", kMostClasses,
                                                  " classes, the scores have ", classes));
  if (declare.phase() == kTrain) return nullptr;
  declare.Uses(CountTopKOfClasses);
  Metric* const first = declare.Metric("accuracy_0");
  for (int64_t c = 1; c < classes; ++c) declare.Metric(StrCat("accuracy_", c));
  return first;
}

// A label is outside [0, classes).
class LabelError : public RowFault {
 public:
  LabelError(const std::string& layer, int64_t row, int32_t label, int64_t classes)
      : RowFault(row, StrCat("the label is ", label, ", layer \"", layer, "\" allows 0 to ",
                             classes - 1)) {}
};

// Returns the label, for the kernels, of rows that a loss or an accuracy ignores. `conf` is a
// SoftmaxLossProto or an ArgSortProto.
template <typename Conf>
int64_t IgnoredLabelOf(const Conf& conf) {
  return conf.has_ignore_label() ? conf.ignore_label() : kNoneIgnored;
}

// Throws LabelError for a label outside [0, classes) that is not `ignored`.
inline void CheckLabels(const std::string& layer, const Port& port, int64_t classes,
                        int64_t ignored) {
  const int32_t* label = port.label.as<int32_t>();
  for (int64_t i = 0; i < port.label.rows(); ++i)
    if ((label[i] < 0 || label[i] >= classes) && label[i] != ignored)
      throw LabelError(layer, i, label[i], classes);
}

}  // namespace singa
