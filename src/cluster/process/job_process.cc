#include "cluster/process/job_process.h"

#include <chrono>
#include <utility>

#include "base/system/process_memory.h"
#include "cluster/liveness/watchdog.h"

namespace singa {
namespace {

int StatesOf(const JobProto& job) { return static_cast<int>(Replica(job).state_count()); }

}  // namespace

JobProcess::JobProcess(const JobProto& job, const ProcessPlace& place, JobCalls calls,
                       const Clock* clock)
    : part_(job, place),
      calls_(std::move(calls)),
      deadline_(LongestWait(job.cluster())),
      stub_(part_.job().cluster(), part_.topology(), place, StatesOf(job), this,
            clock ? clock : &steady_),
      control_(place.rank, part_.processes(), &stub_, &deadline_,
               std::chrono::seconds(job.cluster().start_timeout())),
      leader_(place.rank == 0 ? std::make_unique<Leader>(part_.topology(), &control_) : nullptr),
      follower_(place.rank > 0 ? std::make_unique<Follower>(part_.topology(), &control_) : nullptr),
      peers_(part_, &control_, leader()),
      cluster_(std::make_unique<ServedCluster>(
          part_.job(), part_.topology(), place.rank, &stub_, &deadline_,
          [this](const std::exception_ptr& error) { OnLost(error); })) {
  KeepFreedMemory();
}

// The stub stops first, so that no message comes for a cluster that is gone. The cluster goes
// before the stub object, to which it posts.
JobProcess::~JobProcess() {
  stub_.Stop();
  cluster_.reset();
}

void JobProcess::NoteProgress(uint64_t count) {
  deadline_.Renew();
  stub_.NoteProgress(count);
}

void JobProcess::End() {
  leader_->TellEnd();
  Drain();
}

bool JobProcess::StopOthers(const Error& error) {
  stub_.StopOthers(error.code(), error.what());
  const double seconds = stub_.met() ? kStopSeconds : kStopEarlySeconds;
  if (stub_.Drain(seconds)) {
    stub_.StopOthers(error.code(), error.what());  // the others wait for this second stop
    if (!stub_.lost_leader()) return true;
  }
  try {
    control_.Check();
    return false;
  } catch (const ToldError&) {  // rank 0 reports the reason, and may be gone
    return true;
  } catch (...) {
    return false;  // this process itself failed, and shows `error`
  }
}

void JobProcess::EndWaits(std::exception_ptr error) {
  cluster_->Fail(error);
  control_.Fail(std::move(error));
  peers_.OnFailure();
}

void JobProcess::OnLost(std::exception_ptr error) {
  if (!failing_.exchange(true) && !control_.failed() && calls_.failed) calls_.failed(error);
  EndWaits(std::move(error));
}

// Other ranks only check that the process is replaceable; rank 0 tells them if the job cannot go
// on.
bool JobProcess::OnReplaced(int rank) {
  if (!leader_) return part_.topology().IsReplaceable(rank);
  const auto groups = leader_->Greet(rank);
  if (groups) peers_.OnReplaced(*groups);
  return groups.has_value();
}

void JobProcess::OnMessage(int rank, Message message) {
  if (message.head.to().role() == Address::kStub)
    OnControl(rank, message);
  else
    cluster_->OnMessage(rank, std::move(message));
}

// A message that does not fit is dropped.
void JobProcess::OnControl(int rank, const Message& message) {
  const ControlMessage& control = message.head.control();
  switch (control.kind_case()) {
    case ControlMessage::kGpuGroup:
    case ControlMessage::kGpuVerdict:
    case ControlMessage::kPartition:
    case ControlMessage::kMemory:
    case ControlMessage::kBegin:
    case ControlMessage::kAllReady:
    case ControlMessage::kGrant:
    case ControlMessage::kHold:
    case ControlMessage::kGo:
    case ControlMessage::kExchange:
    case ControlMessage::kCheckpointRequest:
    case ControlMessage::kEnd:
    case ControlMessage::kTakePlace:
      if (follower_ && rank == 0) control_.AddOrder(control);
      return;
    case ControlMessage::kGpus:
    case ControlMessage::kReady:
    case ControlMessage::kFilled:
    case ControlMessage::kListens:
    case ControlMessage::kHeld:
    case ControlMessage::kExchanged:
      if (leader_) leader_->OnAnswer(rank, control);
      return;
    case ControlMessage::kInterrupt:
      if (leader_ && calls_.asked) calls_.asked();
      return;
    case ControlMessage::kState:
      if (leader_ || peers_.LeadsProcess(rank)) control_.AddState(rank, message);
      return;
    case ControlMessage::kSteps:
      return peers_.OnSteps(rank, control.steps());
    case ControlMessage::kLeft:
      return peers_.OnLeft(rank, control.left());
    case ControlMessage::kRow:
      return peers_.OnRow(rank, control.row());
    case ControlMessage::kGroupGrant:
      return peers_.OnGroupGrant(rank, control.group_grant());
    case ControlMessage::kBeat:
    case ControlMessage::kStop:  // the stub handles both
    case ControlMessage::KIND_NOT_SET:
      return;
  }
}

}  // namespace singa
