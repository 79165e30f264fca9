// TestDevice is a device on which a test's kernels run and its numbers lie. A test with a TestPlace
// as its parameter runs at each place that exists, and its program prints these places.
#pragma once

#include <gtest/gtest.h>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "singa/tensor/context.h"
#include "support/emulated_gpu.h"
#include "support/emulated_stream.h"
#include "tensor/gpu/gpus.h"

namespace singa {

// kEmulated: the CPU's kernels in the memory of an EmulatedGpu. kCuda: GPU 0 of this machine.
enum class TestPlace { kHost, kEmulated, kCuda };

constexpr const char* NameOf(TestPlace place) {
  constexpr const char* names[] = {"host", "emulated", "cuda"};
  return names[static_cast<int>(place)];
}
inline void PrintTo(TestPlace place, std::ostream* out) { *out << NameOf(place); }
inline std::string PlaceName(const ::testing::TestParamInfo<TestPlace>& info) {
  return NameOf(info.param);
}

// These return the places that exist, without the host and with it.
inline std::vector<TestPlace> GpuPlaces() {
  std::vector<TestPlace> places = {TestPlace::kEmulated};
  if (CountGpus() > 0) places.push_back(TestPlace::kCuda);
  return places;
}
inline std::vector<TestPlace> AllPlaces() {
  std::vector<TestPlace> places = GpuPlaces();
  places.insert(places.begin(), TestPlace::kHost);
  return places;
}

class PrintPlaces : public ::testing::Environment {
 public:
  void SetUp() override {
    std::string why;
    const int gpus = CountGpus(&why);
    std::cout << "devices: the host, an emulated GPU, "
              << (gpus > 0 ? StrCat("CUDA's: ", gpus) : StrCat("none of CUDA: ", why)) << std::endl;
  }
};
inline const auto* const print_places = ::testing::AddGlobalTestEnvironment(new PrintPlaces);

struct TestDevice {
  explicit TestDevice(TestPlace place) {
    if (place == TestPlace::kHost) return;
    if (place == TestPlace::kCuda)
      gpu = OpenGpu(0);
    else
      gpu = std::make_unique<EmulatedGpu>();
    stream = gpu->NewStream();
    ctx.device = gpu->kernels();
    ctx.stream = stream.get();
  }
  TestDevice(const TestDevice&) = delete;

  std::unique_ptr<Gpu> gpu;  // null: the host
  std::unique_ptr<Stream> stream;
  Context ctx;
};

#define SINGA_TEST_AT_ALL_PLACES(Fixture)                                              \
  INSTANTIATE_TEST_SUITE_P(Places, Fixture, ::testing::ValuesIn(::singa::AllPlaces()), \
                           ::singa::PlaceName)
#define SINGA_TEST_ON_ALL_GPUS(Fixture)                                              \
  INSTANTIATE_TEST_SUITE_P(Gpus, Fixture, ::testing::ValuesIn(::singa::GpuPlaces()), \
                           ::singa::PlaceName)

}  // namespace singa
