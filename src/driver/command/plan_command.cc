#include <algorithm>
#include <cstdio>
#include <memory>

#include "base/text/counted.h"
#include "base/thread/core_binding.h"
#include "cluster/protocol/topology.h"
#include "driver/arguments/arguments.h"
#include "driver/command/subcommand.h"
#include "driver/conf/check_job.h"
#include "driver/job/dot_graph.h"
#include "driver/job/dot_picture.h"
#include "driver/job/run_job.h"
#include "driver/plan/job_plans.h"
#include "driver/plan/kept_predictions.h"
#include "driver/plan/kept_times.h"
#include "driver/plan/machine_file.h"
#include "driver/plan/measure_plans.h"
#include "driver/plan/measure_progress.h"
#include "driver/plan/model_errors.h"
#include "driver/plan/plan_report.h"
#include "driver/plan/rated_times.h"
#include "driver/plan/this_machine.h"
#include "driver/timing/bench_job.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"
#include "train/trainer/job_memory.h"
#include "train/trainer/worker_model.h"

namespace singa {
namespace {

int Count(const Arguments& args, const std::string& flag, int missing, int most) {
  if (!args.Has(flag)) return missing;
  const auto number = args.ToNumber<int>(flag, args.Get(flag));
  if (number < 1 || number > most)
    args.ThrowUsage(StrCat("-", flag, " must be from 1 to ", most, ", is ", number));
  return number;
}

int CountHosts(const Arguments& args, int workers) {
  const int hosts = Count(args, "hosts", 1, Topology::kMostRoles);
  if (hosts > workers)
    args.ThrowUsage(StrCat("-hosts ", hosts, " needs a worker for each host, ",
                           args.Has("workers") ? "-workers gives " : "the job's conf has ",
                           Counted(workers, "worker"), ": set -workers ", hosts, " or more"));
  return hosts;
}

// Reads -link GBIT or GBIT,USEC.
void ReadLink(const Arguments& args, PlanCluster* cluster) {
  if (!args.Has("link")) return;
  const std::string text = args.Get("link");
  const size_t comma = text.find(',');
  const auto number = [&](std::string_view part) {
    return args.ToNumber<double>("link", part,
                                 "give Gbit/s, or Gbit/s and microseconds, such as 0.1,50");
  };
  cluster->link_gbit = number(std::string_view(text).substr(0, comma));
  if (comma != std::string::npos)
    cluster->link_us = number(std::string_view(text).substr(comma + 1));
  if (!(cluster->link_gbit >= kLeastSpeed && cluster->link_gbit <= kMostSpeed))
    args.ThrowUsage(StrCat("-link: Gbit/s must be from ", kLeastSpeed, " to ", kMostSpeed, ", is ",
                           cluster->link_gbit));
  if (!(cluster->link_us >= 0 && cluster->link_us <= kMostSpeed))
    args.ThrowUsage(
        StrCat("-link: microseconds must be from 0 to ", kMostSpeed, ", is ", cluster->link_us));
}

// Says something about the plan on stderr.
void Tell(const std::string& what) { std::fprintf(stderr, "singa plan: %s\n", what.c_str()); }

MeasureProgress TellProgress() {
  return [tell = EveryTenSeconds(Tell)](int done, int all) {
    if (done == 0) Tell("measures the layers on this machine");
    tell(done, all);
  };
}

// The machine whose hosts train, and the source of its layers' times.
struct Machine {
  PlanCluster cluster;
  SyncRates rates;
  int64_t worker_bytes = 0;  // memory of a worker; 0: not known
  std::unique_ptr<PartTimer> timer;
};

Machine MachineOf(const MachineProto& file, PlanCluster cluster) {
  Machine machine;
  const bool gpus = file.gpus() > 0;
  cluster.gpus = gpus;
  cluster.cores = gpus ? file.gpus() : file.cores();
  cluster.link_gbit = file.link_gbit();
  cluster.link_us = file.link_us();
  machine.cluster = cluster;
  machine.rates.copy_gb_per_s =
      file.has_exchange_gb_per_s() ? file.exchange_gb_per_s() : file.gb_per_s() / 2;
  machine.rates.meeting_us = file.exchange_us();
  machine.rates.send_ms_per_mb = 0;
  if (file.has_memory_gb()) {
    const double bytes = 1e9 * file.memory_gb() / (gpus ? 1 : cluster.here());
    machine.worker_bytes = static_cast<int64_t>(std::clamp(bytes, 1.0, 1e18));
  }
  machine.timer = std::make_unique<RatedTimes>(file);
  return machine;
}

// Returns the threads of each worker in a run of the job on this machine.
int ThreadsOfRun(JobProto job, int workers) {
  job.mutable_cluster()->set_nworkers_per_group(workers);
  return ThreadsOfWorker(job, 0);
}

// As each host has workers / hosts of the workers, rounded up, the last hosts may have none.
void LeaveOutIdleHosts(PlanCluster* cluster) {
  const int asked = cluster->hosts, here = cluster->here();
  cluster->hosts = (cluster->workers + here - 1) / here;
  if (cluster->hosts < asked)
    Tell(StrCat("hosts: ", cluster->hosts, ", as ", cluster->workers, " workers, ", here,
                " on a host, need no more"));
}

// Returns PlanCluster::servers. If the job does not say how many servers it has, each host has one.
int ServersOf(const ClusterProto& conf, int hosts) {
  const bool few = conf.nservers_per_group() > 0 && conf.nservers_per_group() < hosts;
  if (hosts == 1 || conf.has_all_reduce() || !few) return 0;
  if (conf.has_nservers_per_group()) return conf.nservers_per_group();
  Tell(StrCat("each host is taken to have a server: set all_reduce {}, or nservers_per_group: ",
              hosts, ", in cluster"));
  return 0;
}

Machine MachineFor(const JobProto& job, const Arguments& args) {
  PlanCluster cluster;
  cluster.workers =
      Count(args, "workers", std::max(1, job.cluster().nworkers_per_group()), Topology::kMostRoles);
  cluster.hosts = CountHosts(args, cluster.workers);
  LeaveOutIdleHosts(&cluster);
  ReadLink(args, &cluster);  // tells of a mistake before anything is measured
  Machine machine;
  if (args.Has("machine")) {
    machine = MachineOf(ReadMachine(args.Get("machine")), cluster);
    machine.cluster.SetThreads(job.has_num_openblas_threads() ? job.num_openblas_threads() : 0);
    if (machine.cluster.gpus && cluster.here() > machine.cluster.cores)
      args.ThrowUsage(StrCat("a host of the machine has ", machine.cluster.cores, " GPUs, and ",
                             cluster.here(), " workers need one each: raise -hosts"));
  } else {
    machine.cluster = cluster;
    machine.cluster.cores = UsableCores();
    machine.cluster.threads = ThreadsOfRun(job, cluster.workers);
    machine.cluster.link_gbit = job.cluster().link_gbit();
    machine.rates = RatesOfThisMachine(machine.cluster);
    machine.worker_bytes = UsableMemory() / cluster.here();
    machine.timer = std::make_unique<KeptTimes>(args.Has("fresh"), TellProgress());
  }
  if (!machine.cluster.gpus) machine.cluster.servers = ServersOf(job.cluster(), cluster.hosts);
  ReadLink(args, &machine.cluster);
  return machine;
}

// Returns the net that the first worker trains by the plan found, in the language of Graphviz.
std::string DotOf(const JobProto& job, const JobPlans& plans) {
  const JobProto divided = JobOf(job, plans.cluster, plans.found().division);
  const WorkerModel model(divided, plans.cluster.PlaceOf(0), nullptr);
  return GraphDot(model.net(), job.name());
}

int Plan(const JobProto& asked, const Arguments& args) {
  const bool verify = args.Has("verify");
  if (args.Has("json") && args.Has("svg")) args.ThrowUsage("-json and -svg exclude each other");
  if (verify && args.Has("machine"))
    args.ThrowUsage("-verify runs the plans on this machine, and -machine describes another one");
  if (verify && Count(args, "hosts", 1, Topology::kMostRoles) > 1)
    args.ThrowUsage("-verify runs the plans on this host alone: leave out -hosts");
  JobProto planned = asked;
  planned.clear_gpu();
  Machine machine = MachineFor(planned, args);
  if (asked.gpu_size() > 0 && !args.Has("machine")) {
    machine.cluster.untimed_gpus = machine.cluster.hosts > 1;
    Tell("gpu is left out: layers are measured on the CPU; -machine describes a machine with GPUs");
  }
  std::string ignored;
  const JobProto job = BenchJob(planned, true, &ignored);
  JobPlans plans =
      PlanJob(job, machine.cluster, machine.rates, machine.worker_bytes, machine.timer.get());
  if (!args.Has("machine")) KeepPredictions(planned, plans);
  if (verify) {
    Tell("trains some steps with each plan that fits into this host's memory");
    MeasurePlans(job, machine.cluster, machine.worker_bytes, &plans.plans);
    KeepModelErrors(plans.plans);
  }
  int code = kExitOk;
  if (args.Has("svg"))
    code = PrintSvg(DotOf(job, plans));
  else
    std::fputs((args.Has("json") ? PlanJson(plans) : PlanTable(plans)).c_str(), stdout);
  if (plans.fits || code != kExitOk) return code;
  std::fflush(stdout);
  throw DeviceError(StrCat("no plan fits into the memory of a worker, which is ",
                           1e-6 * static_cast<double>(machine.worker_bytes), " MB"));
}

int PlanCommand(const CommandLine& line) {
  const Arguments args("plan", line.args,
                       {.values = {"conf", "workers", "hosts", "link", "machine"},
                        .switches = {"json", "svg", "verify", "fresh"},
                        .repeated = {"set", "plugin"}});
  if (args.Has("conf") && !args.operands().empty())
    args.ThrowUsage(StrCat("takes one file, a second is \"", args.operands()[0], "\""));
  const std::string file = args.Has("conf") ? args.Get("conf") : args.Operands("FILE")[0];
  return WithJob(file, args.Settings(), {.use = JobUse::kTrain, .elsewhere = true},
                 [&](const JobProto& job) { return Plan(job, args); });
}

constexpr const char* kHelp =
    R"(usage: singa plan [-workers N] [-hosts H] [-link GBIT,USEC] [-json | -svg] FILE

Predicts how fast the workers of one group train a job, and finds how they should divide each layer:
by rows of the batch (partition_dim: 0), by units (partition_dim: 1), in grids of both, or not at
all: then each worker computes the whole layer (partition_grid). It needs no cluster. The layers'
times are measured on this machine, in seconds, and kept in a cache; or they follow from a machine
file. On this machine a worker has as many threads as in a run of the job.

