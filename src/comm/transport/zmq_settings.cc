#include "comm/transport/zmq_settings.h"

#include <glog/logging.h>

#include <cerrno>
#include <string>

#include "singa/base/error.h"

namespace singa {
namespace {

void Set(zmq::socket_t* socket, int option, const void* value, size_t size) {
  CHECK_EQ(zmq_setsockopt(socket->handle(), option, value, size), 0)
      << "ZeroMQ's option " << option << ": " << zmq_strerror(errno);
}

}  // namespace

void SetOption(zmq::socket_t* socket, int option, int value) {
  Set(socket, option, &value, sizeof(value));
}

void SetOption(zmq::socket_t* socket, int option, const std::string& value) {
  Set(socket, option, value.data(), value.size());
}

void Apply(const SocketSettings& settings, zmq::socket_t* socket) {
  Set(socket, ZMQ_MAXMSGSIZE, &settings.max_frame_bytes, sizeof(settings.max_frame_bytes));
  SetOption(socket, ZMQ_SNDHWM, settings.queue);
  SetOption(socket, ZMQ_RCVHWM, settings.queue);
  SetOption(socket, ZMQ_IMMEDIATE, 1);  // no message waits for a connection that does not stand
  SetOption(socket, ZMQ_LINGER, settings.linger_ms);
  SetOption(socket, ZMQ_HANDSHAKE_IVL, settings.handshake_ms);
  SetOption(socket, ZMQ_HEARTBEAT_IVL, settings.heartbeat_ms);
  SetOption(socket, ZMQ_HEARTBEAT_TIMEOUT, settings.silent_ms);
  SetOption(socket, ZMQ_HEARTBEAT_TTL, settings.silent_ms);
  SetOption(socket, ZMQ_CONNECT_TIMEOUT, settings.handshake_ms);
  SetOption(socket, ZMQ_RECONNECT_IVL, settings.reconnect_ms);
  SetOption(socket, ZMQ_RECONNECT_IVL_MAX, settings.reconnect_most_ms);
  SetOption(socket, ZMQ_TCP_KEEPALIVE, 1);
  SetOption(socket, ZMQ_TCP_KEEPALIVE_IDLE, 10);  // seconds
  SetOption(socket, ZMQ_TCP_KEEPALIVE_INTVL, 5);
  SetOption(socket, ZMQ_TCP_KEEPALIVE_CNT, 3);
  SetOption(socket, ZMQ_TCP_MAXRT, 4 * settings.silent_ms);
  SetOption(socket, ZMQ_IPV6, settings.ipv6 ? 1 : 0);
  int type = 0;
  size_t size = sizeof(type);
  CHECK_EQ(zmq_getsockopt(socket->handle(), ZMQ_TYPE, &type, &size), 0);
  if (type != ZMQ_ROUTER) return;
  SetOption(socket, ZMQ_ROUTER_MANDATORY, 1);  // sending to an unknown peer is an error
  SetOption(socket, ZMQ_ROUTER_HANDOVER, 0);   // no peer takes another one's name
}

Error CannotMake(const std::string& what, int error) {
  return Error(kExitCantCreate,
               StrCat("cannot make ", what, ": ", zmq_strerror(error),
                      error == EMFILE ? "; raise the limit of open files (ulimit -n)" : ""));
}

zmq::context_t MakeContext(int io_threads, int most_sockets) {
  try {
    return zmq::context_t(io_threads, most_sockets);
  } catch (const zmq::error_t& error) {
    throw CannotMake("sockets", error.num());
  }
}

zmq::socket_t MakeSocket(zmq::context_t* context, int type) {
  try {
    return zmq::socket_t(*context, type);
  } catch (const zmq::error_t& error) {
    throw CannotMake("a socket", error.num());
  }
}

}  // namespace singa
