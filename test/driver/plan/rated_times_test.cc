#include "driver/plan/rated_times.h"

#include <gtest/gtest.h>

#include "support/driver/plan_jobs.h"

namespace singa::rated_times {
namespace {

PartTimes TimesOn(const MachineProto& machine, const PlanCluster& cluster) {
  return RatedTimes(machine).Of({{ImageJob(), cluster}})[0];
}

// fc1 multiplies [12, 96] by [96, 40].
constexpr double kProductFlops = 2.0 * 12 * 96 * 40;

TEST(RatedTimes, AProductTakesItsOperationsAtTheMachinesSpeed) {
  MachineProto machine = SmallMachine();
  machine.set_gflops(1e-3);
  const PartTimes times = TimesOn(machine, WorkersOn(1));
  EXPECT_NEAR(times.layers.at("fc1").forward, 1e3 * kProductFlops / 1e6, 1e-6);
  EXPECT_NEAR(times.layers.at("fc1").backward, 2e3 * kProductFlops / 1e6, 1e-6);
}

TEST(RatedTimes, AThreadOfTwoTakesHalfTheTime) {
  MachineProto machine = SmallMachine();
  machine.set_gflops(1e-3);
  PlanCluster cluster = WorkersOn(1);
  const double one = TimesOn(machine, cluster).layers.at("fc1").forward;
  cluster.threads = cluster.cores = 2;
  EXPECT_NEAR(TimesOn(machine, cluster).layers.at("fc1").forward, one / 2, 1e-9);
}

TEST(RatedTimes, MoreThreadsThanCoresAreNotFaster) {
  MachineProto machine = SmallMachine();
  machine.set_gflops(1e-3);
  PlanCluster cluster = WorkersOn(1);
  const double one = TimesOn(machine, cluster).layers.at("fc1").forward;
  cluster.threads = 8;
  EXPECT_NEAR(TimesOn(machine, cluster).layers.at("fc1").forward, one, 1e-9);
}

TEST(RatedTimes, AMoveTakesItsBytesAtTheMachinesSpeed) {
  MachineProto machine = SmallMachine();
  machine.set_gb_per_s(1e-3);
  const double bytes = 2.0 * 12 * 6 * 8 * 8 * 4;  // relu reads and writes its feature
  EXPECT_NEAR(TimesOn(machine, WorkersOn(1)).layers.at("relu").forward, 1e3 * bytes / 1e6, 1e-6);
}

TEST(RatedTimes, ATypeMayHaveItsOwnSpeed) {
  MachineProto machine = SmallMachine();
  machine.set_gb_per_s(1e-3);
  const double before = TimesOn(machine, WorkersOn(1)).layers.at("relu").forward;
  MachineProto::Rate& rate = *machine.add_rate();
  rate.set_type(kReLU);
  rate.set_gb_per_s(2e-3);
  EXPECT_NEAR(TimesOn(machine, WorkersOn(1)).layers.at("relu").forward, before / 2, 1e-9);
}

TEST(RatedTimes, EachCallTakesTheMachinesOverhead) {
  MachineProto machine = SmallMachine();
  const double before = TimesOn(machine, WorkersOn(1)).layers.at("fc1").forward;
  machine.set_call_us(7);
  EXPECT_NEAR(TimesOn(machine, WorkersOn(1)).layers.at("fc1").forward, before + 7e-3, 1e-9);
}

}  // namespace
}  // namespace singa::rated_times