  -workers N      workers of the group; if not given, the job's nworkers_per_group
  -hosts H        number of hosts; each has at most N / H workers, rounded up; if not given, 1
  -link GBIT,USEC speed of a host's link in each direction, and microseconds of a message between
                  hosts; if not given, cluster.link_gbit and 50, or as the machine file says
  -machine FILE   plan for the machine that the file describes (proto/machine.proto), not this one
  -verify         train for some steps with each plan that fits into this host's memory, and show
                  the measured times; later plans know the model's error from them
  -fresh          measure the layers again, and do not read the cache
  -json           print the plans as one JSON object; its "front" lists each plan for which no
                  other plan is both faster and smaller, by the model's estimate of memory
  -svg            print a picture of the net of the plan found, by Graphviz's dot
  -set PATH=VALUE override a field of the job; any number of times
  -plugin FILE    load a library with layers of your own; any number of times

The first table has the layers of the plan found. A step's compute time is that of one worker, with
its share of sums and updates. moved MB is what a worker gets from others in a step, transfer ms the
time of this, and hidden ms the part for which no worker waits. Memory is that of a layer's
features, and of its gradients if they are stored. The second table has all plans. Their memory has
params and states, too. If the workers of a host have one copy of these, a worker's memory has a
share of it:

  found      the fastest plan of all, under the cost model; data parallelism if the gain is less
             than the model's error or the spread of repeated measurements
  data       all layers by rows
  own        as partition_dim and partition_grid in the job say; a note tells why it is missing
  units      by units, all layers that have some
  hybrid     inner products by units, the rest by rows (Krizhevsky 2014)
  runner_up  the best other plan

