#include "driver/doctor/nccl_trial.h"

#include <atomic>
#include <chrono>
#include <exception>
#include <thread>
#include <vector>

#include "base/system/trial.h"
#include "base/thread/stopped.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"
#include "singa/tensor/memory.h"
#include "tensor/gpu/gpu_group.h"
#include "tensor/gpu/gpus.h"

namespace singa {
namespace {

constexpr std::chrono::seconds kLongestSum{60};

// Member m adds m + 1.
void AddUp(const GpuMember& member) {
  const std::unique_ptr<Gpu> gpu = OpenGpu(member.member);
  gpu->Use();
  const std::unique_ptr<Stream> stream = gpu->NewStream();
  Context ctx;
  ctx.device = gpu->kernels();
  ctx.stream = stream.get();
  const std::unique_ptr<GpuGroup> group = JoinGpuGroup(member, gpu.get());
  const auto own = static_cast<float>(member.member + 1);
  Tensor number = Allocate(ctx, {1});
  CopyFromHost(ctx, &own, number.as<void>(), sizeof own);
  group->Sum(number.as<float>(), 1, *stream);
  group->Await(*stream->Record());
  const float sum = OnHost(ctx, number).data()[0];
  const int expected = member.members * (member.members + 1) / 2;
  if (sum != static_cast<float>(expected))
    throw DeviceError(StrCat("GPU ", member.member, " gets the sum ", sum, ", not ", expected));
}

// Throws the error of the first GPU that has one.
void AddUpOnAll() {
  const int members = CountGpus();
  if (members == 0) return;
  if (std::string why; !CanGroupGpus(&why)) throw DeviceError(why);
  const GpuGroupId id = NewGpuGroup();
  const ProgressDeadline deadline(kLongestSum);
  std::atomic<bool> stopped{false};
  std::vector<std::exception_ptr> errors(members);
  std::vector<std::jthread> threads;
  threads.reserve(members);
  for (int member = 0; member < members; ++member)
    threads.emplace_back([&, member] {
      try {
        AddUp({.id = id,
               .members = members,
               .member = member,
               .stopped = &stopped,
               .deadline = &deadline});
      } catch (const Stopped&) {  // another GPU has an error
      } catch (...) {
        errors[member] = std::current_exception();
        stopped = true;
      }
    });
  threads.clear();
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
}

}  // namespace

std::string TryNccl() {
  if (!HasGpuDriver()) return "";
  const auto [outcome, said] = RunTrial(AddUpOnAll, kLongestSum + std::chrono::seconds(10));
  if (outcome == TrialEnd::kReturned) return "";
  if (outcome == TrialEnd::kLate) return StrCat("nothing within ", kLongestSum.count(), " s");
  return said.empty() ? "the trial's process ended" : Printable(said);
}

}  // namespace singa
