#include <algorithm>

#include "train/initializer/check_conf.h"

namespace singa {
namespace {

class ConstantInit final : public Initializer {
 public:
  void Setup(const ParamGenProto& conf) override { value_ = CheckedValue(conf); }
  void Fill(Context&, Philox, const Shape& shape, float* data) const override {
    std::fill_n(data, shape.size(), value_);
  }

 private:
  float value_ = 0;
};
SINGA_REGISTER_INITIALIZER(kConstant, ConstantInit);

}  // namespace
}  // namespace singa
