#include "driver/conf/net_warnings.h"

#include <algorithm>
#include <deque>
#include <set>

#include "base/text/element_path.h"
#include "driver/conf/image_settings.h"
#include "driver/conf/old_types.h"
#include "nn/plan/net_sources.h"

namespace singa {
namespace {

class TrainedNet {
 public:
  TrainedNet(const JobProto& job, const Net& net) : job_(job), nodes_(net.nodes()) {
    const auto sources = SourcesOf(net);
    sources_.resize(nodes_.size());
    readers_.resize(nodes_.size());
    for (size_t i = 0; i < nodes_.size(); ++i)
      for (const auto& pieces : sources[i]) {
        sources_[i].push_back(pieces.empty() ? -1 : pieces[0].node);
        for (const NetSource& piece : pieces)
          if (piece.node >= 0 && piece.node != static_cast<int>(i))
            readers_[piece.node].push_back(static_cast<int>(i));
      }
  }

  ConfigErrors Warnings() {
    const AlgProto& alg = job_.train_one_batch();
    if (alg.has_user_alg() || alg.alg() == kCD) return {};  // these algorithms have another order
    const bool has_loss = std::any_of(nodes_.begin(), nodes_.end(), [](const NetNode& node) {
      return node.traits.originates_gradient || node.conf.has_user_type();
    });
    if (!has_loss) {
      Warn("neuralnet", "has no loss layer in the phase kTrain: no param is trained");
      return warnings_;
    }
    if (NothingTrains()) return warnings_;
    const auto jumps = [](const NetNode& node) {
      return node.wiring.is_input && node.conf.char_rnn_conf().shuffle();
    };
    const auto text = std::find_if(nodes_.begin(), nodes_.end(), jumps);
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (!seen_.insert(nodes_[i].path).second) continue;  // another step of an unrolled layer
      if (IsUnread(i))
        WarnAt(i, "", "no layer reads it, so it has no effect on training");
      else
        WarnOfNoLoss(i);
      WarnOfWeight(i);
      WarnOfTwoSoftmaxes(i);
      WarnOfZeros(i);
      WarnOfNoBias(i);
      WarnOfOneStep(i);
      WarnOfJitter(i);
      if (text != nodes_.end()) WarnOfCarriedState(i, text->name);
    }
    return warnings_;
  }

 private:
  void Warn(const std::string& path, const std::string& text) {
    warnings_.push_back(ConfigError(path, text));
  }
  void WarnAt(size_t i, const std::string& field, const std::string& text) {
    Warn(StrCat("neuralnet.", nodes_[i].path, field.empty() ? "" : ".", field), text);
  }

  // A window that begins anywhere does not go on where the last one ended.
  void WarnOfCarriedState(size_t i, const std::string& text) {
    const LayerProto& conf = nodes_[i].conf;
    const bool carries = conf.gru_conf().carry_state() || conf.lstm_conf().carry_state() ||
                         conf.rnn_conf().carry_state();
    if (carries)
      WarnAt(
          i, "",
          StrCat("carry_state keeps the state for the text's next window, but shuffle of layer \"",
                 text, "\" draws another"));
  }

  bool NothingTrains() {
    bool has_params = false, frozen = true;
    for (const NetNode& node : nodes_)
      for (const Param* param : node.declared().params) {
        has_params = true;
        frozen = frozen && param->conf().lr_scale() == 0;
      }
    if (has_params && frozen)
      Warn("neuralnet", "lr_scale is 0 for every param: nothing is trained");
    return has_params && frozen;
  }

  // Returns whether no layer of any phase reads the node. Layers that write, print or measure need
  // no readers, and a user's layer may do so. A layer of an old type gets only the warning for its
  // type, as an example of SINGA 0.3 has one without readers.
  bool IsUnread(size_t i) const {
    const NetNode& node = nodes_[i];
    const bool ends = node.traits.originates_gradient || !node.declared().metrics.empty() ||
                      node.wiring.writes_file || node.traits.needs_no_reader ||
                      node.conf.has_user_type() || !OldTypeText(node.conf.type()).empty();
    if (ends || !readers_[i].empty() || node.in_feedback || node.traits.aliases_in) return false;
    return IsUnreadInTests(node.name);
  }

