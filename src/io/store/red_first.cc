#include "io/store/red_first.h"

#include <utility>
#include <vector>

#include "io/store/store_wrapper.h"

namespace singa {
namespace {

class RedFirstStore final : public StoreWrapper {
 public:
  using StoreWrapper::StoreWrapper;

  const Sample& Read(int64_t index) override {
    sample_ = store().Read(index);
    if (sample_.decoded || sample_.size() % 3 != 0) return sample_;
    sample_.data = Turned(sample_.data, &numbers_);
    sample_.pixel = Turned(sample_.pixel, &pixels_);
    return sample_;
  }

 private:
  // from: [3, n].
  template <typename T>
  static std::span<const T> Turned(std::span<const T> from, std::vector<T>* to) {
    const size_t n = from.size() / 3;
    to->clear();
    for (size_t plane : {2, 1, 0}) {
      const auto part = from.subspan(plane * n, n);
      to->insert(to->end(), part.begin(), part.end());
    }
    return *to;
  }

  std::vector<float> numbers_;
  std::vector<uint8_t> pixels_;
  Sample sample_;
};

}  // namespace

std::unique_ptr<Store> RedFirst(std::unique_ptr<Store> store) {
  return std::make_unique<RedFirstStore>(std::move(store));
}

}  // namespace singa
