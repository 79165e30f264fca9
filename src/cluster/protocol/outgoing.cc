#include "cluster/protocol/outgoing.h"

#include <utility>

#include "comm/collective/slice_table.h"

namespace singa {

void Outgoing::Add(const WireMessage& head, SlicePart part, EncodedFloats floats) {
  Open& open = open_[Key(head.type(), head.to().role(), head.to().group(), head.to().id())];
  const WireMessage& old = open.message.head;
  if (old.part_size() > 0 &&
      (old.step() != head.step() || old.group() != head.group() || old.hops() != head.hops() ||
       open.floats + floats.count > SliceTable::kMost))
    Send(&open);
  if (old.part_size() == 0) {
    open.message.head = head;
    *open.message.head.mutable_from() = from_;
  }
  part.set_elements(static_cast<uint32_t>(floats.count));
  if (floats.shorter) part.set_bytes(static_cast<uint32_t>(floats.bytes.size()));
  *open.message.head.add_part() = std::move(part);
  if (floats.bytes.size() > 0) open.message.payload.push_back(std::move(floats.bytes));
  open.floats += floats.count;
  if (open.floats >= send_at_ || open.message.head.part_size() >= kMostParts) Send(&open);
}

void Outgoing::Post(WireMessage head) {
  *head.mutable_from() = from_;
  out_->Post({std::move(head), {}});
}

void Outgoing::Flush() {
  for (auto& [key, open] : open_)
    if (open.message.head.part_size() > 0) Send(&open);
}

void Outgoing::Send(Open* open) { out_->Post(std::exchange(*open, {}).message); }

}  // namespace singa
