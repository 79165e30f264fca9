#include "io/picture/red_first.h"

#include <utility>

namespace singa {
namespace {

class RedFirstStore final : public Store {
 public:
  explicit RedFirstStore(std::unique_ptr<Store> store) : store_(std::move(store)) {}

  int64_t size() const override { return store_->size(); }
  const std::string& name() const override { return store_->name(); }
  std::string Where(int64_t index) const override { return store_->Where(index); }
  std::vector<std::string> classes() const override { return store_->classes(); }
  LeftOut left_out() const override { return store_->left_out(); }
  LabelRange Labels() override { return store_->Labels(); }

  const Sample& Read(int64_t index) override {
    sample_ = store_->Read(index);
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

  const std::unique_ptr<Store> store_;
  std::vector<float> numbers_;
  std::vector<uint8_t> pixels_;
  Sample sample_;
};

}  // namespace

std::unique_ptr<Store> RedFirst(std::unique_ptr<Store> store) {
  return std::make_unique<RedFirstStore>(std::move(store));
}

}  // namespace singa
