// Measures how long two processes of this host take to have the sum of a float array of each:
//   sums    as the workers of a job do it: arrays in shared memory, slices added up by who is free
//   threads the same by two threads of one process
//   values  a collective's all-reduce of arrays of their own, through shared memory
//   mpi     MPI_Allreduce; `mpirun -n 2` starts the program
//   gloo    gloo's allreduce over tcp, if the program was built with it
//   bound   two threads each add half of two arrays up, and wait for nobody
// Each way first writes its array, as a backward pass does: numbers that the other process has read
// before, and still has in its cache, would cost nothing. Each rank has a core, as in a job whose
// workers use all cores, and as mpirun gives it.
//
// usage: all_reduce_bench WAY; rank 0 prints "KiB microseconds" for each size.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/system/library.h"
#include "base/thread/core_binding.h"
#include "comm/collective/buffer_sums.h"
#include "comm/collective/memory_collective.h"

#ifdef SINGA_GLOO
#include <gloo/allreduce.h>
#include <gloo/math.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>
#endif

namespace singa {
namespace {

constexpr int64_t kLeast = 4, kMost = 65536;  // KiB

// Runs `all_reduce` after `own` was written, again and again, and prints the time in rank 0.
void Time(int rank, std::span<float> own, const std::function<void()>& all_reduce) {
  const int64_t kib = std::ssize(own) / 256;
  float next = 0;
  const auto step = [&] {
    std::ranges::fill(own, ++next);
    all_reduce();
  };
  const int64_t runs = std::clamp<int64_t>((1 << 18) / kib, 10, 5000);
  for (int i = 0; i < 5; ++i) step();
  const auto start = std::chrono::steady_clock::now();
  for (int64_t i = 0; i < runs; ++i) step();
  const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
  if (rank == 0) std::printf("%ld %.2f\n", kib, time.count() / static_cast<double>(runs));
}

void ForSizes(const std::function<void(int64_t kib, int64_t floats)>& run) {
  for (int64_t kib = kLeast; kib <= kMost; kib *= 4) run(kib, kib * 256);
}

// Zero-filled memory that processes share.
std::byte* SharedMemory(int64_t bytes) {
  void* const memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  return static_cast<std::byte*>(memory);
}

void Bind(int rank) {
  if (AffinityCores() > rank) BindToCores(rank, 1);
}

// Runs `work` in this process as rank 0 and in a child as rank 1.
void InTwo(const std::function<void(int rank)>& work) {
  const pid_t child = ::fork();
  Bind(child == 0 ? 1 : 0);
  work(child == 0 ? 1 : 0);
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
}

// Runs `work` in two threads.
void InThreads(const std::function<void(int rank)>& work) {
  std::thread other([&work] {
    Bind(1);
    work(1);
  });
  Bind(0);
  work(0);
  other.join();
}

struct NoConsumer final : BufferSums::Consumer {
  void Consume(Context&, int, std::span<float* const>) override {}
};

// Adds up as one rank.
void AddUp(MemoryGroup* group, BufferSums* sums, int rank, std::span<float> own) {
  MemoryCollective collective(group, rank, nullptr);
  Context ctx;
  NoConsumer consumer;
  Time(rank, own, [&] {
    sums->Offer(0);
    sums->Reduce(ctx, &consumer);
    collective.Barrier();
    if (rank == 0) sums->Restart();
    collective.Barrier();
  });
}

void Sums(int64_t kib, int64_t floats) {
  const MemoryBoard::Size size{.ranks = 2, .buffers = 1};
  std::byte* const memory = SharedMemory(MemoryBoard::Bytes(size));
  float* const arrays = reinterpret_cast<float*>(SharedMemory(2 * kib * 1024));
  const SliceTable table({Shape({floats})});
  InTwo([&](int rank) {
    const MemoryBoard board(size, memory);
    MemoryGroup group({.ranks = {0, 2}, .group = 2, .here = 1, .buffers = 1, .shared = &board});
    BufferSums sums(table, &group);
    for (int other = 0; other < 2; ++other) sums.Register(other, {{arrays + other * floats}});
    AddUp(&group, &sums, rank, {arrays + rank * floats, static_cast<size_t>(floats)});
  });
}

void Threads(int64_t, int64_t floats) {
  std::vector<float> arrays(2 * floats);
  const SliceTable table({Shape({floats})});
  MemoryGroup group({.ranks = {0, 2}, .group = 2, .here = 2, .buffers = 1});
  BufferSums sums(table, &group);
  for (int rank = 0; rank < 2; ++rank) sums.Register(rank, {{arrays.data() + rank * floats}});
  InThreads([&](int rank) {
    AddUp(&group, &sums, rank, {arrays.data() + rank * floats, static_cast<size_t>(floats)});
  });
}

void Values(int64_t, int64_t floats) {
  const MemoryBoard::Size size{.ranks = 2};
  std::byte* const memory = SharedMemory(MemoryBoard::Bytes(size));
  InTwo([&](int rank) {
    const MemoryBoard board(size, memory);
    MemoryGroup group({.ranks = {0, 2}, .group = 2, .here = 1, .shared = &board});
    MemoryCollective collective(&group, rank, nullptr);
    std::vector<float> values(floats);
    Time(rank, values, [&] { collective.AllReduce(values); });
  });
}

void Bound(int64_t, int64_t floats) {
  std::vector<float> a(floats), b(floats);
  const int64_t half = floats / 2;
  const auto add = [&](int rank) {
    Time(rank, rank == 0 ? a : b, [&] {
      float* const to = a.data() + rank * half;
      const float* const from = b.data() + rank * half;
#pragma omp simd
      for (int64_t i = 0; i < half; ++i) to[i] += from[i];
    });
  };
  InThreads(add);
}

// Open MPI's binary interface, as in comm/collective/mpi_world.cc.
void Mpi() {
  using Handle = void*;
  static Library library("libmpi.so.40", "MPI");
  LibraryFunction<int(int*, char***)> Init{&library, "MPI_Init"};
  LibraryFunction<int()> Finalize{&library, "MPI_Finalize"};
  LibraryFunction<int(Handle, int*)> Rank{&library, "MPI_Comm_rank"};
  LibraryFunction<int(const void*, void*, int, Handle, Handle, Handle)> Allreduce{&library,
                                                                                  "MPI_Allreduce"};
  const Handle world = library.Find("ompi_mpi_comm_world"), sum = library.Find("ompi_mpi_op_sum"),
               type = library.Find("ompi_mpi_float");
  void* const in_place = reinterpret_cast<void*>(1);
  int rank = 0;
  Init(nullptr, nullptr);
  Rank(world, &rank);
  ForSizes([&](int64_t, int64_t floats) {
    std::vector<float> values(floats);
    Time(rank, values,
         [&] { Allreduce(in_place, values.data(), static_cast<int>(floats), type, sum, world); });
  });
  Finalize();
}

#ifdef SINGA_GLOO
void Gloo() {
  char folder[] = "/tmp/all_reduce_bench_XXXXXX";
  if (!::mkdtemp(folder)) std::abort();
  InTwo([&](int rank) {
    gloo::transport::tcp::attr attr("127.0.0.1");
    auto device = gloo::transport::tcp::CreateDevice(attr);
    gloo::rendezvous::FileStore store(folder);
    const auto context = std::make_shared<gloo::rendezvous::Context>(rank, 2);
    context->connectFullMesh(store, device);
    ForSizes([&](int64_t, int64_t floats) {
      std::vector<float> values(floats);
      gloo::AllreduceOptions options(context);
      options.setOutput(values.data(), values.size());
      options.setReduceFunction(
          static_cast<void (*)(void*, const void*, const void*, size_t)>(&gloo::sum<float>));
      Time(rank, values, [&] { gloo::allreduce(options); });
    });
  });
  std::system((std::string("rm -r ") + folder).c_str());
}
#else
void Gloo() { std::exit(3); }  // the program was built without gloo
#endif

}  // namespace
}  // namespace singa

int main(int argc, char** argv) {
  const std::string way = argc > 1 ? argv[1] : "";
  if (way == "sums") singa::ForSizes(singa::Sums);
  if (way == "threads") singa::ForSizes(singa::Threads);
  if (way == "values") singa::ForSizes(singa::Values);
  if (way == "bound") singa::ForSizes(singa::Bound);
  if (way == "mpi") singa::Mpi();
  if (way == "gloo") singa::Gloo();
}
