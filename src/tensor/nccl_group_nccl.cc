// A communicator that does not block is used by its member's thread alone, which looks meanwhile
// whether the others are still there: so nobody waits for a member that has failed.
#include "tensor/nccl_group.h"

#include <nccl.h>

#include <cstring>
#include <thread>

#include "singa/base/error.h"
#include "tensor/cuda_stream.h"
#include "tensor/library.h"

namespace singa {
namespace {

constinit Library library("libnccl.so.2");

template <typename F>
using Nccl = LibraryFunction<F>;
constinit Nccl<decltype(ncclGetErrorString)> ErrorString(&library, "ncclGetErrorString");
constinit Nccl<decltype(ncclGetUniqueId)> GetUniqueId(&library, "ncclGetUniqueId");
constinit Nccl<decltype(ncclCommInitRankConfig)> InitRank(&library, "ncclCommInitRankConfig");
constinit Nccl<decltype(ncclCommGetAsyncError)> GetAsyncError(&library, "ncclCommGetAsyncError");
constinit Nccl<decltype(ncclCommAbort)> Abort(&library, "ncclCommAbort");
constinit Nccl<decltype(ncclAllReduce)> AllReduce(&library, "ncclAllReduce");

void Check(ncclResult_t status, const char* what) {
  if (status == ncclSuccess || status == ncclInProgress) return;
  const std::string text = StrCat("NCCL: ", what, ": ", ErrorString(status));
  // Also what a connection that another process has lost looks like.
  if (status == ncclRemoteError || status == ncclSystemError || status == ncclInternalError)
    throw PeerError(text);
  throw DeviceError(text);
}

static_assert(sizeof(ncclUniqueId) == sizeof(GpuGroupId));

class NcclGroup final : public GpuGroup {
 public:
  NcclGroup(const GpuMember& member, Gpu* gpu) : member_(member) {
    gpu->Use();
    ncclUniqueId id;
    std::memcpy(&id, member.id.data(), sizeof id);
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    Check(InitRank(&comm_, member.members, id, member.member, &config), "a communicator");
    try {
      AwaitCall("the communicator");
    } catch (...) {
      Abort(comm_);
      throw;
    }
  }
  // Whoever has not come to the last sum, as it failed, is not waited for.
  ~NcclGroup() override { Abort(comm_); }

  void Sum(float* values, int64_t n, Stream& stream) override {
    Sum(values, n, ncclFloat32, stream);
  }
  void Sum(double* values, int64_t n, Stream& stream) override {
    Sum(values, n, ncclFloat64, stream);
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
    Check(AllReduce(values, values, static_cast<size_t>(n), type, ncclSum, comm_,
                    static_cast<CudaStream&>(stream).handle()),
          "a sum");
    AwaitCall("a sum's begin");
  }
  // Whether the last call is still under way.
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
};

}  // namespace

bool CanUseNccl(std::string* why) {
  try {
    library.Find("ncclCommInitRankConfig");
    NewNcclGroup();
    return true;
  } catch (const DeviceError& error) {
    *why = error.what();
    return false;
  }
}

GpuGroupId NewNcclGroup() {
  ncclUniqueId unique;
  Check(GetUniqueId(&unique), "an id");
  GpuGroupId id;
  std::memcpy(id.data(), &unique, sizeof id);
  return id;
}

std::unique_ptr<GpuGroup> JoinNcclGroup(const GpuMember& member, Gpu* gpu) {
  return std::make_unique<NcclGroup>(member, gpu);
}

}  // namespace singa
