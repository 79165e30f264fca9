#include "driver/launch/launch_place.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "base/text/counted.h"
#include "comm/collective/mpi_world.h"
#include "driver/launch/launch_variables.h"
#include "driver/launch/launcher_rank.h"
#include "driver/workspace/workspace.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr int kMostDescriptor = std::numeric_limits<int>::max();

// Returns the variable's value and removes the variable.
std::optional<std::string> TakeVariable(const char* name) {
  const char* const value = std::getenv(name);
  if (!value) return {};
  const std::string text = value;
  ::unsetenv(name);
  return text;
}

[[noreturn]] void Fail(const char* name, const std::string& wanted, const std::string& value) {
  throw Error(kExitUsage,
              Printable(StrCat(name, ": ", wanted, ", is \"", value.substr(0, 100), "\"")));
}

void CheckProcesses(const std::string& source, int started, int processes) {
  if (started != processes)
    throw ConfigError(
        "cluster",
        StrCat(
            "makes ", Counted(processes, "process", "processes"), ", ",
            Counted(started, "was", "were"), " started (", source, "); start ", processes,
            ", or change the number of workers or servers, such as nworkers_per_group: ", started));
}

// The numbers in kProcessVariable.
struct Numbers {
  int rank = 0, processes = 0, secrets = -1, report = -1;
};

Numbers ParseNumbers(const std::string& value) {
  const auto fail = [&] { Fail(kProcessVariable, "must be RANK/PROCESSES/SECRETS/REPORT", value); };
  std::vector<std::string> words(1);
  for (char c : value) {
    if (c == '/')
      words.emplace_back();
    else
      words.back().push_back(c);
  }
  if (words.size() != 4) fail();
  const std::optional<int> processes = ParseInteger(words[1], 1, kMostProcesses);
  if (!processes) fail();
  const std::optional<int> rank = ParseInteger(words[0], 0, *processes - 1);
  const std::optional<int> secrets = ParseInteger(words[2], 3, kMostDescriptor);
  const std::optional<int> report = ParseInteger(words[3], -1, kMostDescriptor);
  if (!rank || !secrets || !report || (*report >= 0 && *report < 3)) fail();
  return {*rank, *processes, *secrets, *report};
}

// Reads the secrets. Accepts only a file or memory, as another descriptor, named by mistake, could
// block.
JobSecrets TakeSecrets(const Numbers& numbers, const std::string& value) {
  struct stat status;
  if (::fstat(numbers.secrets, &status) != 0 || !S_ISREG(status.st_mode))
    Fail(kProcessVariable, "its third number must be a descriptor of a job's secrets", value);
  JobSecrets secrets = ReadSecretsDescriptor(numbers.secrets);
  if (static_cast<int>(secrets.keys.size()) != numbers.processes)
    Fail(kProcessVariable,
         StrCat("must name ", secrets.keys.size(), " processes, as there are secrets of so many"),
         value);
  return secrets;
}

std::optional<LaunchPlace> FindSupervised(const JobProto& job, int processes) {
  const std::optional<std::string> value = TakeVariable(kProcessVariable);
  const std::optional<std::string> coordinator = TakeVariable(kCoordinatorVariable);
  const std::optional<std::string> before = TakeVariable(kBeforeVariable);
  if (!value) return {};
  const Numbers numbers = ParseNumbers(*value);
  LaunchPlace place;
  place.secrets = TakeSecrets(numbers, *value);
  CheckProcesses(kProcessVariable, numbers.processes, processes);
  if (numbers.report >= 0) {
    if (::fcntl(numbers.report, F_SETFD, FD_CLOEXEC) != 0)
      Fail(kProcessVariable, "its last number must be an open descriptor or -1", *value);
    place.report = Descriptor(numbers.report);
  }
  place.rank = numbers.rank;
  const std::optional<int> before_here = ParseInteger(before.value_or("0"), 0, place.rank);
  if (!before_here)
    Fail(kBeforeVariable, StrCat("must be 0 to ", place.rank, ", the process's rank"), *before);
  place.before_here = *before_here;
  place.processes = processes;
  place.supervised = true;
  place.one_host = numbers.report >= 0;  // the supervisor starts all on this host
  place.coordinator = CoordinatorOf(job);
  if (coordinator) try {
      place.coordinator = ParseEndpoint(*coordinator);
    } catch (const ConfigError& error) {
      throw Error(kExitUsage, StrCat(kCoordinatorVariable, ": ", error.what()));
    }
  if (place.rank != 0 && !place.coordinator)
    Fail(kCoordinatorVariable, "must say where process 0 is", "");
  return place;
}

