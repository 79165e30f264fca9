// Tests control messages from a peer that may send anything. Messages that do not fit change
// nothing.
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <thread>

#include "cluster/workers/host_memory_backend.h"
#include "singa/base/error.h"
#include "support/threaded_job.h"

namespace singa {
namespace {

// Deaf ignores all events of a stub.
struct Deaf final : StubEvents {
  bool OnReplaced(int) override { return false; }
  void OnMessage(int, Message) override {}
  void OnProgress(int) override {}
  void OnLost(std::exception_ptr) override {}
};

ControlMessage ControlOf(const char* text) {
  ControlMessage control;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &control));
  return control;
}

// The job has three groups, each in a process. Process 1 is only a stub.
class ControlMessagesTest : public ::testing::Test {
 protected:
  ControlMessagesTest() {
    proto_.mutable_updater()->set_type(kSGD);
    proto_.mutable_updater()->mutable_learning_rate()->set_type(kFixed);
    proto_.mutable_cluster()->set_nworker_groups(3);
    proto_.mutable_cluster()->set_start_timeout(30);
    job_.emplace(proto_);
    job_->Start(2);
    topology_.emplace(proto_.cluster());
    peer_.emplace(proto_.cluster(), *topology_, job_->PlaceOf(1), 0, &deaf_, &clock_);
    std::thread first([this] { (*job_)[0].stub().Meet(); }),
        last([this] { (*job_)[2].stub().Meet(); });
    peer_->Meet();
    first.join();
    last.join();
    for (const int rank : {0, 2}) (*job_)[rank].peers().Listen(&heard_[rank]);
  }
  ~ControlMessagesTest() override {
    for (const int rank : {0, 2}) (*job_)[rank].peers().Forget();
  }

  JobProto proto_;
  SteadyClock clock_;
  Deaf deaf_;
  Heard heard_[3];
  std::optional<ThreadedJob> job_;
  std::optional<Topology> topology_;
  std::optional<Stub> peer_;
};

TEST_F(ControlMessagesTest, ThatDoNotFitAreDropped) {
  for (const int rank : {0, 2})
    for (const char* text : {"",
                             "beat {}",
                             "gpu_group {}",
                             "gpu_verdict {}",
                             "memory { bytes: -1 }",
                             "partition { layers { name: \"x\" rows: 1 units: 2 } }",
                             "begin {}",
                             "all_ready {}",
                             "grant { steps: 9 }",
                             "hold {}",
                             "go {}",
                             "exchange { versions: -1 }",
                             "checkpoint_request {}",
                             "end {}",
                             "take_place {}",
                             "gpus { gpu {} }",
                             "ready {}",
                             "filled {}",
                             "listens {}",
                             "held { group { group: -5 steps: -5 } }",
                             "exchanged {}",
                             "row { group: 4294967297 }",
                             "row { group: -1 }",
                             "row {}",
                             "state { pieces_left: -1 }",
                             "steps { group: 2 steps: 7 }",
                             "steps { group: -1 }",
                             "steps { group: 4294967297 }",
                             "steps { group: 3 }",
                             "left { group: 0 }",
                             "left { group: 9223372036854775807 }",
                             "group_grant { group: 2 steps: 1 }",
                             "group_grant { group: 4294967298 steps: 1 }",
                             "group_grant { group: -1 }"})
      peer_->Post(ControlTo(rank, ControlOf(text)));
  peer_->Post(ControlTo(0, StepsOf(1, 5)));
  heard_[0].Await({"steps 1 5"});
  heard_[2].Await({"steps 1 5"});
  EXPECT_NO_THROW((*job_)[0].control().Check());
  (*job_)[0].leader()->TellAll(ControlOf("grant { steps: 3 }"));
  EXPECT_EQ((*job_)[2].follower()->Next().grant().steps(), 3) << "an order of process 1";
}

TEST_F(ControlMessagesTest, OfAGroupNothingIsPassedOnButItsSteps) {
  const int64_t before = (*job_)[0].stub().bytes_sent();
  ControlMessage news = StepsOf(1, 5);
  const google::protobuf::Reflection* const fields = ControlMessage::GetReflection();
  fields->MutableUnknownFields(&news)->AddLengthDelimited(100, std::string(60'000, 'x'));
  peer_->Post(ControlTo(0, news));
  heard_[2].Await({"steps 1 5"});
  EXPECT_LT((*job_)[0].stub().bytes_sent() - before, 10'000);
}

TEST_F(ControlMessagesTest, OtherOrdersThanAllReadyEndAStart) {
  (*job_)[0].leader()->TellAll(ControlOf("grant { steps: 3 }"));
  EXPECT_THROW((*job_)[2].follower()->Ready(), PeerError);
}

TEST(MemoryThatIsTold, HasAPlace) {
  for (const char* text :
       {"", "process_id: 1 file_descriptor: 3 bytes: 4096", "process_id: 1 bytes: 4096 mark: 5",
        "process_id: 0 file_descriptor: 3 bytes: 4096 mark: 5",
        "process_id: 1 file_descriptor: 3 bytes: -1 mark: 5",
        "process_id: 1 file_descriptor: 3 bytes: 9223372036854775807 mark: 5"})
    EXPECT_THROW(FindMemory(ControlOf(StrCat("memory { ", text, " }").c_str()).memory()), PeerError)
        << text;
}

}  // namespace
}  // namespace singa
