// Tests that processes with another program, job.conf or data are refused.
#include "driver/job/alike.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "singa/base/error.h"

namespace singa::alike_test {

using Alike = ControlMessage::Alike;

Alike Facts() {
  Alike alike;
  alike.set_build("abc");
  alike.mutable_settings()->insert({{"cluster.sync_freq", "5"}, {"neuralnet", "a hash"}});
  alike.set_gradients("MPI");
  Alike::Store* const store = alike.add_stores();
  store->set_layer("data");
  store->set_records(100);
  store->set_fingerprint(7);
  return alike;
}

// Returns the error of a process that differs from the first one by `change`; "": there is none.
std::string ErrorOf(const std::function<void(Alike*)>& change) {
  Alike own = Facts();
  change(&own);
  try {
    CheckAlike(Facts(), own);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), kExitConfig);
    return error.what();
  }
  return "";
}

TEST(Alike, ProcessesWithTheSameFactsAreAccepted) {
  EXPECT_EQ(ErrorOf([](Alike*) {}), "");
}

TEST(Alike, AProcessWithoutWorkersHasNoDataToCompare) {
  EXPECT_EQ(ErrorOf([](Alike* own) { own->clear_stores(); }), "");
}

TEST(Alike, AnotherWayOfGradientsIsNamed) {
  EXPECT_EQ(ErrorOf([](Alike* own) { own->set_gradients("servers"); }),
            "gradients travel by servers here, and by MPI in process 0: set "
            "cluster.all_reduce.backend, or install Open MPI on all hosts");
}

TEST(Alike, AnotherBuildIsNamed) {
  EXPECT_EQ(ErrorOf([](Alike* own) { own->set_build("def"); }),
            "this build of singa differs from that of process 0: def, not abc");
}

TEST(Alike, AnotherSettingIsNamedWithBothValues) {
  const std::string conf = "job.conf, or a setting by -set, is not as in process 0: ";
  EXPECT_EQ(ErrorOf([](Alike* own) { (*own->mutable_settings())["cluster.sync_freq"] = "7"; }),
            conf + "cluster.sync_freq is 7, and 5 in process 0");
  EXPECT_EQ(ErrorOf([](Alike* own) { own->mutable_settings()->erase("cluster.sync_freq"); }),
            conf + "cluster.sync_freq is not set, and 5 in process 0");
  EXPECT_EQ(ErrorOf([](Alike* own) { (*own->mutable_settings())["seed"] = "3"; }),
            conf + "seed is 3, and not set in process 0");
  EXPECT_EQ(ErrorOf([](Alike* own) { (*own->mutable_settings())["neuralnet"] = "another"; }),
            conf + "neuralnet differs");
}

TEST(Alike, AFileThatCannotBeReadIsNotCompared) {
  EXPECT_EQ(ErrorOf([](Alike* own) { own->mutable_stores(0)->set_fingerprint(0); }), "");
}

TEST(Alike, OtherDataIsNamedByItsLayer) {
  EXPECT_EQ(ErrorOf([](Alike* own) { own->mutable_stores(0)->set_records(99); }),
            "layer \"data\" has 99 records, and in process 0 layer \"data\" has 100");
  EXPECT_EQ(ErrorOf([](Alike* own) { own->mutable_stores(0)->set_fingerprint(8); }),
            "the data of layer \"data\" is not as in process 0: its files have other names, sizes "
            "or first bytes");
}

}  // namespace singa::alike_test
