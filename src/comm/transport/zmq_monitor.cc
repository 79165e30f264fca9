#include "comm/transport/zmq_monitor.h"

#include <glog/logging.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "comm/transport/zmq_settings.h"
#include "singa/base/error.h"

namespace singa {

ZmqMonitor::ZmqMonitor(zmq::context_t* context, zmq::socket_t* watched, int events,
                       const std::string& name)
    : watched_(watched->handle()), socket_(MakeSocket(context, ZMQ_PAIR)) {
  const std::string address = "inproc://monitor." + name;
  if (zmq_socket_monitor(watched->handle(), address.c_str(), events) != 0)
    throw CannotMake("a monitor of a socket", errno);
  SetOption(&socket_, ZMQ_LINGER, 0);
  SetOption(&socket_, ZMQ_RCVHWM, 0);  // no limit: ZeroMQ's thread would wait for room
  socket_.connect(address);
}

// An event that comes after socket_ is closed would block ZeroMQ's thread for ever: it waits for
// somebody who takes the event, and serves no connection of the process any more.
ZmqMonitor::~ZmqMonitor() {
  if (zmq_socket_monitor(watched_, nullptr, 0) != 0)
    LOG(ERROR) << "a monitor does not stop: " << zmq_strerror(errno);
}

int ZmqMonitor::Next() {
  zmq::message_t message;
  if (!socket_.recv(message, zmq::recv_flags::dontwait)) return 0;
  uint16_t event = 0;
  if (message.size() >= sizeof(event)) std::memcpy(&event, message.data(), sizeof(event));
  while (message.more() && socket_.recv(message, zmq::recv_flags::dontwait)) continue;
  return event;
}

}  // namespace singa
