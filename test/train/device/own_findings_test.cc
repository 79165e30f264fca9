// Tests what a worker's GPU finds about the worker's own losses and gradients.
#include "train/device/own_findings.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/device_memory.h"
#include "support/test_device.h"

namespace singa {
namespace {

class OwnFindingsTest : public ::testing::TestWithParam<TestPlace> {
 protected:
  OwnFindingsTest() {
    gradient_ = memory_.Allocate({300});
    Write({});
  }
  // Writes a gradient that is NaN at these places.
  void Write(const std::vector<int>& bad) {
    std::vector<float> floats(300, 1);
    for (const int i : bad) floats[i] = NAN;
    memory_.Write(floats.data(), &gradient_);
  }
  UpdatePiece Piece(int64_t begin, int64_t n) {
    UpdatePiece piece = {};
    piece.g = gradient_.data() + begin;
    piece.n = n;
    return piece;
  }
  std::vector<bool> Bad(const OwnFindings& own, int pieces) const {
    std::vector<bool> bad;
    for (int piece = 0; piece < pieces; ++piece) bad.push_back(own.PieceIsBad(piece));
    return bad;
  }

  TestDevice device_{GetParam()};
  Context& ctx_ = device_.ctx;
  DeviceMemory memory_{&ctx_};
  Tensor gradient_;
};
SINGA_TEST_AT_ALL_PLACES(OwnFindingsTest);

// Piece 1 is another worker's. The pieces' gradients do not lie in their order.
TEST_P(OwnFindingsTest, AreAboutPiecesOfTheWholeModel) {
  OwnFindings own(&ctx_, 0);
  own.Add(Piece(200, 100));
  own.Add({});
  own.Add(Piece(0, 100));
  own.Add(Piece(100, 100));
  own.Place();
  Write({50, 299});
  own.InspectAll();
  EXPECT_EQ(Bad(own, 4), (std::vector<bool>{true, false, true, false}));
  Write({});
  own.InspectAll();
  EXPECT_EQ(Bad(own, 4), std::vector<bool>(4));
}

TEST_P(OwnFindingsTest, OfSomeFloatsLeaveOtherPiecesAsTheyWere) {
  OwnFindings own(&ctx_, 0);
  for (const int64_t begin : {0, 100, 200}) own.Add(Piece(begin, 100));
  own.Place();
  Write({0, 100, 200});
  own.Inspect(ctx_.stream, {gradient_.data() + 100, 100});
  EXPECT_EQ(Bad(own, 3), (std::vector<bool>{false, true, false}));
  own.Inspect(ctx_.stream, {gradient_.data() + 200, 100});
  EXPECT_EQ(Bad(own, 3), (std::vector<bool>{false, true, true}));
}

TEST_P(OwnFindingsTest, AreAboutLosses) {
  OwnFindings own(&ctx_, 2);
  const std::vector<float> bad = {0, 1};
  CopyFromHost(ctx_, bad.data(), own.bad_losses(), 2 * sizeof(float));
  EXPECT_FALSE(own.LossIsBad(0));
  EXPECT_TRUE(own.LossIsBad(1));
}

// OthersSay adds what other members say.
class OthersSay final : public GroupSum {
 public:
  explicit OthersSay(std::vector<double> others) : others_(std::move(others)) {}
  void Sum(std::span<double> values) override {
    for (size_t i = 0; i < others_.size(); ++i) values[i] += others_[i];
  }

 private:
  const std::vector<double> others_;
};

TEST(OwnFindings, TheFirstMemberThatIsToBlameIsNamed) {
  const GpuMember second = {.id = {}, .members = 3, .member = 1};
  OthersSay none({0, 0, 0}), last({0, 0, 1}), first({1, 0, 0});
  EXPECT_EQ(FirstOf(&none, second, false), -1);
  EXPECT_EQ(FirstOf(&none, second, true), 1);
  EXPECT_EQ(FirstOf(&last, second, true), 1);
  EXPECT_EQ(FirstOf(&last, second, false), 2);
  EXPECT_EQ(FirstOf(&first, second, true), 0);
}

}  // namespace
}  // namespace singa
