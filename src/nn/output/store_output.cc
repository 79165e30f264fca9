#include "nn/output/store_output.h"

#include <algorithm>

#include "base/text/element_path.h"
#include "singa/base/error.h"

namespace singa {

Wiring StoreOutput::wiring(const LayerProto&) const {
  return {.writes_file = true, .differentiable = false};
}

void StoreOutput::Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) {
  writes_ = conf.partition_id() == 0;
  declare.Sources(in, 1, 2);
  path_ = conf.store_conf().path();
  if (path_.empty()) throw ConfigError("store_conf.path", "must be set: the file to write");
  format_ = conf.store_conf().has_backend() ? conf.store_conf().backend() : formats_[0];
  if (std::find(formats_.begin(), formats_.end(), format_) == formats_.end()) {
    std::string allowed;
    for (const std::string& format : formats_)
      allowed += StrCat(allowed.empty() ? "\"" : " or \"", format, "\"");
    throw ConfigError("store_conf.backend", StrCat("must be ", allowed, ", is \"", format_, "\""));
  }
  flat_ = FlatRows(in[0]->data.shape());
  if (in.size() > 1 && (!in[1]->has_label() || in[1]->label.rows() != flat_.rows()))
    throw ConfigError(ElementPath("srclayers", 1),
                      StrCat("source \"", conf.srclayers(1), "\" has no label for each of the ",
                             flat_.rows(), " rows"));
  flat_.DeclareCopy(&declare);
  out[0]->data.SetShape({flat_.rows()});
}

// Returns whether the file has labels. -1 means no label, or is a stored label, so only another
// number shows that there are labels. `label` is null or has one for each row.
bool StoreOutput::HoldsLabels(const int32_t* label) const {
  if (!label) return false;
  const int32_t* end = label + flat_.rows();
  const int32_t* first = std::find_if(label, end, [](int32_t own) { return own != -1; });
  const bool holds = files_->HoldsLabels(path_).value_or(first != end);
  if (first == end || holds) return holds;
  throw DataError(path_, files_->Records(path_) + (first - label),
                  StrCat("has the label ", *first,
                         ", the first records have none; leave the second source out to write a "
                         "file without labels"));
}

void StoreOutput::ComputeFeature(Context& ctx, Phase, Inputs in, Outputs out) {
  if (!writes_) return;
  const float* x = flat_.InOrder(ctx, in[0]->data.data(), ctx.scratch);
  const Port& labels = *in[in.size() - 1];
  const int32_t* label = labels.has_label() ? labels.label.as<int32_t>() : nullptr;
  const auto size = static_cast<size_t>(flat_.row_size());
  const bool holds_labels = HoldsLabels(label);
  for (int64_t r = 0; r < flat_.rows(); ++r) {
    const Sample sample = {.data = {x + r * flat_.row_size(), size},
                           .label = holds_labels ? label[r] : kNoLabel};
    out[0]->data.data()[r] = static_cast<float>(files_->Write(path_, format_, sample));
  }
}

}  // namespace singa
