#include "comm/transport/zmq_frames.h"

#include <glog/logging.h>

#include <cerrno>
#include <memory>

namespace singa {
namespace {

// Up to this many bytes, copying a frame costs less than keeping its memory.
constexpr size_t kCopied = 2048;

// Releases a frame that ZeroMQ has sent. May run on ZeroMQ's thread.
void LetGo(void*, void* frame) { const std::unique_ptr<Frame> owned(static_cast<Frame*>(frame)); }

zmq::message_t ToMessage(const Frame& frame) {
  if (frame.size() <= kCopied) return {frame.data(), frame.size()};
  auto held = std::make_unique<Frame>(frame);
  // ZeroMQ only reads what it sends.
  zmq::message_t message(const_cast<void*>(frame.data()), frame.size(), LetGo, held.get());
  static_cast<void>(held.release());
  return message;
}

// Returns 0 or the value of errno.
int SendOne(zmq::socket_t* socket, zmq::message_t message, int flags) {
  while (zmq_msg_send(message.handle(), socket->handle(), flags | ZMQ_DONTWAIT) < 0)
    if (errno != EINTR) return errno;
  return 0;
}

bool ReceiveOne(zmq::socket_t* socket, zmq::message_t* message) {
  while (zmq_msg_recv(message->handle(), socket->handle(), ZMQ_DONTWAIT) < 0) {
    if (errno == EAGAIN) return false;
    CHECK_EQ(errno, EINTR) << "cannot receive: " << zmq_strerror(errno);
  }
  return true;
}

Frame ToFrame(zmq::message_t* message) {
  const auto place = reinterpret_cast<uintptr_t>(message->data());
  if (message->size() <= kCopied || place % alignof(float) != 0)
    return Frame::Copy(message->data(), message->size());
  const auto kept = std::make_shared<zmq::message_t>();
  kept->swap(*message);
  return {kept, kept->data(), kept->size()};
}

void TakeProperty(zmq::message_t* message, const char* name, std::string* value) {
  const char* const text = zmq_msg_gets(message->handle(), name);
  value->assign(text ? text : "");
}

}  // namespace

Sent SendFrames(zmq::socket_t* socket, const std::string& to, const Packet& packet) {
  int error = 0;
  if (!to.empty()) error = SendOne(socket, zmq::message_t(to.data(), to.size()), ZMQ_SNDMORE);
  for (size_t i = 0; i < packet.size() && (error == 0 || i > 0); ++i) {
    // If the connection ends between two frames, the rest must still be sent; ZeroMQ drops it.
    const int failed =
        SendOne(socket, ToMessage(packet[i]), i + 1 < packet.size() ? ZMQ_SNDMORE : 0);
    if (error == 0) error = failed;
  }
  if (error == 0) return Sent::kYes;
  if (error == EHOSTUNREACH) return Sent::kNoSuchPeer;
  CHECK_EQ(error, EAGAIN) << "cannot send: " << zmq_strerror(error);
  return Sent::kQueueFull;
}

bool ReceiveFrames(zmq::socket_t* socket, zmq::socket_type type, int max_frames,
                   Received* received) {
  received->from.clear();
  received->user.clear();
  received->peer.clear();
  received->descriptor = -1;
  received->packet.clear();
  received->too_many_frames = false;
  zmq::message_t message;
  if (!ReceiveOne(socket, &message)) return false;
  if (type == zmq::socket_type::router) {
    received->from.assign(message.data<char>(), message.size());
    if (!message.more() || !ReceiveOne(socket, &message)) return true;
    TakeProperty(&message, "User-Id", &received->user);
    if (message.size() == 0) received->descriptor = zmq_msg_get(message.handle(), ZMQ_SRCFD);
  } else {
    TakeProperty(&message, "Identity", &received->peer);
  }
  while (true) {
    const bool more = message.more();
    if (static_cast<int>(received->packet.size()) < max_frames)
      received->packet.push_back(ToFrame(&message));
    else
      received->too_many_frames = true;
    if (!more || !ReceiveOne(socket, &message)) break;
  }
  if (received->too_many_frames) received->packet.clear();
  return true;
}

}  // namespace singa
