// Tests the messages that a client sends, its waits, and the messages that it refuses.
#include "cluster/client/client.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/cluster/cluster_of_roles.h"
#include "support/cluster/put_all.h"

namespace singa {
namespace {

// The client is that of process 1, a worker of group 0. The group has two servers: one with slices
// 0 and 1, one with slice 2.
class ClientTest : public ::testing::Test, public ServerEvents {
 protected:
  ClientTest() { Make(false); }
  void Make(bool shares_memory) {
    client = std::make_unique<Client>(
        ClientSetup{topology, table, params, clock, 0, 1, 0, shares_memory}, values, &sent);
  }
  void Diverged(const std::string&) override {}

  // Delivers an answer of server `id`: values of all ones for its slices, which hold `step`.
  void Answer(int id, int64_t version, int64_t step, std::vector<int> slices,
              int64_t staleness = -1, const std::optional<double>& norm = {}) {
    Message message;
    message.head.set_type(WireMessage::kValues);
    *message.head.mutable_from() = ServerAddress({0, id});
    *message.head.mutable_to() = ClientAddress(0, 1);
    for (const int slice : slices) {
      SlicePart* part = message.head.add_part();
      part->set_slice(slice);
      part->set_version(version);
      part->set_step(step);
      part->set_staleness(staleness);
      if (norm) part->set_norm(*norm);
      part->set_elements(table[slice].size);
      message.payload.push_back(FrameOf(std::vector<float>(table[slice].size, 1.f)));
    }
    client->OnMessage(id, message);
  }
  void Begin() {
    client->GetAll(0);
    Answer(0, 0, -1, {0, 1});
    Answer(1, 0, -1, {2});
    sent.messages.clear();
  }
  EncodedFloats Gradient(int slice) {
    return Plain(FrameOf(std::vector<float>(table[slice].size, 1.f)));
  }

