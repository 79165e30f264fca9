#include "cluster/server/group_steps.h"

#include <glog/logging.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "base/system/failpoint.h"
#include "base/text/counted.h"
#include "cluster/protocol/seconds.h"
#include "math/finite.h"
#include "singa/base/error.h"
#include "train/apply/not_finite.h"

namespace singa {
namespace {

constexpr size_t kMostSquares = 4096;  // in a message

}  // namespace

GroupSteps::GroupSteps(const ServerSetup& setup, const SliceOwners& owners, ParamShard* shard,
                       Outgoing* out, ServerEvents* events)
    : setup_(setup),
      slices_(shard->slices()),
      groups_(setup.topology.WorkerGroupsOf(setup.self.group)),
      rule_(setup.job),
      shard_(shard),
      out_(out),
      answers_(setup, shard, out),
      events_(events),
      consistency_(MakeConsistency(setup.job.cluster())) {
  std::vector<SliceSet> slices;
  slices.reserve(setup.topology.servers_per_group());
  for (int s = 0; s < setup.topology.servers_per_group(); ++s) slices.push_back(owners.Of(s));
  for (int g = groups_.first; g < groups_.last; ++g) {
    std::map<Contributors, Processes> processes;
    std::vector<Cell> cells;
    for (const int s : slices_) {
      const Contributors& by = setup.table[s].by;
      const auto [at, added] = processes.try_emplace(by);
      if (added) at->second = ProcessesOf(setup.topology, g, by);
      const auto& [nodes, read] = at->second;
      cells.push_back(
          {.sum = StepSum(&nodes, setup.first_steps[g], &read), .last = setup.first_steps[g] - 1});
    }
    served_.push_back(
        {.processes = std::move(processes), .cells = std::move(cells), .norm = StepNorm(slices)});
  }
}

GroupSteps::Processes GroupSteps::ProcessesOf(const Topology& topology, int worker_group,
                                              const Contributors& by) {
  Processes processes{topology.ProcessNodes(worker_group, by), {}};
  const Range range = topology.ProcessesOf(worker_group);
  for (int process = range.first; process < range.last; ++process)
    processes.read.push_back(topology.Reads(process, worker_group, by));
  return processes;
}

// Returns whether `step` is, or may become, the step that is collected. If slices wait for each
// other, a step begins when the one before is applied in all slices.
bool GroupSteps::Joins(Group* group, int64_t step) const {
  if (!rule_.needs_all() || step == group->step) return true;
  if (group->complete > 0 || group->unapplied > 0) return false;
  for (const Cell& cell : group->cells)
    if (cell.sum.waits()) return false;
  group->step = step;
  return true;
}

int64_t GroupSteps::FloatsOf(int worker_group, int process, int slice) const {
  const auto place = static_cast<size_t>(PlaceOf(worker_group, process));
  return shard_->size(slice) * std::ssize(ProcessesOf(worker_group, slice).nodes[place]);
}

StepSum::Arrival GroupSteps::Contribute(int worker_group, int process, int64_t step,
                                        const PartView& part) {
  Group& group = of(worker_group);
  StepSum& sum = cell(worker_group, part.slice).sum;
  if (step < sum.step()) {  // the answer may have gone to a process that was lost
    Frame values;
    if (shard_->known(part.slice) && !cell(worker_group, part.slice).owed)
      SendValues(part.slice, worker_group, process, &values);
    return StepSum::Arrival::kDuplicate;
  }
  if (!Joins(&group, step)) return StepSum::Arrival::kOtherStep;
  const int place = process - setup_.topology.ProcessesOf(worker_group).first;
  const StepSum::Arrival arrival =
      sum.Add(place, step, part.head->version(), part.floats, setup_.clock.Now());
  if (arrival == StepSum::Arrival::kTaken && sum.complete()) Complete(worker_group, part.slice);
  return arrival;
}

void GroupSteps::Complete(int worker_group, int slice) {
  Cell& done = cell(worker_group, slice);
  done.finite = done.sum.Sum(&ctx_, shard_->size(slice));
  if (!done.finite && !(rule_.skips && done.sum.none()))
    Diverged(worker_group, done.sum.step(),
             GradientNotFiniteText(shard_->Name(slice), done.sum.step()));
  if (!done.finite && !rule_.skips) return;
  if (!rule_.needs_all()) {
    done.ready = true;
    return Settle(slice);
  }
  if (++of(worker_group).complete < slices_.size()) return;
  PostSquares(worker_group);
  TryNorm(worker_group);
}

// Reports once for each step.
void GroupSteps::Diverged(int worker_group, int64_t step, const std::string& text) {
  if (std::exchange(of(worker_group).told, step) == step) return;
  if (rule_.skips)
    LOG(WARNING) << SkippedText(text);
  else
    events_->Diverged(text);
}

// Sends the squares of this server's slices to the other servers, in messages of a bounded size.
void GroupSteps::PostSquares(int worker_group) {
  Group& group = of(worker_group);
  std::vector<double> squares;
  for (const int s : slices_) {
    const Cell& one = cell(worker_group, s);
    squares.push_back(one.finite ? SumOfSquares(ctx_, one.sum.gradient(), shard_->size(s))
                                 : std::nan(""));
  }
  for (size_t begin = 0; begin < squares.size(); begin += kMostSquares) {
    const auto part =
        std::span(squares).subspan(begin).first(std::min(kMostSquares, squares.size() - begin));
    WireMessage head;
    head.set_type(WireMessage::kSquares);
    head.set_group(worker_group);
    head.set_step(group.step);
    head.set_first(static_cast<uint32_t>(begin));
    head.mutable_squares()->Add(part.begin(), part.end());
    for (int s = 0; s < setup_.topology.servers_per_group(); ++s) {
      if (s == setup_.self.id || group.norm.slices(s) == 0) continue;
      *head.mutable_to() = ServerAddress({setup_.self.group, s});
      out_->Post(head);
    }
  }
  group.norm.Add(setup_.self.id, group.step, 0, squares);
}

bool GroupSteps::OnSquares(int worker_group, int server, int64_t step, int64_t first,
                           std::span<const double> squares) {
  if (!rule_.needs_all() || step < setup_.first_steps[worker_group]) return false;
  if (!of(worker_group).norm.Add(server, step, first, squares)) return false;
  TryNorm(worker_group);
  return true;
}

void GroupSteps::TryNorm(int worker_group) {
  Group& group = of(worker_group);
  if (group.complete < slices_.size()) return;
  const std::optional<double> squares = group.norm.Take(group.step);
  if (!squares) return;
  group.verdict = rule_.Judge(*squares);
  if (group.verdict.dropped && !rule_.skips)  // only the sum of squares is not finite
    return Diverged(worker_group, group.step, GradientNotFiniteText("all params", group.step));
  group.length = rule_.clip_norm > 0 && !group.verdict.dropped ? std::sqrt(*squares) : -1;
  if (group.verdict.dropped) ++counts_.skipped;
  group.complete = 0;
  group.unapplied = slices_.size();
  for (Cell& one : group.cells) one.ready = true;
  for (const int s : slices_) Settle(s);
}

void GroupSteps::Settle(int slice) {
  if (!shard_->known(slice)) return;
  std::vector<GroupClock> clocks;
  for (int g = groups_.first; g < groups_.last; ++g) clocks.push_back({cell(g, slice).sum.step()});
  for (bool changed = true; changed;) {
    changed = false;
    for (int g = groups_.first; g < groups_.last; ++g) {
      Cell& one = cell(g, slice);
      if (!one.ready || !consistency_->MayApply(clocks, g - groups_.first)) continue;
      Apply(g, slice);
      clocks[g - groups_.first].step = one.sum.step();
      changed = true;
    }
  }
  if (holds_(slice)) return;
  for (int g = groups_.first; g < groups_.last; ++g)
    if (cell(g, slice).owed && consistency_->MayAnswer(clocks, g - groups_.first)) Answer(g, slice);
}

void GroupSteps::Apply(int worker_group, int slice) {
  Group& group = of(worker_group);
  Cell& one = cell(worker_group, slice);
  if (rule_.needs_all() && group.verdict.dropped) {
    shard_->Drop(slice);
    one.staleness = -1;
    one.applied = {};
  } else {
    const float* gradient = one.sum.gradient();
    if (rule_.needs_all() && group.verdict.scale != 1) {
      clipped_.assign(gradient, gradient + shard_->size(slice));
      for (float& x : clipped_) x *= group.verdict.scale;
      gradient = clipped_.data();
    }
    if (setup_.sends_sums) gradient = answers_.Encode(slice, gradient, &one.applied);
    one.staleness = std::max<int64_t>(0, shard_->version(slice) - one.sum.version());
    counts_.staleness.Count(one.staleness);
    ++counts_.applied;
    shard_->Update(&ctx_, slice, one.sum.step(), gradient);
  }
  if (rule_.needs_all()) --group.unapplied;
  one.norm = group.length;
  one.last = one.sum.step();
  one.sum.Done();
  one.ready = false;
  one.owed = true;
  SINGA_FAILPOINT("server_applied_update");
  if (on_update_) on_update_(slice);
}

void GroupSteps::Answer(int worker_group, int slice) {
  Cell& one = cell(worker_group, slice);
  one.owed = false;
  const Range processes = setup_.topology.ProcessesOf(worker_group);
  Frame values;
  for (int p = processes.first; p < processes.last; ++p) {
    if (!TakesPart(worker_group, p, slice)) continue;
    if (setup_.sends_sums)
      answers_.SendApplied(AnswerPart(slice, worker_group), worker_group, p, one.applied);
    else
      SendValues(slice, worker_group, p, &values);
  }
  one.applied = {};
}

void GroupSteps::SendValues(int slice, int worker_group, int process, Frame* values) {
  answers_.SendValues(AnswerPart(slice, worker_group), worker_group, process, values);
}

SlicePart GroupSteps::AnswerPart(int slice, int worker_group) const {
  const Cell& one = of(worker_group).cells[slices_.PlaceOf(slice)];
  SlicePart part;
  part.set_slice(slice);
  part.set_version(shard_->version(slice));
  part.set_step(one.last);
  if (groups_.size() > 1) part.set_staleness(one.staleness);
  if (one.norm >= 0) part.set_norm(one.norm);
  return part;
}

int64_t GroupSteps::LastStep(int worker_group, int slice) const {
  return of(worker_group).cells[slices_.PlaceOf(slice)].last;
}

int64_t GroupSteps::held_bytes() const {
  int64_t bytes = 0;
  for (const Group& group : served_)
    for (const Cell& one : group.cells) bytes += one.sum.held_bytes();
  return bytes;
}

std::string GroupSteps::Waiting() const {
  const Cell* oldest = nullptr;
  std::string what;
  for (int g = groups_.first; g < groups_.last; ++g) {
    const Group& group = of(g);
    const Range processes = setup_.topology.ProcessesOf(g);
    for (int i = 0; i < slices_.size(); ++i) {
      const Cell& one = group.cells[i];
      const bool pending = one.sum.waits() || one.sum.complete();
      if (!pending || (oldest && oldest->sum.since() <= one.sum.since())) continue;
      oldest = &one;
      what = StrCat("step ", one.sum.step(), " of worker group ", g, " waits for ");
      const int missing =
          rule_.needs_all() && one.sum.complete() ? group.norm.Missing(group.step) : -1;
      if (one.sum.waits())
        what += StrCat("process ", processes.first + one.sum.Missing(), " to send ",
                       shard_->Name(slices_[i]));
      else if (group.complete > 0 && group.complete < slices_.size())
        what += Counted(slices_.size() - group.complete, "other slice");
      else if (missing >= 0)
        what += StrCat("the squares of server ", missing);
      else
        what += "other worker groups";
    }
  }
  if (oldest) what += StrCat(", since ", Seconds(setup_.clock.Now() - oldest->sum.since()));
  return what;
}

}  // namespace singa
