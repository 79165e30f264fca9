#include "cluster/server/outer_sync.h"

#include <glog/logging.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "cluster/protocol/gradient_codec.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

constexpr int64_t kCountUnit = 1 << 20;  // both parts of a count are whole floats

// Returns how many steps before those of the first fragment the rounds of each slice end.
std::vector<int64_t> LeadsOf(const SliceTable& table, const ClusterProto& conf) {
  const int fragments = std::min(conf.outer_fragments(), table.size());  // no empty ones
  std::vector<int> slices(table.size());
  std::iota(slices.begin(), slices.end(), 0);
  const std::vector<int> runs = CutEvenly(table, slices, fragments);
  std::vector<int64_t> leads(slices.size());
  for (int f = 0; f < fragments; ++f)
    std::fill(leads.begin() + runs[f], leads.begin() + runs[f + 1],
              int64_t{f} * conf.sync_freq() / fragments);
  return leads;
}

}  // namespace

OuterSync::OuterSync(const Setup& setup)
    : ToMasterSync(setup),
      lr_(setup.conf.outer_lr()),
      momentum_(setup.conf.outer_momentum()),
      mixing_(setup.conf.outer_mixing()),
      freq_(setup.conf.sync_freq()),
      overlap_(setup.conf.outer_overlap()),
      steps_(setup.steps),
      codec_(MakeOuterCodec(setup.conf)),
      leads_(LeadsOf(setup.shard->table(), setup.conf)),
      models_(setup.shard->slices()),
      early_(setup.shard->slices().size()),
      rests_(setup.shard->slices().size()),
      outer_(setup.shard->slices().size()),
      ends_(setup.shard->slices().size()),
      counts_(setup.shard->slices().size()) {}

void OuterSync::Start(int slice) {
  models_.Set(slice, values(slice), size(slice));
  rests_[place(slice)].assign(codec_->states() * size(slice), 0.f);
  if (!Sends(slice)) {
    Outer& outer = outer_[place(slice)];
    outer.momentum.assign(size(slice), 0.f);
    outer.changes.resize(groups());
    outer.came.assign(groups(), false);
  }
  if (!restores()) return;
  const bool ended = restores(kOuterEnded + shard().Key(slice));
  if (ended) ends_[place(slice)] = {1};
  set_updates(slice, ended ? 0 : (shard().version(slice) + leads_[slice]) % freq_);
  if (restores(NameOf(slice) + "/step")) early_[place(slice)].resize(size(slice));
  if (!RestoreSlice(slice)) {
    early_[place(slice)].clear();
    if (!std::exchange(warned_, true))
      LOG(WARNING) << "server group " << group()
                   << " cannot continue its round exactly: the checkpoint "
                   << "has other groups, other slices or another outer_compression";
  }
  const Counted& counted = counts_[place(slice)];
  shard().set_count(
      slice, static_cast<int64_t>(counted[0]) * kCountUnit + static_cast<int64_t>(counted[1]));
  // The job that wrote the checkpoint may have had more steps than this one, which ends here.
  if (shard().version(slice) != steps_) return;
  OnUpdate(slice);
  if (IsDue(slice, updates(slice))) Begin(slice);
}

std::string OuterSync::NameOf(int slice) const {
  return StrCat("outer/group", group(), "/", shard().Key(slice));
}

std::vector<GroupSync::Kept> OuterSync::StateOf(int slice) {
  const std::string name = NameOf(slice);
  const int64_t count = shard().count(slice);
  Counted& counted = counts_[place(slice)];
  const int64_t units = count / kCountUnit, rest = count % kCountUnit;
  counted = {static_cast<float>(units), static_cast<float>(rest)};
  std::vector<Kept> state = {{name + "/values", {values(slice), static_cast<size_t>(size(slice))}},
                             {name + "/states", shard().states(slice)},
                             {name + "/rest", rests_[place(slice)]},
                             {name + "/step", early_[place(slice)]},
                             {name + "/count", counted}};
  if (!Sends(slice)) {
    state.push_back({kOuterMomentum + shard().Key(slice), outer_[place(slice)].momentum});
    state.push_back({kOuterEnded + shard().Key(slice), ends_[place(slice)]});
  }
  std::erase_if(state, [](const Kept& kept) { return kept.floats.empty(); });
  return state;
}

