// Tests slices whose gradient one worker computes alone, as workers divide a layer by units: where
// they lie, who contributes to them, and who gets their values.
#include <gtest/gtest.h>

#include "support/cluster/cluster_of_roles.h"
#include "support/cluster/put_all.h"

namespace singa {
namespace {

// Two workers in processes of their own, each with a server. Slices 0 and 1 are rows of param "a",
// of worker 0 and of worker 1; slice 2 is param "b", which both compute.
class OwnedSlices : public ::testing::Test, public ServerEvents {
 protected:
  void Diverged(const std::string& text) override { ADD_FAILURE() << text; }

  Client NewClient(int process) {
    return Client({topology, table, params, clock, 0, process}, values[process], &sent);
  }
  Server NewServer(int id) {
    return Server({job, topology, table, params, clock, {0, id}, {0}}, &sent, this);
  }
  // Delivers all messages that were sent, and those that they lead to.
  void Deliver(std::vector<Client*> clients, std::vector<Server*> servers) {
    while (!sent.messages.empty())
      for (const Message& message : std::exchange(sent.messages, {})) {
        const Address &to = message.head.to(), &from = message.head.from();
        const auto rank = static_cast<int>(from.id());  // server i is in process i
        if (to.role() == Address::kServer)
          servers[to.id()]->OnMessage(rank, message);
        else
          clients[to.id()]->OnMessage(rank, message);
      }
  }
  EncodedFloats Ones(int slice) {
    return Plain(FrameOf(std::vector<float>(table[slice].size, 1.f)));
  }

  const JobProto job = JobOf(kSumUpdater, "nworkers_per_group: 2 nservers_per_group: 2");
  const SliceTable table{{{4, 300}, {2}}, {{2, 1}, {}}};
  const std::vector<ServedParam> params = {{"a", "l", {}}, {"b", "l", {}}};
  const Topology topology{job.cluster()};
  std::vector<float> a[2] = {std::vector<float>(1200), std::vector<float>(1200)},
                     b[2] = {std::vector<float>(2), std::vector<float>(2)};
  const std::vector<float*> values[2] = {{a[0].data(), b[0].data()}, {a[1].data(), b[1].data()}};
  HeldClock clock;
  SentMessages sent;
};

TEST_F(OwnedSlices, LieAtTheServerBesideTheirWorker) {
  const SliceOwners owners(topology, table);
  ASSERT_EQ(table.size(), 3);
  EXPECT_EQ(owners.Owner(0), 0);
  EXPECT_EQ(owners.Owner(1), 1);
  const SliceOwners apart(
      Topology(JobOf("", "nworkers_per_group: 2 nservers_per_group: 2 server_worker_separate: true")
                   .cluster()),
      table);
  EXPECT_EQ(apart.Of(0).size() + apart.Of(1).size(), 3);
}

TEST_F(OwnedSlices, OneProcessContributesAndGetsTheValues) {
  Client first = NewClient(0), second = NewClient(1);
  Server near = NewServer(0), far = NewServer(1);
  EXPECT_TRUE(first.contributes(0) && first.contributes(2) && !first.contributes(1));
  PutAll(&first, table, values[0]);
  for (Client* client : {&first, &second}) client->GetAll(0);
  Deliver({&first, &second}, {&near, &far});
  EXPECT_TRUE(first.ready() && second.ready());
  for (int step = 0; step < 2; ++step) {
    for (const int slice : {0, 2}) first.Push(step, slice, Ones(slice));
    for (const int slice : {1, 2}) second.Push(step, slice, Ones(slice));
    for (Client* client : {&first, &second}) client->Flush();
    Deliver({&first, &second}, {&near, &far});
    EXPECT_TRUE(first.settled() && second.settled());
  }
  EXPECT_TRUE(first.Fresh(1, 2)) << "a slice of the other worker is never waited for";
  EXPECT_EQ(a[0][0], -2);
  EXPECT_EQ(a[1][600], -2);
  EXPECT_EQ(a[0][600], 0) << "values of another worker's rows are not sent";
  EXPECT_EQ(b[0], std::vector<float>(2, -4.f));  // of both workers in each step
  EXPECT_EQ(b[1], b[0]);
  first.GetAll(2);
  Deliver({&first, &second}, {&near, &far});
  EXPECT_EQ(a[0][600], -2);
  EXPECT_EQ(near.refused().total() + far.refused().total() + first.refused() + second.refused(), 0);
}

TEST_F(OwnedSlices, AContributionOfAnotherProcessIsRefused) {
  Client first = NewClient(0);
  Server near = NewServer(0), far = NewServer(1);
  PutAll(&first, table, values[0]);
  first.GetAll(0);
  Deliver({&first}, {&near, &far});
  Message message;
  message.head.set_type(WireMessage::kUpdate);
  *message.head.mutable_from() = ClientAddress(0, 1);
  *message.head.mutable_to() = ServerAddress({0, 0});
  message.head.add_part()->set_slice(0);
  for (const int64_t elements : {0, 600}) {
    message.head.mutable_part(0)->set_elements(elements);
    if (elements > 0) message.payload.push_back(FrameOf(std::vector<float>(600, 1.f)));
    near.OnMessage(1, message);
  }
  EXPECT_EQ(near.refused().malformed, 2);
  EXPECT_EQ(near.shard().version(0), 0);
}

}  // namespace
}  // namespace singa
