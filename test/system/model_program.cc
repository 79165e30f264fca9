// This user's program out of the tree only uses a trained net:
//   model_program CONF CHECKPOINT IMAGES ROWS THREADS
// It prints the model's sizes, and the best class of each of the first ROWS pictures of an idx
// file. Then it runs THREADS sessions at the same time. It prints how many gave other numbers than
// the first, and the bytes by which the process grew from the model to the sessions' end.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>
#include <vector>

#include "singa/driver/model.h"

namespace {

// Returns the numbers of the first `rows` pictures.
std::vector<float> Pixels(const char* path, int64_t rows, int64_t size) {
  std::ifstream file(path, std::ios::binary);
  file.seekg(16);
  std::vector<float> numbers(rows * size);
  for (float& number : numbers) number = static_cast<float>(file.get());
  return numbers;
}

int64_t ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  int64_t pages = 0;
  file >> pages >> pages;
  return pages * sysconf(_SC_PAGESIZE);
}

}  // namespace

int main(int, char** argv) try {
  const singa::Model model(argv[1], {.checkpoint = argv[2]});
  const int64_t rows = std::atoi(argv[4]);
  const std::vector<float> pixels = Pixels(argv[3], rows, model.input_size());
  std::printf("%s %lld %lld\n", model.layer().c_str(), static_cast<long long>(model.input_size()),
              static_cast<long long>(model.output_size()));
  const int64_t before = ResidentBytes();
  std::vector<std::vector<float>> scores(std::atoi(argv[5]));
  std::vector<std::thread> threads;
  for (std::vector<float>& own : scores)
    threads.emplace_back([&] { own = singa::Session(model, {.max_batch = 10}).Run(pixels); });
  for (std::thread& thread : threads) thread.join();
  const int64_t growth = ResidentBytes() - before;
  for (int64_t r = 0; r < rows; ++r) {
    const auto row = scores[0].begin() + r * model.output_size();
    std::printf("%d ", static_cast<int>(std::max_element(row, row + model.output_size()) - row));
  }
  std::printf("\nothers %d\ngrowth %lld\n",
              static_cast<int>(std::count_if(scores.begin(), scores.end(),
                                             [&](const auto& own) { return own != scores[0]; })),
              static_cast<long long>(growth));
} catch (const singa::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return error.code();
}