  // Returns whether no layer of another phase reads layer `name`.
  bool IsUnreadInTests(const std::string& name) const {
    for (const LayerProto& layer : job_.neuralnet().layer())
      for (const std::string& source : layer.srclayers())
        if (source == name || source.rfind(name + ":", 0) == 0) return false;
    return true;
  }

  // Warns of a weight of a user's layer that is no loss. driver/conf/idle_fields.h has our types.
  void WarnOfWeight(size_t i) {
    const LayerProto& conf = nodes_[i].conf;
    if (conf.has_user_type() && conf.has_loss_weight() && !nodes_[i].is_loss())
      WarnAt(i, "loss_weight", "has no effect: the layer is no loss");
  }

  void WarnOfNoLoss(size_t i) {
    const NetNode& node = nodes_[i];
    if (node.runs_backward || node.in_feedback || node.traits.aliases_in) return;
    if (node.wiring.is_input || node.conf.has_user_type()) return;
    const auto& params = node.declared().params;
    const bool trains = std::any_of(params.begin(), params.end(), [this](const Param* param) {
      return param->trains() && !IsTrainedElsewhere(*param);
    });
    const bool any_idle = std::any_of(nodes_.begin(), nodes_.end(), [](const NetNode& other) {
      return other.is_loss() && other.conf.loss_weight() == 0;
    });
    if (trains)
      WarnAt(i, "",
             StrCat("its params are not trained: no loss ",
                    any_idle ? "with another loss_weight than 0 " : "", "depends on the layer"));
  }

  bool IsTrainedElsewhere(const Param& param) const {
    return std::any_of(nodes_.begin(), nodes_.end(), [&param](const NetNode& node) {
      const auto& own = node.declared().params;
      return node.runs_backward && std::find(own.begin(), own.end(), &param) != own.end();
    });
  }

  // Returns the node that computes input `slot` of node i, through splits; -1: another worker's, or
  // none.
  int SourceOf(size_t i, size_t slot) const {
    if (slot >= sources_[i].size()) return -1;
    int from = sources_[i][slot];
    while (from >= 0 && nodes_[from].traits.aliases_in)
      from = sources_[from].empty() ? -1 : sources_[from][0];
    return from;
  }

  void WarnOfTwoSoftmaxes(size_t i) {
    const auto is_softmax = [this](int node, bool loss) {
      const Traits& traits = nodes_[node].traits;
      return traits.gives_softmax && traits.originates_gradient == loss;
    };
    if (!is_softmax(static_cast<int>(i), true)) return;
    const int from = SourceOf(i, 0);
    if (from < 0 || !is_softmax(from, false)) return;
    const int below = SourceOf(from, 0);
    WarnAt(
        i, "srclayers",
        StrCat("\"", nodes_[from].name, "\" is a softmax already, and the loss takes another; ",
               "let it read ", below < 0 ? "the scores" : StrCat("\"", nodes_[below].name, "\"")));
  }

  // Returns whether `param` starts with all zeros and no file gives other values.
  bool IsZero(const Param& param) const {
    const ParamGenProto& init = param.conf().init();
    return job_.checkpoint_path_size() == 0 && param.conf().has_init() && !init.has_user_type() &&
           init.type() == kConstant && init.value() == 0;
  }
  // Returns whether the layer's weight starts with zeros. Then no gradient passes through the
  // layer.
  bool GivesZeros(const NetNode& node) const {
    const auto& params = node.declared().params;
    return node.traits.linear && !params.empty() && IsZero(*params[0]);
  }

  // Warns of a layer that starts with zeros and never changes: its only reader is another such
  // layer, or one that stops negatives.
  void WarnOfZeros(size_t i) {
    if (!GivesZeros(nodes_[i]) || !nodes_[i].runs_backward) return;
    int above = static_cast<int>(i);
    for (bool first = true; readers_[above].size() == 1; first = false) {
      above = readers_[above][0];
      const NetNode& node = nodes_[above];
      const auto& own = nodes_[i].declared().params;
      const bool dead = first && node.traits.stops_negatives && (own.size() < 2 || IsZero(*own[1]));
      if (!dead && !GivesZeros(node)) {
        if (!node.declared().params.empty()) return;
        continue;
      }
      WarnAt(i, "param[0].init",
             StrCat("zeros alone are never trained, as layer \"", node.name,
                    "\" then gives them no gradient; use kGaussian or kUniform"));
      return;
    }
  }

