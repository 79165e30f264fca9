// Tests how the workers of a plan share the cores of a host.
#include "driver/plan/plan_cluster.h"

#include <gtest/gtest.h>

namespace singa {
namespace {

PlanCluster OfWorkers(int workers) {
  PlanCluster cluster;
  cluster.workers = workers;
  cluster.cores = 2;
  return cluster;
}

TEST(PlanCluster, AsManyWorkersAsCoresShareNone) {
  EXPECT_EQ(OfWorkers(2).turns(), 1);
  EXPECT_EQ(OfWorkers(2).sharing(), 1);
}

// Three workers are as slow as four in their own work, and not in work that any of them takes.
TEST(PlanCluster, MoreWorkersThanCoresTakeTurns) {
  EXPECT_EQ(OfWorkers(3).turns(), 2);
  EXPECT_EQ(OfWorkers(4).turns(), 2);
  EXPECT_EQ(OfWorkers(5).turns(), 3);
  EXPECT_EQ(OfWorkers(3).sharing(), 1.5);
}

TEST(PlanCluster, HostsTakeNoTurnsForEachOther) {
  PlanCluster cluster = OfWorkers(4);
  cluster.hosts = 2;
  EXPECT_EQ(cluster.turns(), 1);
}

}  // namespace
}  // namespace singa
