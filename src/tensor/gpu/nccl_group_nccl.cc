// NcclGroup uses a communicator that does not block. Its member's thread checks meanwhile that the
// other members are still there, so nobody waits for a member that has failed.
#include "tensor/gpu/nccl_group.h"

#include <nccl.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "singa/base/error.h"
#include "tensor/gpu/cuda_stream.h"
#include "tensor/gpu/gpu_libraries.h"

namespace singa {
namespace {

template <typename F>
using Nccl = LibraryFunction<F>;
constinit Nccl<decltype(ncclGetErrorString)> ErrorString(&nccl, "ncclGetErrorString");
constinit Nccl<decltype(ncclGetLastError)> LastError(&nccl, "ncclGetLastError");
constinit Nccl<decltype(ncclGetUniqueId)> GetUniqueId(&nccl, "ncclGetUniqueId");
constinit Nccl<decltype(ncclCommInitRankConfig)> InitRank(&nccl, "ncclCommInitRankConfig");
constinit Nccl<decltype(ncclCommGetAsyncError)> GetAsyncError(&nccl, "ncclCommGetAsyncError");
constinit Nccl<decltype(ncclAllReduce)> AllReduce(&nccl, "ncclAllReduce");
constinit Nccl<decltype(ncclAllGather)> Gather(&nccl, "ncclAllGather");
constinit Nccl<decltype(ncclBroadcast)> BroadcastBytes(&nccl, "ncclBroadcast");
constinit Nccl<decltype(ncclSend)> SendBytes(&nccl, "ncclSend");
constinit Nccl<decltype(ncclRecv)> ReceiveBytes(&nccl, "ncclRecv");
constinit Nccl<decltype(ncclGroupStart)> GroupStart(&nccl, "ncclGroupStart");
constinit Nccl<decltype(ncclGroupEnd)> GroupEnd(&nccl, "ncclGroupEnd");
constinit Nccl<decltype(ncclCommAbort)> Abort(&nccl, "ncclCommAbort");

bool IsFault(ncclResult_t status) { return status != ncclSuccess && status != ncclInProgress; }

// comm: may be null.
std::string TextOf(ncclResult_t status, const char* what, ncclComm_t comm) {
  const char* const last = LastError(comm);
  const bool says_more = last && *last;
  return StrCat("NCCL: ", what, ": ", ErrorString(status), says_more ? ": " : "",
                says_more ? last : "");
}

cudaStream_t HandleOf(Stream& stream) { return static_cast<CudaStream&>(stream).handle(); }

static_assert(sizeof(ncclUniqueId) == sizeof(GpuGroupId));

class NcclGroup final : public GpuGroup {
 public:
  NcclGroup(const GpuMember& member, Gpu* gpu) : member_(member) {
    gpu->Use();
    ncclUniqueId id;
    std::memcpy(&id, member.id.data(), sizeof id);
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    try {
      Check(InitRank(&comm_, member.members, id, member.member, &config), "a communicator");
      AwaitCall("the communicator");
    } catch (...) {
      if (comm_) Abort(comm_);
      throw;
    }
    stands_ = true;
  }
  // Aborts instead of ncclCommDestroy, which would wait for the other processes of this host
  // without limit. Without a failure, all members have awaited their last sum before the first
  // leaves: a step ends for all workers of a process, and a job ends after a checkpoint of all.
  // After a failure nobody waits for sums.
  ~NcclGroup() override { Abort(comm_); }

  void Sum(float* values, int64_t n, Stream& stream) override {
    Sum(values, n, ncclFloat32, stream);
  }
  void Sum(double* values, int64_t n, Stream& stream) override {
    Sum(values, n, ncclFloat64, stream);
  }

