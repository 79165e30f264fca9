// Tests servers with more slices than one message has room for.
#include <gtest/gtest.h>

#include "cluster/server/step_norm.h"
#include "comm/transport/packet.h"
#include "support/cluster/cluster_of_roles.h"

namespace singa {
namespace {

constexpr int kSlices = 30'000;

std::vector<float> TrainedBy(int servers, bool twice = false) {
  ClusterOfRoles cluster(JobOf(StrCat(kSumUpdater, " clip_norm: 3"),
                               StrCat("nworkers_per_group: 2 nservers_per_group: ", servers)),
                         std::vector<Shape>(kSlices, Shape{1}), 0);
  int squares = 0;
  cluster.fate = [&](Posted* posted) {
    EXPECT_TRUE(Fits(posted->message, PacketLimits()));
    const bool is_squares = posted->message.head.type() == WireMessage::kSquares;
    squares += is_squares;
    return is_squares && twice ? 2 : 1;
  };
  cluster.Start(std::vector<float>(kSlices, 0));
  cluster.Train(2, [](int, int process, int64_t step, int slice) {
    return std::vector<float>{static_cast<float>((slice + process + step) % 7)};
  });
  EXPECT_EQ(cluster.done(0, 0), 2);
  EXPECT_EQ(cluster.refused(), twice ? squares : 0);
  // In two steps each server sends its squares in four messages or more.
  EXPECT_GE(squares, servers > 1 ? 2 * servers * 4 : 0);
  return cluster.Values(0);
}

TEST(ManySlicesTest, TheNormOfTensOfThousandsIsThatOfOneServer) {
  const std::vector<float> one = TrainedBy(1);
  EXPECT_NE(one[1], 0);
  EXPECT_EQ(TrainedBy(2), one);
  EXPECT_EQ(TrainedBy(2, /*twice=*/true), one);
}

TEST(StepNormTest, TakesPiecesInTheirOrderAndNothingElse) {
  StepNorm norm({SliceSet({0, 1, 2, 3}), SliceSet({4})});
  const std::vector<double> two = {9, 16}, one = {144}, three = {1, 1, 1};
  EXPECT_FALSE(norm.Add(0, 5, 2, two));  // not the first part
  EXPECT_TRUE(norm.Add(0, 5, 0, two));
  EXPECT_FALSE(norm.Add(0, 5, 0, two));    // a repeated part
  EXPECT_FALSE(norm.Add(0, 5, 3, one));    // one number is missing
  EXPECT_FALSE(norm.Add(0, 6, 2, two));    // part of another step
  EXPECT_FALSE(norm.Add(0, 5, 2, three));  // too many numbers
  EXPECT_FALSE(norm.Add(0, 5, 2, {}));
  EXPECT_TRUE(norm.Add(1, 5, 0, one));
  EXPECT_EQ(norm.Take(5), std::nullopt);
  EXPECT_EQ(norm.Missing(5), 0);
  EXPECT_TRUE(norm.Add(0, 5, 2, two));
  EXPECT_FALSE(norm.Add(0, 5, 4, two));
  EXPECT_EQ(norm.Missing(5), -1);
  EXPECT_EQ(norm.Take(5), 194);
  EXPECT_FALSE(norm.Add(0, 5, 0, two));  // the step is done
  EXPECT_TRUE(norm.Add(0, 6, 0, two));
}

}  // namespace
}  // namespace singa
