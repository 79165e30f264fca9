// Tests Open MPI in a process that nobody launched, which is its only rank and sends messages to
// itself. test/system/mpi_checks.py has jobs of several ranks.
#include "comm/collective/mpi_link.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>

#include "singa/base/error.h"
#include "singa/base/str_cat.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/lsan_interface.h>
#define SINGA_IGNORES_LEAKS const __lsan::ScopedDisabler ignores_leaks
#endif
#endif
#if defined(__SANITIZE_THREAD__)  // g++ builds these
#define SINGA_SKIPS_MPI GTEST_SKIP() << "Open MPI is not built for the thread sanitizer"
#endif
#ifndef SINGA_IGNORES_LEAKS
#define SINGA_IGNORES_LEAKS static_cast<void>(0)
#endif
#ifndef SINGA_SKIPS_MPI
#define SINGA_SKIPS_MPI static_cast<void>(0)
#endif

namespace singa::mpi_link {
namespace {

std::vector<std::byte> Bytes(size_t n, int first) {
  std::vector<std::byte> bytes(n);
  for (size_t i = 0; i < n; ++i) bytes[i] = static_cast<std::byte>(first + i);
  return bytes;
}

Frame FrameOf(const std::vector<std::byte>& bytes) {
  return Frame::Copy(bytes.data(), bytes.size());
}

// A job that needs more tags than MPI has would mix messages up.
void ExpectEnoughTags(MpiWorld* world, const ProgressDeadline* deadline) {
  EXPECT_GE(world->tags(), 1 << 15) << "MPI promises them";
  MpiLink link(0, 1, MpiLink::Carrier::kOwnThread, deadline);
  link.Reserve({.tags = world->tags() + 1});
  try {
    link.Open(world);
    FAIL() << "a tag would be used twice";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), kExitConfig);
    EXPECT_NE(std::string(error.what()).find(StrCat("needs ", world->tags() + 1, ": use servers")),
              std::string::npos)
        << error.what();
  }
  MpiLink enough(0, 1, MpiLink::Carrier::kOwnThread, deadline);
  enough.Reserve({.tags = world->tags()});
  enough.Open(world);
  EXPECT_THROW(enough.Reserve({.tags = world->tags() + 1}), Error);
}

// MPI starts once in a process, so one test has all.
TEST(MpiLink, CarriesMessagesByTheirTags) {
  SINGA_SKIPS_MPI;
  std::string why;
  if (!MpiWorld::Available(&why)) GTEST_SKIP() << "Open MPI is not installed: " << why;
  EXPECT_NE(MpiWorld::Version().find("Open MPI"), std::string::npos);
  SINGA_IGNORES_LEAKS;
  ::setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);  // starts no daemon
  MpiWorld world;
  EXPECT_EQ(world.rank(), 0);
  EXPECT_EQ(world.size(), 1);
  // A busy machine may keep a process from its processor for a second.
  const ProgressDeadline late(std::chrono::minutes(2)), soon(std::chrono::seconds(2));
  {
    using enum MpiLink::Carrier;
    MpiLink wrong(1, 2, kOwnThread, &late);
    EXPECT_THROW(wrong.Open(&world), Error) << "the job counts in another way";
    ExpectEnoughTags(&world, &late);
    MpiLink link(0, 1, kOwnThread, &late), other(0, 1, kOwnThread, &late),
        impatient(0, 1, kOwnThread, &soon);
    MpiLink lazy(0, 1, kSender, &late);
    link.Open(&world);
    other.Open(&world);
    impatient.Open(&world);
    lazy.Open(&world);
    const std::vector<std::byte> small = Bytes(3, 1), large = Bytes(RankLink::kMostBytes, 7);
    link.Send(0, int64_t{1} << 40, small);
    link.Send(0, 5, large);
    link.Send(0, 6, {});
    other.Send(0, 5, small);
    std::vector<std::byte> got(large.size());
    link.Receive(0, 5, got);
    EXPECT_EQ(got, large);
    got.resize(3);
    link.Receive(0, int64_t{1} << 40, got);
    EXPECT_EQ(got, small);
    other.Receive(0, 5, got);
    EXPECT_EQ(got, small) << "links do not meet each other's messages";
    // MPI has one number for these tags, and carries messages of one number in their order.
    link.Send(0, kGradientTags + 5, Bytes(3, 40));
    link.Send(0, kRegionTags + 5, small);
    link.Receive(0, kRegionTags + 5, got);
    EXPECT_EQ(got, small) << "users of a link do not meet each other's messages";
    link.Receive(0, kGradientTags + 5, got);
    EXPECT_EQ(got, Bytes(3, 40));
    link.Receive(0, 6, {});
    const std::vector<std::byte> many = Bytes(40 * RankLink::kMostBytes + 1, 3);
    link.SendAll(0, 100, many);
    got.resize(many.size());
    link.ReceiveAll(0, 100, got);
    EXPECT_EQ(got, many);
    link.SendEach(0, 300, {FrameOf(large), FrameOf({}), FrameOf(many), FrameOf(small)});
    std::vector<std::byte> first(large.size()), third(many.size()), last(3);
    link.ReceiveEach(0, 300, std::vector<std::span<std::byte>>{first, {}, third, last});
    EXPECT_EQ(first, large);
    EXPECT_EQ(third, many);
    EXPECT_EQ(last, small);
    link.AwaitSent();
    EXPECT_EQ(link.sent(), 6 + 2 * (3 + RankLink::kMostBytes + std::ssize(many)));
    EXPECT_EQ(link.received(), link.sent());
    lazy.SendAll(0, 100, many);
    std::ranges::fill(got, std::byte{0});
    lazy.ReceiveAll(0, 100, got);
    lazy.AwaitSent();
    EXPECT_EQ(got, many) << "no thread of the link carries them";
    link.Send(0, 8, small);
    got.resize(4);
    EXPECT_THROW(link.Receive(0, 8, got), PeerError) << "another number of bytes";
    try {
      impatient.Receive(0, 9, got);
      FAIL() << "nobody sends it";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), kExitStalled);
    }
    // Only the first part of a large message comes. The link gives up its second part, whose tag
    // the next message has.
    impatient.SendAll(0, 200, Bytes(size_t{1} << 22, 5));
    got.resize(many.size());
    EXPECT_THROW(impatient.ReceiveAll(0, 200, got), Error);
    impatient.Send(0, 201, small);
    got.resize(3);
    impatient.Receive(0, 201, got);
    EXPECT_EQ(got, small);
    other.Fail(std::make_exception_ptr(PeerError("gone")));
    EXPECT_THROW(other.Receive(0, 1, got), PeerError);
    EXPECT_THROW(other.Send(0, 1, small), PeerError);
  }
}

}  // namespace
}  // namespace singa::mpi_link
