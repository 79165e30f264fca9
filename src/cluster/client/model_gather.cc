#include "cluster/client/model_gather.h"

#include "comm/codec/identity.h"

namespace singa {

void ModelGather::Ask(int64_t version) {
  gathered_.assign(table_.size(), {});
  for (int s = 0; s < table_.size(); ++s) {
    awaited_ += !std::exchange(slices_[s].awaited, true);
    slices_[s].asked_at = clock_.Now();
    WireMessage head;
    head.set_type(WireMessage::kGather);
    *head.mutable_to() = ServerAddress({owners_.MasterGroup(s), owners_.Owner(s)});
    SlicePart part;
    part.set_slice(s);
    part.set_version(version);
    out_.Add(head, std::move(part), Frame());
  }
  out_.Flush();
}

bool ModelGather::OnState(const EncodedPart& part, int server_group) {
  const int64_t n = table_[part.slice].size, given = part.head->elements();
  if (server_group != owners_.MasterGroup(part.slice) || !Awaits(part.slice) || given == 0 ||
      given % n != 0)
    return false;
  const std::optional<PartView> view = Decode(Identity(), part);
  if (!view) return false;
  SliceState& to = gathered_[part.slice];
  to.version = part.head->version();
  to.count = part.head->count();
  const std::span<const float> floats = FloatsOf(view->floats);
  to.floats.assign(floats.begin(), floats.end());
  slices_[part.slice].awaited = false;
  --awaited_;
  return true;
}

}  // namespace singa
