#include "cluster/client/codec_state.h"

#include <algorithm>

#include "singa/base/str_cat.h"

namespace singa {

int64_t CodecState::bytes(int64_t elements) const {
  int64_t bytes = 0;
  for (const auto& [group, encoder] : groups_)
    bytes +=
        GradientEncoder::StateBytes(codec_, elements, std::ssize(topology_.NodesOf(rank_, group)));
  return bytes;
}

std::string StatePrefix(std::string_view kind, const Topology& topology, int rank, int group) {
  return StatePrefix(kind, group, topology.NodesOf(rank, group));
}

bool CodecState::Has(const std::string& name) const {
  return std::ranges::any_of(
      groups_, [&](const auto& group) { return name.starts_with(PrefixOf(group.first)); });
}

std::vector<StoredTensor> CodecState::Tensors() {
  std::vector<StoredTensor> tensors;
  if (codec_.states() == 0) return tensors;
  for (const auto& [group, encoder] : groups_)
    for (int s = 0; s < table_.size(); ++s) {
      const std::span<const float> state = encoder->state(s);
      const int64_t nodes = std::ssize(topology_.NodesOf(rank_, group, table_[s].by));
      tensors.push_back(Stored(StrCat(PrefixOf(group), s),
                               Shape({codec_.states(), nodes, table_[s].size}), state.data()));
    }
  return tensors;
}

std::vector<int> CodecState::Set(const std::map<std::string, std::vector<float>>& states) {
  std::vector<int> missing;
  if (codec_.states() == 0) return missing;
  for (const auto& [group, encoder] : groups_) {
    const auto found = [&, group = group, encoder = encoder](int s) {
      const auto it = states.find(StrCat(PrefixOf(group), s));
      const bool fits = it != states.end() && it->second.size() == encoder->state(s).size();
      return fits ? &it->second : nullptr;
    };
    bool all = true;
    for (int s = 0; s < table_.size(); ++s) all = all && found(s);
    if (!all) missing.push_back(group);
    for (int s = 0; all && s < table_.size(); ++s)
      std::ranges::copy(*found(s), encoder->state(s).begin());
  }
  return missing;
}

}  // namespace singa
