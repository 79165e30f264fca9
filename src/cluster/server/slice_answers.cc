#include "cluster/server/slice_answers.h"

#include <utility>

#include "cluster/protocol/addresses.h"

namespace singa {
namespace {

WireMessage HeadTo(int worker_group, int process, WireMessage::Type type) {
  WireMessage head;
  head.set_type(type);
  *head.mutable_to() = ClientAddress(worker_group, process);
  return head;
}

}  // namespace

const float* SliceAnswers::Encode(int slice, const float* sum, EncodedFloats* to) {
  const int64_t n = shard_.size(slice);
  *to = EncodeSum(setup_.codec, {sum, static_cast<size_t>(n)});
  decoded_ = Decode(setup_.codec, to->bytes, n).value();
  return FloatsOf(decoded_).data();
}

void SliceAnswers::SendValues(SlicePart part, int worker_group, int process, Frame* values) {
  const bool shared = SharesMemory(process);
  if (!shared && values->size() == 0)
    *values = CopyFloats(shard_.values(static_cast<int>(part.slice())));
  out_.Add(HeadTo(worker_group, process, WireMessage::kValues), std::move(part),
           shared ? Frame() : *values);
}

void SliceAnswers::SendApplied(SlicePart part, int worker_group, int process,
                               const EncodedFloats& sum) {
  out_.Add(HeadTo(worker_group, process, WireMessage::kApplied), std::move(part),
           SharesMemory(process) ? EncodedFloats() : sum);
}

bool SliceAnswers::SharesMemory(int process) const {
  return !setup_.values.empty() && process == setup_.topology.ProcessOfServer(setup_.self);
}

}  // namespace singa