std::optional<LaunchPlace> FindLaunched(const JobProto& job, int processes) {
  const std::optional<LauncherRank> launcher = FindLauncherRank();
  if (!launcher) return {};
  CheckProcesses(launcher->source, launcher->processes, processes);
  LaunchPlace place;
  place.rank = launcher->rank;
  place.processes = processes;
  place.coordinator = CoordinatorOf(job);
  place.one_host = launcher->one_host;
  place.reach = launcher->one_host        ? Reach::kThisHost
                : launcher->several_hosts ? Reach::kOtherHosts
                                          : Reach::kUnknown;
  const bool by_mpi = !launcher->why_mpi.empty();
  if (by_mpi && MpiWorld::Available(&place.why_not_mpi)) place.why_mpi = launcher->why_mpi;
  place.before_here = launcher->before_here;
  if (launcher->several_hosts && !place.coordinator)
    throw ConfigError("cluster.coordinator",
                      "must be set, to an address of the host of process 0 that the others reach: "
                      "the job's processes are on several hosts");
  place.path = WorkspacePath(job) + "/launch-" + launcher->id;
  if (place.rank == 0) {
    const JobSecrets all = JobSecrets::Make(processes);
    place.files = std::make_unique<LaunchFiles>(place.path, all);
    place.secrets = all.ForRank(0);
  } else {
    place.ReadAgain(job);
  }
  return place;
}

// Waits for rank 0's endpoint, as a host name may mean another address here than at rank 0.
Endpoint AwaitCoordinator(const LaunchFilesReader& reader) {
  Endpoint endpoint = reader.AwaitEndpoint();
  const std::string own = OwnNetwork(), network = reader.ReadNetwork();
  if (IsLoopback(endpoint) && !own.empty() && !network.empty() && own != network)
    throw ConfigError("cluster.coordinator",
                      StrCat("must be an address of the host of process 0 that this host reaches: "
                             "process 0 is on another host and listens on ",
                             ToString(endpoint), ", which is loopback"));
  return endpoint;
}

void WriteLine(int descriptor, const std::string& line) {
  ssize_t n = 0;  // a pipe takes so few bytes in one write
  do n = ::write(descriptor, line.data(), line.size());
  while (n < 0 && errno == EINTR);
  if (n < 0)
    throw FileError(kExitIo, StrCat("descriptor ", descriptor),
                    StrCat("cannot tell the supervisor: ", std::strerror(errno)));
}

}  // namespace

void LaunchPlace::Report(const Endpoint& endpoint) const {
  if (report.get() >= 0) WriteLine(report.get(), ToString(endpoint) + "\n");
  if (files) files->Tell(endpoint);
}

void LaunchPlace::Begun() const {
  if (report.get() >= 0) WriteLine(report.get(), StrCat(kBegunWord, "\n"));
}

void LaunchPlace::Committed() const {
  if (report.get() >= 0) WriteLine(report.get(), StrCat(kCommittedWord, "\n"));
}

void LaunchPlace::Done() {
  if (report.get() >= 0) WriteLine(report.get(), StrCat(kMetWord, "\n"));
  if (files) files->Remove();
}

void LaunchPlace::ReadAgain(const JobProto& job) {
  reader = std::make_unique<LaunchFilesReader>(path, job.cluster().start_timeout());
  secrets = reader->AwaitSecrets(processes).ForRank(rank);
  coordinator = CoordinatorOf(job);
  const bool whole = coordinator && coordinator->port != 0 && IsNumeric(*coordinator);
  if (!whole || IsLoopback(*coordinator)) coordinator = AwaitCoordinator(*reader);
}

bool IsLaunched() { return std::getenv(kProcessVariable) || FindLauncherRank(); }

std::optional<LaunchPlace> FindLaunchPlace(const JobProto& job, int processes) {
  std::optional<LaunchPlace> place = FindSupervised(job, processes);
  if (!place) place = FindLaunched(job, processes);
  return place;
}

void CheckStartedOnce() {
  if (const auto launcher = FindLauncherRank())
    CheckProcesses(launcher->source, launcher->processes, 1);
}

std::optional<Endpoint> CoordinatorOf(const JobProto& job) {
  if (job.cluster().coordinator().empty()) return {};
  try {
    const Endpoint endpoint = ParseEndpoint(job.cluster().coordinator());
    if (IsWildcard(endpoint) || (IsNumeric(endpoint) && IsWildcard(Resolve(endpoint))))
      throw ConfigError(
          "", StrCat("must be one address that all processes reach, is \"",
                     job.cluster().coordinator(), "\", which is all addresses of a machine"));
    return endpoint;
  } catch (const ConfigError& error) {
    throw error.Under("cluster.coordinator");
  }
}

}  // namespace singa
