// Measures the way over a bridge between two workers, threads of one process: each offers the other
// a region and takes the other's. Regions are whole rows, or half of each row of 256 rows.
// Argument: KiB that a worker takes. Shows bytes per second of both workers.
//
// Copy does the same by a memcpy of as many bytes in each thread, without waiting for the other.
// Bound is what any exchange must do: a thread says that its region is there, waits for the
// other's, copies it, says so, and waits until its own was copied. It has no more than two counters
// a thread.
#include <benchmark/benchmark.h>

#include <atomic>
#include <cstring>
#include <optional>
#include <vector>

#include "base/thread/spin_until.h"
#include "comm/exchange/memory_exchange.h"

namespace singa {
namespace {

// Workers has the memory that both threads use. It is made before they begin.
struct Workers {
  explicit Workers(int64_t taken)
      : floats(taken),
        board(RegionSizes{.workers = 2, .tags = 1}, SumNode{0, 2}),
        own(2, std::vector<float>(2 * taken, 1)),
        got(2, std::vector<float>(taken)) {}

  const int64_t floats;
  MemoryGroup group{{.ranks = {0, 2}, .group = 2, .here = 2}};
  RegionBoard board;
  std::vector<std::vector<float>> own, got;  // by worker
  struct alignas(128) Counter {
    std::atomic<int64_t> value{0};
    void Await(int64_t least) const {
      while (value.load(std::memory_order_acquire) < least) PauseInSpin();
    }
  };
  Counter offered[2], taken[2];  // by worker
};
std::optional<Workers> workers;

void MakeWorkers(const benchmark::State& state) { workers.emplace(state.range(0) * 1024 / 4); }

void ShowBytes(benchmark::State* state) {
  state->SetBytesProcessed(state->iterations() * workers->floats * 4);
}

void Exchange(benchmark::State& state, int64_t rows) {
  const int me = state.thread_index(), other = 1 - me;
  Context ctx;
  MemoryExchange exchange(&workers->board, &workers->group, me, nullptr);
  const int64_t run = workers->floats / rows;
  const Region from{.data = workers->own[me].data(), .count = rows, .stride = 2 * run, .run = run};
  const Region to{.data = workers->got[me].data(), .count = rows, .stride = run, .run = run};
  for (auto _ : state) {
    exchange.Offer(ctx, 0, other, from);
    exchange.Take(ctx, 0, other, to, false);
    exchange.AwaitTaken(0);
  }
  ShowBytes(&state);
}
void WholeRows(benchmark::State& state) { Exchange(state, 1); }
void HalfRows(benchmark::State& state) { Exchange(state, 256); }

// Copies `rows` rows of the other worker, each half of its row if there are several.
void CopyRows(int me, int64_t rows) {
  const int64_t run = workers->floats / rows;
  float* to = workers->got[me].data();
  const float* from = workers->own[1 - me].data();
  for (int64_t i = 0; i < rows; ++i)
    std::memcpy(to + i * run, from + i * 2 * run, run * sizeof(float));
  benchmark::ClobberMemory();
}

void Copy(benchmark::State& state, int64_t rows) {
  for (auto _ : state) CopyRows(state.thread_index(), rows);
  ShowBytes(&state);
}
void CopyWhole(benchmark::State& state) { Copy(state, 1); }
void CopyHalf(benchmark::State& state) { Copy(state, 256); }

void Bound(benchmark::State& state, int64_t rows) {
  const int me = state.thread_index(), other = 1 - me;
  int64_t round = 0;
  for (auto _ : state) {
    workers->offered[me].value.store(++round, std::memory_order_release);
    workers->offered[other].Await(round);
    CopyRows(me, rows);
    workers->taken[me].value.store(round, std::memory_order_release);
    workers->taken[other].Await(round);
  }
  ShowBytes(&state);
}
void BoundWhole(benchmark::State& state) { Bound(state, 1); }
void BoundHalf(benchmark::State& state) { Bound(state, 256); }

void Sizes(benchmark::internal::Benchmark* bench) {
  bench->Setup(MakeWorkers)->Threads(2)->UseRealTime()->ArgName("KiB");
  for (const int64_t kib : {64, 512, 4096, 32768}) bench->Arg(kib);
}
BENCHMARK(CopyWhole)->Apply(Sizes);
BENCHMARK(BoundWhole)->Apply(Sizes);
BENCHMARK(WholeRows)->Apply(Sizes);
BENCHMARK(CopyHalf)->Apply(Sizes);
BENCHMARK(BoundHalf)->Apply(Sizes);
BENCHMARK(HalfRows)->Apply(Sizes);

}  // namespace
}  // namespace singa
