// Measures the time for which a commit of 243 MB holds a training, with the retention that follows.
// Compares it with writing as many bytes with their SHA-256 and CRC32C to the same disk.
// $SINGA_BENCH_FOLDER sets the folder. By default it is a folder for temporary files.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file/file_system.h"
#include "io/checkpoint/checkpoint_writer.h"
#include "io/checkpoint/retention.h"
#include "io/checkpoint/safetensors_writer.h"

namespace singa {
namespace {

constexpr int64_t kNumbers = 243'000'000 / sizeof(float);

std::string NewFolder() {
  const char* const parent = std::getenv("SINGA_BENCH_FOLDER");
  std::string name = std::string(parent ? parent : "/tmp") + "/singa-bench-XXXXXX";
  if (!mkdtemp(name.data())) std::abort();
  return name;
}

double ResidentMiB() {
  rusage use;
  getrusage(RUSAGE_SELF, &use);
  return static_cast<double>(use.ru_maxrss) / 1024;
}

CheckpointContent ContentOf(const std::vector<float>& values, int64_t step) {
  CheckpointContent content;
  content.step = step;
  content.conf_sha256 = std::string(64, '0');
  content.params.push_back(Stored("w", {kNumbers}, values.data()));
  return content;
}

void BM_Write(benchmark::State& state) {
  const std::vector<float> values(kNumbers, 1.5f);
  const std::string folder = NewFolder();
  PosixFileSystem disk;
  for (auto _ : state) {
    const auto file = disk.Create(folder + "/a");
    WriteSafetensors({Stored("w", {kNumbers}, values.data())}, file.get());
    file->Sync();
    file->Close();
    disk.SyncDirectory(folder);
    state.PauseTiming();
    disk.RemoveTree(folder + "/a");
    state.ResumeTiming();
  }
  std::filesystem::remove_all(folder);
}

void BM_CommitAndRetain(benchmark::State& state) {
  const std::vector<float> values(kNumbers, 1.5f);
  const std::string folder = NewFolder();
  PosixFileSystem disk;
  const double before = ResidentMiB();
  int64_t step = 0;
  for (auto _ : state) {
    WriteCheckpoint(disk, folder, ContentOf(values, ++step));
    ApplyRetention(disk, folder, step, 1);
  }
  state.counters["RSS grows by MiB"] = ResidentMiB() - before;
  std::filesystem::remove_all(folder);
}

BENCHMARK(BM_Write)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(5);
BENCHMARK(BM_CommitAndRetain)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(5);

}  // namespace
}  // namespace singa