  // Returns whether all readers of a feature subtract its mean, and so any bias.
  bool IsNormalised(int i) const {
    const auto& readers = readers_[i];
    return !readers.empty() && std::all_of(readers.begin(), readers.end(), [this](int reader) {
      const Traits& traits = nodes_[reader].traits;
      return traits.subtracts_mean ||
             ((traits.aliases_in || traits.keeps_constants) && IsNormalised(reader));
    });
  }

  void WarnOfNoBias(size_t i) {
    if (nodes_[i].traits.lacks_bias && !IsNormalised(static_cast<int>(i)))
      WarnAt(i, "", "has no bias, as it has one param; a second param is the bias");
  }

  void WarnOfOneStep(size_t i) {
    const LayerProto& conf = nodes_[i].conf;
    if (conf.unroll_len() != 1 || nodes_[i].full_name != nodes_[i].name) return;
    const char* const end = ", as there is one time step: set unroll_len in neuralnet";
    if (conf.has_position_embedding_conf())
      WarnAt(i, "", StrCat("adds row 0 of its table to all rows", end));
    const Wiring& wiring = nodes_[i].wiring;
    if (wiring.sequence && wiring.carries_steps && !conf.has_user_type())
      WarnAt(i, "", StrCat("reads no other time step", end));
  }

  // Warns of a colour jitter whose source has other numbers than those from 0 to 255.
  void WarnOfJitter(size_t i) {
    const std::string field = JitterOf(nodes_[i].conf);
    if (field.empty()) return;
    int from = SourceOf(i, 0);
    std::string setting;
    while (from >= 0) {
      const NetNode& node = nodes_[from];
      setting = CutsImages(node.conf) || node.wiring.is_input ? RangeSettingOf(node.conf) : "";
      if (!setting.empty() || !CutsImages(node.conf)) break;
      from = SourceOf(from, 0);
    }
    if (setting.empty()) return;
    WarnAt(i, "rgbimage_conf." + field,
           StrCat("needs numbers from 0 to 255, and ", setting, " of layer \"", nodes_[from].name,
                  "\" changes them; scale and meanfile of this layer act after the colours"));
  }

  const JobProto& job_;
  const std::deque<NetNode>& nodes_;
  std::vector<std::vector<int>> sources_, readers_;
  std::set<std::string> seen_;
  ConfigErrors warnings_;
};

}  // namespace

ConfigErrors NetWarnings(const JobProto& job, const Net& net) {
  return TrainedNet(job, net).Warnings();
}

ConfigErrors FirstStepWarnings(const Net& net) {
  ConfigErrors warnings;
  const auto sources = SourcesOf(net);
  for (size_t i = 0; i < net.nodes().size(); ++i) {
    const NetNode& node = net.nodes()[i];
    const auto said = static_cast<size_t>(node.conf.srclayers_size());
    const bool one = node.conf.unroll_len() == 1 && node.full_name == node.name;
    if (!one || sources[i].size() != said) continue;
    for (size_t slot = 0; slot < said; ++slot) {
      NetSource from = sources[i][slot][0];
      while (from.node >= 0 && net.nodes()[from.node].traits.aliases_in)
        from = sources[from.node][0][0];
      if (from.node < 0) continue;
      const NetNode& source = net.nodes()[from.node];
      const bool several = source.conf.unroll_len() > 1 || source.full_name != source.name;
      if (!several || from.steps != 1 || from.step + source.conf.unroll_index() != 0) continue;
      warnings.push_back(
          ConfigError(ElementPath("srclayers", slot),
                      StrCat("reads the first time step of layer \"", source.name,
                             "\"; for the last set unroll_conn_type: kUnrollFirstToLast"))
              .Under("neuralnet." + node.path));
    }
  }
  return warnings;
}

}  // namespace singa
