// MpiWorld is this process among those that Open MPI's mpirun has started. It loads Open MPI when a
// job asks for it, so that programs need neither its headers nor its library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/thread/mutex.h"
#include "base/thread/progress_deadline.h"

namespace singa {

// Any thread may use it. A failed call throws PeerError with MPI's text.
class MpiWorld {
 public:
  using Request = void*;
  using Communicator = void*;

  // Starts MPI, once in a process. Blocks until all ranks do so. Throws DeviceError if Open MPI is
  // not installed.
  MpiWorld();
  MpiWorld(const MpiWorld&) = delete;
  MpiWorld& operator=(const MpiWorld&) = delete;
  // Returns whether Open MPI can be loaded; if not, *why says why.
  static bool Available(std::string* why);
  // Returns the library's name and version for people. REQUIRES: it is available.
  static std::string Version();

  int rank() const { return rank_; }
  int size() const { return size_; }
  // Returns the number of tags that messages of one communicator can have. Larger tags repeat.
  int64_t tags() const { return tags_; }
  // Ends MPI, after which this object is of no use. Blocks until all ranks do so: MPI_Finalize has
  // no deadline, so they meet before it, and Error with kExitStalled is thrown if one does not come
  // in time. A rank that ends without it makes mpirun end the job as failed. REQUIRES: every
  // message was received.
  void Finalize(const ProgressDeadline& deadline);

  // Returns a communicator of all ranks, whose messages meet no others. All ranks make theirs in
  // the same order.
  Communicator NewCommunicator();
  // Start to send or receive a message. `bytes` are in use until Test returns a number.
  Request StartSend(Communicator in, int to, int64_t tag, std::span<const std::byte> bytes);
  Request StartReceive(Communicator in, int from, int64_t tag, std::span<std::byte> bytes);
  // Gives up a message that has not begun to come. Test then returns a number soon, as it does for
  // any other message.
  void Cancel(Request* request);
  // Returns, once the message was sent or received, its number of bytes.
  std::optional<int64_t> Test(Request* request);

 private:
  void Check(int code) REQUIRES(mutex_);
  int TagOf(int64_t tag) const { return static_cast<int>(tag % tags_); }

  Mutex mutex_;  // MPI allows one call at a time
  int rank_ = 0, size_ = 1;
  int64_t tags_ = 1;  // of messages: [0, tags_)
};

}  // namespace singa
