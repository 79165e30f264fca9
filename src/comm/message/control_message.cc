#include "comm/message/control_message.h"

#include <utility>

namespace singa {
namespace {

// `kind` is the number of its field.
const google::protobuf::FieldDescriptor* FieldOf(ControlMessage::KindCase kind) {
  return ControlMessage::descriptor()->FindFieldByNumber(kind);
}

}  // namespace

Message ControlTo(int rank, ControlMessage control) {
  Message message;
  message.head.set_type(WireMessage::kControl);
  message.head.mutable_to()->set_id(rank);
  *message.head.mutable_control() = std::move(control);
  return message;
}

ControlMessage EmptyControl(ControlMessage::KindCase kind) {
  ControlMessage control;
  ControlMessage::GetReflection()->MutableMessage(&control, FieldOf(kind));
  return control;
}

ControlMessage::Begin BeginAt(const std::vector<int64_t>& group_steps, int64_t total,
                              const std::string& checkpoint, double epoch_steps) {
  ControlMessage::Begin begin;
  begin.set_steps(total);
  begin.mutable_group_steps()->Add(group_steps.begin(), group_steps.end());
  if (!checkpoint.empty()) begin.set_checkpoint(checkpoint);
  if (epoch_steps > 0) begin.set_steps_per_epoch(epoch_steps);
  return begin;
}

ControlMessage StepsOf(int64_t group, int64_t steps) {
  ControlMessage news;
  news.mutable_steps()->set_group(group);
  news.mutable_steps()->set_steps(steps);
  return news;
}

ControlMessage LeftBy(int64_t group) {
  ControlMessage news;
  news.mutable_left()->set_group(group);
  return news;
}

std::string NameOf(ControlMessage::KindCase kind) { return FieldOf(kind)->name(); }

}  // namespace singa
