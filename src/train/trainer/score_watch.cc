#include "train/trainer/score_watch.h"

#include <cmath>
#include <set>
#include <utility>

#include "math/finite.h"
#include "nn/layer_wrapper.h"
#include "singa/nn/record_reader.h"

namespace singa {

// WatchedLayer wraps a layer that reads scores.
class WatchedLayer final : public LayerWrapper {
 public:
  WatchedLayer(std::unique_ptr<Layer> layer, const Net* net, std::string source, ScoreWatch* watch)
      : LayerWrapper(std::move(layer)), net_(net), source_(std::move(source)), watch_(watch) {}

  void ComputeFeature(Context& ctx, Phase phase, Inputs in, Outputs out) override {
    if (!ctx.stream) Look(ctx, *in[0]);
    layer().ComputeFeature(ctx, phase, in, out);
  }

 private:
  // The rows of an unrolled layer lie step by step.
  void Look(const Context& ctx, const Port& scores) {
    const int64_t size = scores.data.size();
    const int64_t rows = std::max<int64_t>(1, scores.span.rows * scores.span.steps);
    if (AllFinite(ctx, scores.data.data(), size)) return;
    const int64_t width = size / rows;
    for (int64_t r = 0; r < rows; ++r)
      if (!AllFinite(ctx, scores.data.data() + r * width, width))
        watch_->Add(*net_, source_, r % std::max<int64_t>(1, scores.span.rows));
  }

  const Net* const net_;
  const std::string source_;
  ScoreWatch* const watch_;
};

void ScoreWatch::Watch(Net* net) {
  std::set<std::string> sources;  // each source is checked once
  for (NetNode& node : net->nodes()) {
    if (node.in.empty() || node.conf.srclayers_size() == 0) continue;
    if (node.declared().metrics.empty() && !node.wiring.writes_file) continue;
    const std::string& source = node.conf.srclayers(0);
    if (sources.insert(source).second)
      node.layer = std::make_unique<WatchedLayer>(std::move(node.layer), net, source, this);
  }
}

void ScoreWatch::Add(const Net& net, const std::string& layer, int64_t row) {
  if (++rows_ > 1) return;
  layer_ = layer;
  for (const NetNode& node : net.nodes()) {
    if (!node.wiring.is_input) continue;
    const RecordReader* const reader = node.layer->reader();
    if (!reader) return;
    const auto [file, record] = reader->RecordOfRow(row);
    if (record >= 0) record_ = StrCat(file, ": record ", record);
    return;
  }
}

std::string ScoreWatch::Text() const {
  if (rows_ == 0) return "";
  return StrCat(record_.empty() ? "" : record_ + ": ", "the scores of layer \"", layer_,
                "\" are not finite",
                rows_ > 1 ? StrCat("; so are those of ", rows_ - 1, " rows more") : std::string());
}

}  // namespace singa
