// Measures the way over a bridge between two workers, threads of one process: each offers the other
// a region and takes the other's. Copy does the same by a memcpy of as many bytes in each thread,
// without waiting for the other. Regions are whole rows, or half of each row of 256 rows. Argument:
// KiB that a worker takes. Shows bytes per second of both workers.
#include <benchmark/benchmark.h>

#include <cstring>
#include <optional>
#include <vector>

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

void Copy(benchmark::State& state) {
  const int me = state.thread_index();
  for (auto _ : state) {
    std::memcpy(workers->got[me].data(), workers->own[1 - me].data(), workers->floats * 4);
    benchmark::ClobberMemory();
  }
  ShowBytes(&state);
}

void Sizes(benchmark::internal::Benchmark* bench) {
  bench->Setup(MakeWorkers)->Threads(2)->UseRealTime()->ArgName("KiB");
  for (const int64_t kib : {64, 512, 4096, 32768}) bench->Arg(kib);
}
BENCHMARK(Copy)->Apply(Sizes);
BENCHMARK(WholeRows)->Apply(Sizes);
BENCHMARK(HalfRows)->Apply(Sizes);

}  // namespace
}  // namespace singa