bool OuterSync::Overlaps(int slice) const {
  return updates(slice) < overlap_ && shard().version(slice) != steps_;
}

// A round never begins before the outer step of the last one is taken.
void OuterSync::OnUpdate(int slice) {
  ends_[place(slice)].assign(shard().version(slice) == steps_ ? 1 : 0, 1.f);
  if (!early_[place(slice)].empty() && (!Overlaps(slice) || IsDue(slice, updates(slice))))
    Merge(slice);
}

bool OuterSync::IsDue(int slice, int64_t updates) const {
  const int64_t version = shard().version(slice);
  return updates > 0 && ((version + leads_[slice]) % freq_ == 0 || version == steps_);
}

bool OuterSync::Expects(int slice, int from, int origin, int hops) const {
  return ToMasterSync::Expects(slice, from, origin, hops) && !outer_[place(slice)].came[origin];
}

void OuterSync::Receive(const PartView& part, const float* change, int origin, int) {
  Take(part.slice, origin, change);
}

std::vector<float> OuterSync::Change(int slice) {
  const std::vector<float>& model = models_[slice];
  std::vector<float> change(model.size());
  std::transform(values(slice), values(slice) + size(slice), model.begin(), change.begin(),
                 std::minus<>());
  return change;
}

// The codec's step is the one that ended the round, whenever the floats are encoded.
EncodedFloats OuterSync::Encoded(int slice, std::vector<float> floats) {
  return Encode(*codec_, shard().version(slice) - updates(slice), FrameOf(std::move(floats)),
                rests_[place(slice)]);
}

// All groups are in the same round, so their exchanges have one number.
void OuterSync::Take(int slice, int from, const float* change) {
  Outer& outer = outer_[place(slice)];
  outer.changes[from].assign(change, change + size(slice));
  outer.came[from] = true;
  if (std::ranges::count(outer.came, true) < groups()) return;
  const EncodedFloats step = Encoded(slice, Step(&outer));
  for (int to = 0; to < groups(); ++to)
    if (to != group()) SendReply(slice, to, number(slice), step);
  ReceiveReply(slice, FloatsOf(Decode(*codec_, step.bytes, size(slice)).value()).data());
  End(slice);
}

void OuterSync::ReceiveReply(int slice, const float* step) {
  early_[place(slice)].assign(step, step + size(slice));
  if (!Overlaps(slice)) Merge(slice);
}

// Values that were trained on meanwhile keep a share of what they are, as in Streaming DiLoCo.
// Without such steps all groups take the model.
void OuterSync::Merge(int slice) {
  const std::vector<float> step = std::exchange(early_[place(slice)], {});
  std::vector<float>& model = models_[slice];
  for (size_t i = 0; i < model.size(); ++i) model[i] += step[i];
  float* const w = values(slice);
  if (updates(slice) == 0)
    std::ranges::copy(model, w);
  else
    for (size_t i = 0; i < model.size(); ++i) w[i] = mixing_ * w[i] + (1 - mixing_) * model[i];
}

// Adds the changes up in the order of the groups, whatever the order in which they came.
std::vector<float> OuterSync::Step(Outer* outer) const {
  const float share = 1 / static_cast<float>(groups());
  std::vector<float> step(outer->momentum.size());
  for (size_t i = 0; i < step.size(); ++i) {
    float sum = 0;
    for (const std::vector<float>& change : outer->changes) sum += change[i];
    const float mean = share * sum;  // the gradient is -mean
    outer->momentum[i] = momentum_ * outer->momentum[i] + mean;
    step[i] = lr_ * (mean + momentum_ * outer->momentum[i]);
  }
  outer->came.assign(groups(), false);
  return step;
}

}  // namespace singa
