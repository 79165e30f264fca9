#include "comm/collective/mpi_world.h"

#include <array>
#include <chrono>
#include <string>
#include <thread>

#include "base/system/library.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

// The binary interface of Open MPI 2 and later: handles are pointers to objects of the library, and
// its header's constants have these values.
using Handle = void*;
constexpr int kSuccess = 0, kSerialized = 2, kTagBound = 0;
constexpr int kLongestText = 256, kLongestVersion = 256;
// Has room for MPI_Status, which only the library looks into.
struct alignas(16) Status {
  std::array<std::byte, 64> room;
};

Library library("libmpi.so.40", "MPI");

template <typename F>
using Function = LibraryFunction<F>;

Function<int(int*, char***, int, int*)> InitThread{&library, "MPI_Init_thread"};
Function<int()> FinalizeAll{&library, "MPI_Finalize"};
Function<int(Handle, Handle*)> Ibarrier{&library, "MPI_Ibarrier"};
Function<int(Handle, int*)> CommRank{&library, "MPI_Comm_rank"};
Function<int(Handle, int*)> CommSize{&library, "MPI_Comm_size"};
Function<int(Handle, Handle*)> CommDup{&library, "MPI_Comm_dup"};
Function<int(Handle, Handle)> SetErrorHandler{&library, "MPI_Comm_set_errhandler"};
Function<int(Handle, int, void*, int*)> GetAttribute{&library, "MPI_Comm_get_attr"};
Function<int(const void*, int, Handle, int, int, Handle, Handle*)> Isend{&library, "MPI_Isend"};
Function<int(void*, int, Handle, int, int, Handle, Handle*)> Irecv{&library, "MPI_Irecv"};
Function<int(Handle*, int*, Status*)> TestRequest{&library, "MPI_Test"};
Function<int(Handle*)> CancelRequest{&library, "MPI_Cancel"};
Function<int(const Status*, Handle, int*)> GetCount{&library, "MPI_Get_count"};
Function<int(char*, int*)> LibraryVersion{&library, "MPI_Get_library_version"};
Function<int(int, char*, int*)> ErrorString{&library, "MPI_Error_string"};

Handle World() { return library.Find("ompi_mpi_comm_world"); }
Handle Bytes() { return library.Find("ompi_mpi_byte"); }

}  // namespace

bool MpiWorld::Available(std::string* why) { return library.Available(why); }

std::string MpiWorld::Version() {
  std::array<char, kLongestVersion + 1> text{};
  int length = 0;
  if (LibraryVersion(text.data(), &length) != kSuccess) return library.file();
  const std::string version = text.data();
  return version.substr(0, version.find(','));  // the rest is the package's name
}

MpiWorld::MpiWorld() {
  const MutexLock lock(&mutex_);
  int level = 0;
  Check(InitThread(nullptr, nullptr, kSerialized, &level));
  if (level < kSerialized)
    throw DeviceError(
        "Open MPI was built without threads: MPI_Init_thread gives less than "
        "MPI_THREAD_SERIALIZED");
  Check(SetErrorHandler(World(), library.Find("ompi_mpi_errors_return")));
  Check(CommRank(World(), &rank_));
  Check(CommSize(World(), &size_));
  int* most = nullptr;
  int found = 0;
  Check(GetAttribute(World(), kTagBound, static_cast<void*>(&most), &found));
  tags_ = found && most ? int64_t{*most} + 1 : 1 << 15;  // the least that MPI allows
}

void MpiWorld::Check(int code) {
  if (code == kSuccess) return;
  std::array<char, kLongestText + 1> text{};
  int length = 0;
  ErrorString(code, text.data(), &length);
  throw PeerError(StrCat("MPI fails: ", text.data()));
}

void MpiWorld::Finalize(const ProgressDeadline& deadline) {
  constexpr std::chrono::microseconds kPause(100);
  Handle meeting = nullptr;
  {
    const MutexLock lock(&mutex_);
    Check(Ibarrier(World(), &meeting));
  }
  for (ProgressDeadline::Waiting waiting(deadline); !Test(&meeting);) {
    if (waiting.Ends())
      throw Error(kExitStalled, StrCat("a process does not end MPI: nothing of it for ",
                                       deadline.longest().count(), " ms"));
    std::this_thread::sleep_for(kPause);
  }
  const MutexLock lock(&mutex_);
  Check(FinalizeAll());
}

MpiWorld::Communicator MpiWorld::NewCommunicator() {
  const MutexLock lock(&mutex_);
  Handle made = nullptr;
  Check(CommDup(World(), &made));
  return made;
}

MpiWorld::Request MpiWorld::StartSend(Communicator in, int to, int64_t tag,
                                      std::span<const std::byte> bytes) {
  const MutexLock lock(&mutex_);
  Handle request = nullptr;
  Check(Isend(bytes.data(), static_cast<int>(bytes.size()), Bytes(), to, TagOf(tag), in, &request));
  return request;
}

MpiWorld::Request MpiWorld::StartReceive(Communicator in, int from, int64_t tag,
                                         std::span<std::byte> bytes) {
  const MutexLock lock(&mutex_);
  Handle request = nullptr;
  Check(
      Irecv(bytes.data(), static_cast<int>(bytes.size()), Bytes(), from, TagOf(tag), in, &request));
  return request;
}

void MpiWorld::Cancel(Request* request) {
  const MutexLock lock(&mutex_);
  Check(CancelRequest(request));
}

std::optional<int64_t> MpiWorld::Test(Request* request) {
  const MutexLock lock(&mutex_);
  int done = 0, count = 0;
  Status status;
  Check(TestRequest(request, &done, &status));
  if (!done) return std::nullopt;
  Check(GetCount(&status, Bytes(), &count));
  return count;
}

}  // namespace singa