  const JobProto job = JobOf(kSumUpdater, "nworkers_per_group: 2 nservers_per_group: 2");
  const SliceTable table{{{3}, {2}, {900}}};
  const std::vector<ServedParam> params = {{"a", "l", {}}, {"b", "l", {}}, {"c", "l", {}}};
  const Topology topology{job.cluster()};
  std::vector<float> a = {0, 0, 0}, b = {0, 0}, c = std::vector<float>(900);
  const std::vector<float*> values = {a.data(), b.data(), c.data()};
  HeldClock clock;
  SentMessages sent;
  std::unique_ptr<Client> client;
};

TEST_F(ClientTest, IsReadyWithAllFirstValues) {
  client->GetAll(0);
  Answer(0, 0, -1, {0, 1});
  EXPECT_TRUE(client->Fresh(0, 0));
  EXPECT_FALSE(client->ready());
  Answer(1, 0, -1, {2});
  EXPECT_TRUE(client->ready());
  EXPECT_EQ(a[2], 1);
  EXPECT_EQ(c.back(), 1);
  EXPECT_EQ(client->refused(), 0);
}

// When the earlier process was lost, one server had applied step 4 of slices 0 and 1. The other
// server had not.
TEST_F(ClientTest, GoesOnWhereAnotherProcessWasLost) {
  client->GetAll(0);
  Answer(0, 9, 4, {0, 1});
  Answer(1, 8, 3, {2});
  sent.messages.clear();
  EXPECT_EQ(client->TakeOver(), 4);
  for (const int slice : {0, 1, 2}) {
    EXPECT_TRUE(client->Fresh(slice, 4));
    client->Push(4, slice, Gradient(slice));
  }
  client->Flush();
  ASSERT_EQ(sent.messages.size(), 1u);
  EXPECT_EQ(sent.messages[0].head.step(), 4);
  ASSERT_EQ(sent.messages[0].head.part_size(), 1);
  EXPECT_EQ(sent.messages[0].head.part(0).slice(), 2u);
  EXPECT_TRUE(client->Fresh(0, 5));
  EXPECT_FALSE(client->Fresh(2, 5));
  Answer(1, 9, 4, {2});
  EXPECT_TRUE(client->Fresh(2, 5));
  EXPECT_EQ(client->refused(), 0);
}

TEST_F(ClientTest, SmallSlicesTravelTogether) {
  Begin();
  client->Push(0, 1, Gradient(1));
  client->Push(0, 0, Gradient(0));
  EXPECT_TRUE(sent.messages.empty());
  client->Flush();
  ASSERT_EQ(sent.messages.size(), 1u);
  EXPECT_EQ(sent.messages[0].head.part_size(), 2);
  EXPECT_EQ(sent.messages[0].payload.size(), 2u);
}

TEST_F(ClientTest, IsFreshOnceTheUpdateIsIn) {
  Begin();
  client->Push(0, 0, Gradient(0));
  EXPECT_FALSE(client->Fresh(0, 1));
  EXPECT_TRUE(client->Fresh(1, 1));  // was not pushed, so there is no wait
  Answer(0, 1, 0, {0});
  EXPECT_TRUE(client->Fresh(0, 1));
  EXPECT_EQ(client->version(0), 1);
}

TEST_F(ClientTest, SendsNothingThatTheValuesHold) {
  client->GetAll(0);
  Answer(0, 1, 0, {0});  // step 0 was complete with parts that this process sent before
  Answer(0, 0, -1, {1});
  sent.messages.clear();
  client->Push(0, 0, Gradient(0));
  client->Push(0, 1, Gradient(1));
  client->Flush();
  ASSERT_EQ(sent.messages.size(), 1u);
  ASSERT_EQ(sent.messages[0].head.part_size(), 1);
  EXPECT_EQ(sent.messages[0].head.part(0).slice(), 1u);
  EXPECT_TRUE(client->Fresh(0, 1));
}

TEST_F(ClientTest, RefusesValuesThatNobodyAskedFor) {
  Begin();
  Answer(0, 1, 0, {0});
  EXPECT_EQ(client->refused(), 1);
  client->Push(0, 0, Gradient(0));
  Answer(0, 1, 7, {0});  // a step that was not sent
  Answer(1, 1, 0, {0});  // another server's slice
  EXPECT_EQ(client->refused(), 3);
  EXPECT_FALSE(client->Fresh(0, 1));
  Answer(0, 1, 0, {0});
  EXPECT_TRUE(client->Fresh(0, 1));
  client->Push(1, 0, Gradient(0));
  Answer(0, 0, 1, {0});  // older than the present values
  EXPECT_EQ(client->refused(), 4);
}

TEST_F(ClientTest, CountsTheStalenessOfAStepWithTheNextOne) {
  Begin();
  client->Push(0, 0, Gradient(0));
  client->Push(0, 1, Gradient(1));
  Answer(0, 40, 0, {0}, 39);
  Answer(0, 1, 0, {1}, -1);  // the step was dropped
  EXPECT_EQ(client->TakeStaleness().total, 0);
  client->Push(1, 0, Gradient(0));
  client->Push(1, 1, Gradient(1));
  const StalenessCounts counts = client->TakeStaleness();
  EXPECT_EQ(counts.total, 1);
  EXPECT_EQ(counts.most, 39);
  EXPECT_EQ(counts.updates[StalenessCounts::kMost], 1);
}

TEST_F(ClientTest, RefusesAnImpossibleStaleness) {
  Begin();
  client->Push(0, 0, Gradient(0));
  Answer(0, 3, 0, {0}, 4);
  Answer(0, 3, 0, {0}, -2);
  EXPECT_EQ(client->refused(), 2);
  EXPECT_FALSE(client->Fresh(0, 1));
  Answer(0, 3, 0, {0}, 2);
  EXPECT_TRUE(client->Fresh(0, 1));
}

TEST_F(ClientTest, HasTheNormOfAStepWithItsAnswer) {
  Begin();
  client->Push(0, 0, Gradient(0));
  EXPECT_FALSE(client->GradientNorm(0).has_value());
  Answer(0, 1, 0, {0}, -1, 2.5);
  EXPECT_TRUE(client->GradientNorm(0).has_value());
  EXPECT_EQ(client->GradientNorm(0).value(), 2.5);
  client->Push(1, 0, Gradient(0));
  EXPECT_FALSE(client->GradientNorm(1).has_value());
  Answer(0, 2, 1, {0});
  EXPECT_TRUE(client->GradientNorm(1).has_value());
  EXPECT_TRUE(std::isnan(client->GradientNorm(1).value()));
}

TEST_F(ClientTest, RefusesAnImpossibleNorm) {
  Begin();
  client->Push(0, 0, Gradient(0));
  for (const double norm : {-1e-300, HUGE_VAL, -HUGE_VAL, std::nan("")})
    Answer(0, 1, 0, {0}, -1, norm);
  EXPECT_EQ(client->refused(), 4);
  EXPECT_FALSE(client->GradientNorm(0).has_value());
  Answer(0, 1, 0, {0}, -1, 0);
  EXPECT_TRUE(client->GradientNorm(0).has_value());
}

TEST_F(ClientTest, NamesWhatItWaitsFor) {
  Begin();
  EXPECT_TRUE(client->Waiting().empty());
  clock.now = 1'000'000'000;
  client->Push(0, 1, Gradient(1));
  clock.now = 2'000'000'000;
  client->Push(0, 0, Gradient(0));
  clock.now = 4'500'000'000;
  EXPECT_EQ(client->Waiting(),
            std::vector<std::string>{"server 0 of group 0 in process 0: no answer for 3.5 s about "
                                     "the update of step 0 of slice 1 (param \"b\") and 1 more"});
}

// If a server has the memory of its process's params, values are neither sent nor copied there.
TEST_F(ClientTest, SharesMemoryWithItsProcess) {
  Make(true);
  const ServerSetup setup = {job, topology, table, params, clock, {0, 1}, {0}, values};
  Server server(setup, &sent, this);
  ASSERT_EQ(server.slices()[0], 2);
  const auto exchange = [&] {
    for (const Message& message : std::exchange(sent.messages, {})) {
      const Address& to = message.head.to();
      if (to.role() == Address::kServer && to.id() == 1) {
        EXPECT_EQ(message.head.type() != WireMessage::kGet, !message.payload.empty());
        server.OnMessage(1, message);
      } else if (to.role() == Address::kClient && to.id() == 1) {
        EXPECT_TRUE(message.payload.empty());
        client->OnMessage(1, message);
      }
    }
  };
  PutAll(client.get(), table, values);
  client->GetAll(0);
  for (int i = 0; i < 2; ++i) exchange();
  EXPECT_TRUE(client->Fresh(2, 0));
  client->Push(0, 2, Gradient(2));
  Message other;  // from the other process
  other.head.set_type(WireMessage::kUpdate);
  *other.head.mutable_from() = ClientAddress(0, 0);
  *other.head.mutable_to() = ServerAddress({0, 1});
  other.head.set_step(0);
  other.head.add_part()->set_slice(2);
  other.head.mutable_part(0)->set_elements(table[2].size);
  other.payload.push_back(Gradient(2).bytes);
  client->Flush();
  exchange();
  server.OnMessage(0, other);
  ASSERT_EQ(sent.messages.size(), 2u);
  EXPECT_EQ(sent.messages[0].payload.size(), 1u);  // to the other process
  exchange();
  EXPECT_TRUE(client->Fresh(2, 1));
  EXPECT_EQ(c[0], -2);
  EXPECT_EQ(client->refused() + server.refused().total(), 0);
}

}  // namespace
}  // namespace singa
