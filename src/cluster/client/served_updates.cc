#include "cluster/client/served_updates.h"

#include <glog/logging.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/system/failpoint.h"
#include "base/thread/activity_mark.h"
#include "base/thread/counted_time.h"
#include "cluster/protocol/worker_places.h"
#include "math/finite.h"
#include "singa/base/error.h"
#include "train/apply/not_finite.h"

namespace singa {

void ServedUpdates::Connect(const ClientSetup& setup, std::vector<float*> values, Outbox* out) {
  const MutexLock lock(&mutex_);
  topology_ = &setup.topology;
  group_ = setup.group;
  process_ = setup.process;
  table_ = &setup.table;
  params_ = &setup.params;
  encoder_ = std::make_unique<GradientEncoder>(setup.codec, setup.table, setup.topology,
                                               setup.process, setup.group);
  client_ = std::make_unique<Client>(setup, std::move(values), out);
  sent_.assign(table_->size(), -1);
  noted_.assign(table_->size(), -1);
  // A step without effect must not change what the codec keeps.
  if (clip_norm_ > 0 || (skip_ && setup.codec.states() > 0))
    held_ = std::make_unique<HeldGradients>(
        *table_, clip_norm_, ContributingProcesses(setup.topology, setup.group, *table_));
}

int64_t ServedUpdates::TakeOver() {
  Do([](Client& client) { client.GetAll(0); }, [](Client& client) { return client.ready(); });
  const MutexLock lock(&mutex_);
  return client_->TakeOver();
}

// Checks this process's own sums. The server checks the sums over the group.
void ServedUpdates::Submit(Context& ctx, int slice, int64_t step, std::span<float* const> sums) {
  const int64_t size = (*table_)[slice].size;
  const bool finite =
      std::ranges::all_of(sums, [&](const float* sum) { return AllFinite(ctx, sum, size); });
  if (!finite) {
    const ServedParam& param = (*params_)[(*table_)[slice].param];
    const NotFiniteAt at = PlaceIn(*topology_, group_, NotFiniteWorker(ctx, slice), process_);
    const std::string text = GradientNotFiniteText(ParamText(param.name, param.layer), step, at);
    return skip_ ? skip_reason_.Note(step, text) : Diverge(text);
  }
  if (held_)
    held_->Hold(ctx, slice, step, sums);
  else
    Push(step, slice, sums);
}

void ServedUpdates::Push(int64_t step, int slice, std::span<float* const> sums) {
  EncodedFloats gradient;
  {
    const CountedTime counts(&coded_);
    gradient = encoder_->Encode(step, slice, sums);
  }
  {
    const MutexLock lock(&mutex_);
    client_->Push(step, slice, std::move(gradient));
    sent_[slice] = step;
  }
  SINGA_FAILPOINT("client_pushed_gradient");
}

void ServedUpdates::LossNotFinite(const std::string& layer, int64_t step, int worker) {
  const std::string text = LossNotFiniteText(layer, step, PlaceOf(*topology_, group_, worker));
  if (skip_) return skip_reason_.Note(step, text);  // Finish finds that gradients are missing
  Diverge(text);
  Check();
}

void ServedUpdates::Diverge(const std::string& text) {
  Fail(std::make_exception_ptr(DivergedError(text)));
}

// If steps are skipped, the first worker alone hears whether this one is, and pushes all.
void ServedUpdates::Finish(Context& ctx, int64_t step, int worker, int workers,
                           std::span<float* const>) {
  if (held_ && !skip_) {
    PushHeld(step, worker, workers);
    if (++pushed_ < workers) return;
    pushed_ = 0;
    return PushRest(step);
  }
  if (worker > 0) return;
  LackingProcesses lacking;
  if (held_) lacking = WhoLacks(ctx, step);
  if (held_ && !lacking) PushHeld(step, 0, 1);
  PushRest(step);
  if (skip_ && !held_) lacking = WhoLacks(ctx, step);
  if (!lacking) return;
  const int first = topology_->ProcessesOf(group_).first;
  LOG(WARNING) << SkippedText(skip_reason_.Of(step, lacking.Text(first)));
  dropped_ = step;
  norm_ = std::nan("");
  ++skips_;
}

// Asks the processes of the group whether they have no finite loss, or no finite gradient.
LackingProcesses ServedUpdates::WhoLacks(Context& ctx, int64_t step) {
  bool lacks = false;
  {
    const MutexLock lock(&mutex_);
    for (int s = 0; s < table_->size(); ++s)
      if (client_->contributes(s) && !(held_ ? held_->Has(s, step) : sent_[s] == step))
        lacks = true;
  }
  const ActivityMark::Scope waits(ctx.mark, Activity::kAwaitsProcesses);
  const CountedTime counts(&waited_);
  return AskWhoLacks(between_, lacks);
}

// Worker `worker` of `workers` pushes its share of the slices.
void ServedUpdates::PushHeld(int64_t step, int worker, int workers) {
  const double norm = held_->Clip(step, worker, workers);
  if (worker == 0) norm_ = norm;
  for (int s = worker; s < table_->size(); s += workers)
    if (held_->Has(s, step)) Push(step, s, held_->sums(s));
}

// Tells the servers about slices without a gradient of this process.
void ServedUpdates::PushRest(int64_t step) {
  const MutexLock lock(&mutex_);
  for (int s = 0; s < table_->size(); ++s)
    if (sent_[s] != step && client_->takes_part(s)) client_->PushNone(step, s);
  client_->Flush();
}

void ServedUpdates::Check() {
  const MutexLock lock(&mutex_);
  if (failure_) std::rethrow_exception(failure_);
}

void ServedUpdates::Await(int param, int64_t step) {
  const auto [first, last] = table_->OfParam(param);
  const CountedTime counts(&waited_);
  MutexLock lock(&mutex_);
  AwaitLocked(&lock, [&, first = first, last = last]() REQUIRES(mutex_) {
    for (int s = first; s < last; ++s)
      if (!client_->Fresh(s, step)) return false;
    return true;
  });
}

// Waits for the server's answer to the step's gradients, which has the norm, if the server clips.
double ServedUpdates::GradientNorm(int64_t step) {
  if (clip_norm_ > 0) return norm_;
  const CountedTime counts(&waited_);
  MutexLock lock(&mutex_);
  std::optional<double> norm;
  AwaitLocked(&lock, [&]() REQUIRES(mutex_) {
    norm = client_->GradientNorm(step);
    return norm.has_value();
  });
  return *norm;
}

StalenessCounts ServedUpdates::TakeStaleness() {
  const MutexLock lock(&mutex_);
  return client_->TakeStaleness();
}

void ServedUpdates::AwaitLocked(MutexLock* lock, const std::function<bool()>& done) {
  const bool in_time = deadline_.Wait(&changed_, &lock->native(),
                                      [&]() REQUIRES(mutex_) { return failure_ || done(); });
  if (failure_) std::rethrow_exception(failure_);
  if (in_time) return;
  const std::vector<std::string> waits = client_->Waiting();
  throw Error(kExitStalled, waits.empty() ? "no server answers" : waits[0]);
}

void ServedUpdates::Deliver(int rank, const Message& message) {
  {
    const MutexLock lock(&mutex_);
    if (closed_) return;
    client_->OnMessage(rank, message);
    if (events()) NoteAnswers();
  }
  changed_.notify_all();
}

void ServedUpdates::NoteAnswers() {
  for (int s = 0; s < table_->size(); ++s) {
    const int64_t step = sent_[s];
    if (noted_[s] >= step || !client_->Fresh(s, step + 1)) continue;
    noted_[s] = step;
    NoteFresh(s, step);
  }
}

void ServedUpdates::Close() {
  const MutexLock lock(&mutex_);
  closed_ = true;
}

void ServedUpdates::Fail(std::exception_ptr error) {
  {
    const MutexLock lock(&mutex_);
    if (!failure_) failure_ = std::move(error);
  }
  changed_.notify_all();
}

void ServedUpdates::Do(const std::function<void(Client&)>& work,
                       const std::function<bool(Client&)>& done) {
  MutexLock lock(&mutex_);
  work(*client_);
  client_->Flush();
  AwaitLocked(&lock, [&]() REQUIRES(mutex_) { return done(*client_); });
}

}  // namespace singa
