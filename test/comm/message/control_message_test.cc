#include "comm/message/control_message.h"

#include <gtest/gtest.h>

namespace singa {
namespace {

TEST(ControlMessageTest, GoesToAStub) {
  const Message message = ControlTo(3, StepsOf(1, 70));
  EXPECT_EQ(message.head.type(), WireMessage::kControl);
  EXPECT_EQ(message.head.to().role(), Address::kStub);
  EXPECT_EQ(message.head.to().id(), 3u);
  EXPECT_EQ(message.head.control().steps().group(), 1);
  EXPECT_EQ(message.head.control().steps().steps(), 70);
}

TEST(ControlMessageTest, HasAKindWithoutFields) {
  EXPECT_EQ(EmptyControl(ControlMessage::kHold).kind_case(), ControlMessage::kHold);
  EXPECT_EQ(EmptyControl(ControlMessage::kEnd).kind_case(), ControlMessage::kEnd);
}

TEST(ControlMessageTest, NamesItsKind) {
  EXPECT_EQ(NameOf(ControlMessage::kCheckpointRequest), "checkpoint_request");
}

TEST(ControlMessageTest, BeginsWithoutACheckpointByFirstValues) {
  EXPECT_FALSE(BeginAt({4, 5}, 9, "").has_checkpoint());
  EXPECT_EQ(BeginAt({4, 5}, 9, "step4").checkpoint(), "step4");
  EXPECT_EQ(BeginAt({4, 5}, 9, "").group_steps(1), 5);
  EXPECT_EQ(BeginAt({4, 5}, 9, "").steps(), 9);
}

}  // namespace
}  // namespace singa