  void AllGather(const std::byte* own, std::byte* all, int64_t n, Stream& stream) override {
    Check(Gather(own, all, static_cast<size_t>(n), ncclInt8, comm_, HandleOf(stream)), "a gather");
    AwaitCall("a gather's begin");
  }
  void Broadcast(int root, std::byte* bytes, int64_t n, Stream& stream) override {
    Check(BroadcastBytes(bytes, bytes, static_cast<size_t>(n), ncclInt8, root, comm_,
                         HandleOf(stream)),
          "a broadcast");
    AwaitCall("a broadcast's begin");
  }
  // Sends and receives of one group of calls run together: none waits for another to end.
  void Exchange(std::span<const GpuTransfer> transfers, Stream& stream) override {
    Check(GroupStart(), "messages");
    ncclResult_t fault = ncclSuccess;  // the group of calls ends in any case
    for (const GpuTransfer& one : transfers) {
      const auto size = static_cast<size_t>(one.size);
      const ncclResult_t status =
          one.sends ? SendBytes(one.bytes, size, ncclInt8, one.peer, comm_, HandleOf(stream))
                    : ReceiveBytes(one.bytes, size, ncclInt8, one.peer, comm_, HandleOf(stream));
      if (IsFault(status) && fault == ncclSuccess) fault = status;
    }
    const ncclResult_t end = GroupEnd();
    Check(fault, "a message");
    Check(end, "messages");
    AwaitCall("the messages' begin");
  }

  void Await(Event& event) override {
    GpuGroupWait wait(member_, "a sum");
    while (!event.Done()) {
      wait.Look();
      InProgress();
      std::this_thread::yield();
    }
  }

 private:
  void Sum(void* values, int64_t n, ncclDataType_t type, Stream& stream) {
    Check(AllReduce(values, values, static_cast<size_t>(n), type, ncclSum, comm_, HandleOf(stream)),
          "a sum");
    AwaitCall("a sum's begin");
  }
  // Throws PeerError if another process was lost. Before all have met, an error is this process's
  // own.
  void Check(ncclResult_t status, const char* what) const {
    if (!IsFault(status)) return;
    const std::string text = TextOf(status, what, comm_);
    // NCCL reports a lost process by these errors.
    if (stands_ && member_.over_processes &&
        (status == ncclRemoteError || status == ncclSystemError || status == ncclInternalError))
      throw PeerError(text);
    throw DeviceError(text);
  }
  // Returns whether the last call is still under way.
  bool InProgress() const {
    ncclResult_t status = ncclSuccess;
    Check(GetAsyncError(comm_, &status), "its state");
    Check(status, "the group");
    return status == ncclInProgress;
  }
  void AwaitCall(const char* what) const {
    GpuGroupWait wait(member_, what);
    for (wait.Look(); InProgress(); wait.Look()) std::this_thread::yield();
  }

  const GpuMember member_;
  ncclComm_t comm_ = nullptr;
  bool stands_ = false;  // all members have met
};

template <typename... Functions>
void FindAll(Functions&... functions) {
  (functions.Find(), ...);
}

}  // namespace

// Switches that add up themselves (NVLS) do so in a random order, so they are turned off. Buffers
// are not registered for captured sums: members would exchange them while each captures, so one
// that cannot capture would keep the others waiting, and replayed sums could have another order. A
// user's own setting stands.
bool CanUseNccl(std::string* why) {
  ::setenv("NCCL_NVLS_ENABLE", "0", 0);
  ::setenv("NCCL_GRAPH_REGISTER", "0", 0);
  try {
    FindAll(ErrorString, LastError, GetUniqueId, InitRank, GetAsyncError, AllReduce, Gather,
            BroadcastBytes, SendBytes, ReceiveBytes, GroupStart, GroupEnd, Abort);
    return true;
  } catch (const DeviceError& error) {
    *why = error.what();
    return false;
  }
}

GpuGroupId NewNcclGroup() {
  ncclUniqueId unique;
  const ncclResult_t status = GetUniqueId(&unique);
  if (IsFault(status)) throw DeviceError(TextOf(status, "an id", nullptr));
  GpuGroupId id;
  std::memcpy(id.data(), &unique, sizeof id);
  return id;
}

std::unique_ptr<GpuGroup> JoinNcclGroup(const GpuMember& member, Gpu* gpu) {
  return std::make_unique<NcclGroup>(member, gpu);
}

}  // namespace singa
