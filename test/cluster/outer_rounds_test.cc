// Runs whole clusters whose groups train by themselves between outer steps (group_sync: kOuter).
#include <gtest/gtest.h>

#include <utility>

#include "support/cluster/cluster_of_roles.h"
#include "support/comm/sent_floats.h"

namespace singa::outer_rounds {
namespace {

constexpr int kGroups = 3;
constexpr int64_t kSteps = 7;
const std::vector<Shape> kShapes = {{2}, {1}, {3}};
constexpr int64_t kElements = 6;

// Returns the gradient of element `i`, a multiple of 1/8, so that all sums are exact.
float GradientAt(int group, int64_t step, int64_t i) {
  return static_cast<float>((group * 5 + step * 3 + i) % 7 - 3) / 8;
}

struct Rounds {
  int64_t freq = 1;
  float lr = 1, momentum = 0;
  std::string compression = "kNone";
  int fragments = 1;
  std::vector<int64_t> leads = {0, 0, 0};  // by slice: steps by which its rounds end earlier
  int64_t overlap = 0;
  float mixing = 0.5f;
};

// Rounds end at steps 5 and 7, 4 and 7, 2 and 7.
const Rounds kStreamed = {5, 0.7f, 0.9f, "kInt8", 3, {0, 1, 3}};
// Groups take the outer steps of the first rounds at steps 7, 7 and 5.
const Rounds kOverlapped = {5, 0.7f, 0.9f, "kInt8", 3, {0, 1, 3}, 3, 0.4f};

// The values of a slice in all groups.
struct Replicas {
  explicit Replicas(int64_t n) : model(n), local(kGroups, model) {}
  // Adds the outer step. Each group keeps `share` of its own values.
  void Take(const std::vector<float>& step, float share) {
    for (size_t i = 0; i < model.size(); ++i) {
      model[i] += step[i];
      for (std::vector<float>& values : local)
        values[i] = share == 0 ? model[i] : share * values[i] + (1 - share) * model[i];
    }
  }
  std::vector<float> model;
  std::vector<std::vector<float>> local;  // by group
};

// Returns the model of slice `s`, whose floats begin at `begin`, after the job, by plain loops.
// Group s is its master.
std::vector<float> ExpectedSlice(const Rounds& rounds, int s, int64_t begin, int64_t n) {
  const auto codec = Codecs().Make(rounds.compression);
  codec->Setup(AllReduceProto(), 0);
  Replicas replicas(n);
  std::vector<float> moments(n), rests[kGroups], early;
  int64_t ended = 0;  // the last round
  for (int64_t done = 1; done <= kSteps; ++done) {
    for (int g = 0; g < kGroups; ++g)
      for (int64_t i = 0; i < n; ++i) replicas.local[g][i] -= GradientAt(g, done - 1, begin + i);
    if (!early.empty() && (done == ended + rounds.overlap || done == kSteps))
      replicas.Take(std::exchange(early, {}), rounds.mixing);
    if ((done + rounds.leads[s]) % rounds.freq != 0 && done != kSteps) continue;
    std::vector<float> sum(n), step(n);
    for (int g = 0; g < kGroups; ++g) {
      std::vector<float> change(n);
      for (int64_t i = 0; i < n; ++i) change[i] = replicas.local[g][i] - replicas.model[i];
      if (g != s) change = SentFloats(*codec, change, &rests[g]);
      for (int64_t i = 0; i < n; ++i) sum[i] += change[i];
    }
    for (int64_t i = 0; i < n; ++i) {
      const float mean = 1.f / kGroups * sum[i];
      moments[i] = rounds.momentum * moments[i] + mean;
      step[i] = rounds.lr * (mean + rounds.momentum * moments[i]);
    }
    early = SentFloats(*codec, step, &rests[s]);
    ended = done;
    if (rounds.overlap == 0 || done == kSteps) replicas.Take(std::exchange(early, {}), 0);
  }
  return replicas.model;
}

std::vector<float> Expected(const Rounds& rounds) {
  std::vector<float> all;
  for (int s = 0; s < std::ssize(kShapes); ++s)
    std::ranges::copy(ExpectedSlice(rounds, s, std::ssize(all), kShapes[s].size()),
                      std::back_inserter(all));
  return all;
}

JobProto JobOfRounds(const Rounds& rounds, int servers, int64_t steps = kSteps) {
  return JobOf(kSumUpdater,
               StrCat("nworker_groups: 3 nserver_groups: 3 nservers_per_group: ", servers,
                      " group_sync: kOuter sync_freq: ", rounds.freq, " outer_lr: ", rounds.lr,
                      " outer_momentum: ", rounds.momentum, " outer_compression: ",
                      rounds.compression, " outer_fragments: ", rounds.fragments,
                      " outer_overlap: ", rounds.overlap, " outer_mixing: ", rounds.mixing),
               StrCat("train_steps: ", steps));
}

void Train(ClusterOfRoles* cluster, int64_t steps) {
  cluster->Train(steps, [&](int group, int, int64_t step, int slice) {
    std::vector<float> gradient(cluster->table[slice].size);
    int64_t begin = 0;
    for (int s = 0; s < slice; ++s) begin += cluster->table[s].size;
    for (size_t i = 0; i < gradient.size(); ++i)
      gradient[i] = GradientAt(group, step, begin + static_cast<int64_t>(i));
    return gradient;
  });
  EXPECT_EQ(cluster->refused(), 0);
}

// Returns the values after the job, which all groups have.
std::vector<float> ValuesOf(ClusterOfRoles* cluster) {
  for (int g = 0; g < kGroups; ++g) {
    EXPECT_EQ(cluster->done(g, g), kSteps);
    EXPECT_EQ(cluster->Values(g), cluster->Values(0)) << "of group " << g;
    EXPECT_EQ(cluster->memory(g, g), cluster->Values(0)) << "of the worker of group " << g;
  }
  return cluster->Values(0);
}

std::vector<float> Trained(const Rounds& rounds, int servers, uint32_t seed) {
  ClusterOfRoles cluster(JobOfRounds(rounds, servers), kShapes, seed);
  cluster.Start(std::vector<float>(kElements));
  Train(&cluster, kSteps);
  return ValuesOf(&cluster);
}

// Returns the model of the last outer steps.
std::vector<float> ModelOf(ClusterOfRoles* cluster) {
  ModelGather& gather = cluster->client(0, 0).gather();
  gather.Ask(0);
  cluster->client(0, 0).Flush();
  cluster->RunUntilQuiet();
  EXPECT_TRUE(gather.complete());
  std::vector<float> model;
  for (const SliceState& slice : gather.Take())
    std::ranges::copy(slice.floats, std::back_inserter(model));
  return model;
}

// Starts `second` from a checkpoint of `first`, which lacks what has `lost` in its name.
void Resume(ClusterOfRoles* first, ClusterOfRoles* second, const std::string& lost = "") {
  std::map<std::string, std::vector<float>> state;
  for (int g = 0; g < kGroups; ++g)
    for (const GroupSync::Kept& kept : first->server({g, 0}).SyncState())
      if (lost.empty() || kept.name.find(lost) == std::string::npos)
        state[kept.name].assign(kept.floats.begin(), kept.floats.end());
  for (int g = 0; g < kGroups; ++g) second->server({g, 0}).RestoreSync(state);
  second->Start(ModelOf(first));
}

// Returns the values after a job that resumes from a checkpoint after `steps` steps, which lacks
// what has `lost` in its name.
std::vector<float> Resumed(const Rounds& rounds, int64_t steps, const std::string& lost) {
  const JobProto job = JobOfRounds(rounds, 1);
  ClusterOfRoles first(job, kShapes, 1), second(job, kShapes, 2, {}, steps);
  first.Start(std::vector<float>(kElements));
  Train(&first, steps);
  Resume(&first, &second, lost);
  Train(&second, kSteps - steps);
  return ValuesOf(&second);
}

void ExpectPlainLoops(const Rounds& rounds) {
  for (const int servers : {1, 2})
    for (uint32_t seed = 0; seed < 20; ++seed) {
      SCOPED_TRACE(StrCat("sync_freq ", rounds.freq, ", overlap ", rounds.overlap, ", ", servers,
                          " servers, seed ", seed));
      EXPECT_EQ(Trained(rounds, servers, seed), Expected(rounds));
    }
}

TEST(OuterRounds, AreThoseOfPlainLoopsWhateverTheOrderOfMessages) {
  for (const int64_t freq : {1, 2, 3, 10}) ExpectPlainLoops({freq, 0.5f, 0.25f});
}

TEST(OuterRounds, CompressChangesAndOuterSteps) {
  for (const char* compression : {"kFp16", "kInt8"})
    for (const int64_t freq : {1, 2, 3}) ExpectPlainLoops({freq, 0.7f, 0.9f, compression});
  EXPECT_NE(Expected({2, 0.7f, 0.9f, "kInt8"}), Expected({2, 0.7f, 0.9f})) << "nothing is rounded";
}

TEST(OuterRounds, OfFragmentsEndAtStepsOfTheirOwn) {
  ExpectPlainLoops({2, 0.5f, 0.25f, "kNone", 2, {0, 0, 1}});
  ExpectPlainLoops({5, 0.5f, 0.25f, "kNone", 3, {0, 1, 3}});
  ExpectPlainLoops(kStreamed);
}

TEST(OuterRounds, OverlapWithStepsOfTheNextRound) {
  ExpectPlainLoops({2, 0.5f, 0.25f, "kNone", 1, {0, 0, 0}, 1});
  ExpectPlainLoops({3, 0.7f, 0.9f, "kFp16", 1, {0, 0, 0}, 2, 0.25f});
  ExpectPlainLoops({3, 0.7f, 0.9f, "kNone", 1, {0, 0, 0}, 2, 0});
  for (const int64_t overlap : {1, 2, 4})
    ExpectPlainLoops({5, 0.7f, 0.9f, "kInt8", 3, {0, 1, 3}, overlap});
  ExpectPlainLoops(kOverlapped);
  EXPECT_NE(Expected(kOverlapped), Expected(kStreamed)) << "the overlap changes nothing";
}

TEST(OuterRounds, GoOnFromACheckpointWithTheSameBits) {
  for (const Rounds& rounds : {kStreamed, kOverlapped})
    for (int64_t steps = 1; steps < kSteps; ++steps)
      EXPECT_EQ(Resumed(rounds, steps, ""), Expected(rounds))
          << "from step " << steps << ", overlap " << rounds.overlap;
}

// The job of the checkpoint has more steps.
TEST(OuterRounds, EndWithAJobThatResumesAtItsLastStep) {
  for (const Rounds& rounds : {kStreamed, kOverlapped}) {
    const JobProto longer = JobOfRounds(rounds, 1, kSteps + 10), job = JobOfRounds(rounds, 1);
    ClusterOfRoles first(longer, kShapes, 1), second(job, kShapes, 2, {}, kSteps);
    first.Start(std::vector<float>(kElements));
    Train(&first, kSteps);
    Resume(&first, &second);
    second.RunUntilQuiet();
    EXPECT_EQ(ModelOf(&second), Expected(rounds)) << "overlap " << rounds.overlap;
    ClusterOfRoles third(job, kShapes, 3, {}, kSteps);
    Resume(&second, &third);
    third.RunUntilQuiet();
    EXPECT_EQ(ModelOf(&third), Expected(rounds)) << "the last round ends once";
  }
}

TEST(OuterRounds, NeedAllOfTheirState) {
  for (const char* lost : {"/values", "/rest", "outer/momentum/"})
    EXPECT_NE(Resumed(kStreamed, 4, lost), Expected(kStreamed)) << lost;
  EXPECT_NE(Resumed(kOverlapped, 4, "/step"), Expected(kOverlapped));
}

TEST(OuterRounds, RefuseEncodedChangesThatDoNotFit) {
  ClusterOfRoles cluster(JobOfRounds(kStreamed, 1), kShapes, 0);
  cluster.Start(std::vector<float>(kElements));
  cluster.RunUntilQuiet();
  for (const size_t bytes : {5, 7}) {  // not 6
    Message message;
    message.head.set_type(WireMessage::kSync);
    message.head.set_group(1);
    *message.head.mutable_from() = ServerAddress({1, 0});
    *message.head.mutable_to() = ServerAddress({0, 0});
    SlicePart* const part = message.head.add_part();
    part->set_version(1);
    part->set_elements(2);
    part->set_bytes(static_cast<uint32_t>(bytes));
    message.payload.push_back(Frame::Copy("0000000", bytes));
    cluster.server({0, 0}).OnMessage(1, message);
  }
  EXPECT_EQ(cluster.server({0, 0}).refused().malformed, 2);
  EXPECT_EQ(cluster.refused(), 2);
}

TEST(OuterRounds, OfOneStepWithoutMomentumAverageTheGroups) {
  const std::vector<float> trained = Trained({}, 1, 0);
  for (int64_t i = 0; i < kElements; ++i) {
    float sum = 0;
    for (int g = 0; g < kGroups; ++g)
      for (int64_t step = 0; step < kSteps; ++step) sum -= GradientAt(g, step, i);
    EXPECT_NEAR(trained[i], sum / kGroups, 1e-6);
  }
}

}  // namespace
}  // namespace singa::outer_rounds
