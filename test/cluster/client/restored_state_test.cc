// Tests which state of workers in a checkpoint a job continues with, and the warnings about the
// rest.
#include "cluster/client/restored_state.h"

#include <gtest/gtest.h>

#include <optional>

#include "io/temp_dir.h"
#include "io/write_tensors.h"
#include "singa/base/str_cat.h"
#include "support/cluster/cluster_of_roles.h"
#include "support/heard_log.h"
#include "train/reduce/exchange_state.h"

namespace singa::restored_state {
namespace {

constexpr char kDivision[] = "it is for another division of workers among processes";
constexpr char kSettings[] = "it is for other settings, such as rank or momentum_correction";

class RestoredStateTest : public ::testing::Test {
 protected:
  // Makes a job of two processes of a worker each, and a checkpoint with state of these workers.
  // Reads it in process 0.
  void Read(const std::vector<std::string>& workers, std::string_view kind = kCodecState,
            int64_t states = 1) {
    std::vector<StoredTensor> tensors;
    for (const std::string& of : workers)
      tensors.push_back(Stored(StrCat(kind, "/", of, "/slice0"), Shape({states, 1, 2}), floats_));
    const std::string path = dir_.Path(StrCat("state", ++files_));
    WriteTensors(path, tensors);
    const SafetensorsFile stored{MappedFile(path)};
    state_.emplace(kind, StatePrefixes(kind, topology_));
    state_->Read(stored.view(), [&](const std::string& name) {
      return name.find("workers0-0/") != std::string::npos || name.find("basis/") != name.npos;
    });
  }
  // Ends the restoration, and returns whether the log has a warning, with its reason.
  static bool Warns(RestoredState* state, bool fits, bool is_first, const std::string& why,
                    const JobProto& job) {
    const HeardLog log;
    state->End(fits, is_first, job);
    return log.Has(
        "the checkpoint's state of gradient compression, such as residuals, is not "
        "used: " +
        why);
  }
  bool Warns(bool fits, bool is_first = true, const std::string& why = kDivision) {
    return Warns(&*state_, fits, is_first, why, job_);
  }

  static constexpr float floats_[] = {1, 2, 3, 4};
  const JobProto job_ = JobOf("type: kSGD momentum: 0.9",
                              "nworkers_per_group: 2 share_memory: false "
                              "all_reduce { compression: kTopK }");
  const Topology topology_{job_.cluster()};
  TempDir dir_;
  int files_ = 0;
  std::optional<RestoredState> state_;
};

TEST_F(RestoredStateTest, IsThatOfTheWorkersHere) {
  Read({"group0/workers0-0", "group0/workers1-1"});
  EXPECT_TRUE(state_->any());
  EXPECT_EQ(
      state_->floats(),
      (std::map<std::string, std::vector<float>>{{"codec/group0/workers0-0/slice0", {1, 2}}}));
  EXPECT_FALSE(Warns(true));
}

TEST_F(RestoredStateTest, OfAWorkerThatIsGoneLetsAllBeginAnew) {
  for (const char* gone : {"group0/workers2-2", "group1/workers0-0"}) {
    Read({"group0/workers0-0", "group0/workers1-1", gone});
    EXPECT_TRUE(state_->floats().empty());
    EXPECT_TRUE(Warns(false)) << gone;
  }
}

TEST_F(RestoredStateTest, OneProcessWarnsOfAWorkerThatIsGone) {
  Read({"group0/workers0-0", "group0/workers2-2"});
  EXPECT_FALSE(Warns(false, false));
  Read({"group0/workers0-0", "group0/workers2-2"});
  EXPECT_FALSE(Warns(true)) << "the workers here keep none";
}

TEST_F(RestoredStateTest, OfNoWorkerHereDrawsAWarningHere) {
  Read({"group0/workers1-1"});
  EXPECT_TRUE(Warns(false, false));
}

TEST_F(RestoredStateTest, OfOtherSettingsSaysSo) {
  Read({"group0/workers0-0", "group0/workers1-1"});
  EXPECT_TRUE(Warns(false, true, kSettings));
}

TEST_F(RestoredStateTest, ThatAllWorkersHaveAlikeStays) {
  Read({"basis", "group0/workers2-2"}, kLowRankState);
  EXPECT_EQ(state_->floats().size(), 1u);
  EXPECT_TRUE(Warns(false));
  Read({"basis"}, kLowRankState);
  EXPECT_FALSE(Warns(false)) << "there is no state of a worker";
}

// The updater makes its momentum of that of all processes, and of what they had not sent.
TEST_F(RestoredStateTest, ThatTheUpdaterTakesOverIsNotLost) {
  const std::vector<std::string> three = {"group0/workers0-0", "group0/workers1-1",
                                          "group0/workers2-2"};
  JobProto late = job_;
  late.mutable_cluster()->mutable_all_reduce()->set_momentum_correction(false);
  Read(three, kCodecState, 2);
  EXPECT_FALSE(Warns(&*state_, false, true, kDivision, late));
  Read(three, kCodecState, 2);
  EXPECT_TRUE(Warns(false, true, StrCat(kDivision, "; the momentum of each process is dropped")))
      << "each process has a momentum of its own";
}

TEST_F(RestoredStateTest, OfAnotherKindIsNotThere) {
  Read({});
  EXPECT_FALSE(state_->any());
}

}  // namespace
}  // namespace singa::restored_state