  step ms    predicted time of a step            link MB    bytes that a host sends in a step
  speed-up   over one worker with all cores      memory MB  of a worker

With several hosts, a third table has the ways to exchange gradients, with the fields of the job's
`cluster` and the job's own division:

  gradients   whole (kNone), each compression of all_reduce, and, if sync_freq is above 1, outer
              steps after local ones (group_sync: kOuter)
  by          who adds the gradients up
  step ms     the sum of the next three columns, each of one worker
  compute ms  layers, sums, updates, and the processor's part in sending
  encode ms   encoding and decoding of gradients
  exposed ms  waiting for the exchange; the backward pass hides the rest of link ms
  link ms     time of the exchange alone         link MB    bytes that a host sends in a step

"no gain here" marks a way that is not faster than whole gradients. The share that kThreshold sends
depends on the gradients. It is taken to be `sparsity`, or all with threshold: 0. GPUs have the ways
of NCCL. Their time to encode is not counted, so such a way "may be faster". If the job has `gpu`
and -machine is missing, there are only bytes and times of the link.

To train with the plan found, set partition: kAuto in neuralnet, or copy each layer's partition_dim
from -json. A layer without one has rows and units there, which are its partition_grid. A job with
partition: kAuto has no plan "own".

Exit code 66: the machine file, or `dot` for -svg, is missing; 69: the machine has too little
memory to measure a worker's part, or no plan fits into its memory; 78: the job or the machine file
has mistakes, or the job has fewer rows than workers.
)";

SINGA_REGISTER_SUBCOMMAND(
    plan, {.place = 45,
           .name = "plan",
           .operands = "FILE",
           .brief = "predict the speed of several workers, and find the best division",
           .reads = Subcommand::kItsOwn,
           .options = {},
           .alone = true,
           .help = kHelp,
           .run = PlanCommand});

}  // namespace
}  // namespace singa
