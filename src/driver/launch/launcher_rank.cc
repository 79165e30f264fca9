#include "driver/launch/launcher_rank.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/text/parse_number.h"
#include "comm/security/keys.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr size_t kLongestId = 64;

struct Launcher {
  const char *rank, *size;
  const char* needs;         // another variable that must be set; null: none
  const char* on_this_host;  // number of the processes on this host; null: not given
  const char* before_here;   // number of these with lower ranks
  // One of these is set if the launcher lives as long as its processes; {null}: it always does.
  std::array<const char*, 2> lives;
};
constexpr Launcher kLaunchers[] = {
    {"OMPI_COMM_WORLD_RANK",
     "OMPI_COMM_WORLD_SIZE",
     nullptr,
     "OMPI_COMM_WORLD_LOCAL_SIZE",
     "OMPI_COMM_WORLD_LOCAL_RANK",
     {}},
    {"PMI_RANK", "PMI_SIZE", nullptr, "MPI_LOCALNRANKS", "MPI_LOCALRANKID", {"PMI_FD", "PMI_PORT"}},
    // A batch script also has the first two, before any srun.
    {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_STEP_ID", nullptr, "SLURM_LOCALID", {}},
};

std::string Variable(const char* name) {
  const char* const value = name ? std::getenv(name) : nullptr;
  return value ? value : "";
}

int ReadNumber(const char* name, int least, int most) {
  const std::string value = Variable(name);
  const std::optional<int> number = ParseInteger(value, least, most);
  if (!number)
    throw Error(kExitUsage, Printable(StrCat(name, ": must be ", least, " to ", most, ", is \"",
                                             value.substr(0, 100), "\"")));
  return *number;
}

// Returns nullopt if the launcher does not say.
std::optional<bool> OnSeveralHosts(const Launcher& launcher, int processes) {
  const std::optional<int> here = ParseInteger(Variable(launcher.on_this_host), 1, processes);
  if (here) return *here < processes;
  const std::optional<int> hosts =
      ParseInteger(Variable("SLURM_STEP_NUM_NODES"), 1, kMostProcesses);
  if (hosts) return *hosts > 1;
  return {};
}

// Also reads Slurm's variable, which processes with PMI have, too.
int BeforeHere(const Launcher& launcher, int rank) {
  for (const char* name : {launcher.before_here, "SLURM_LOCALID"})
    if (const auto before = ParseInteger(Variable(name), 0, rank)) return *before;
  return 0;
}

bool IsSet(const Launcher& launcher) {
  if (Variable(launcher.rank).empty() || Variable(launcher.size).empty()) return false;
  return !launcher.needs || !Variable(launcher.needs).empty();
}

std::string Cleaned(std::string id) {
  for (char& c : id)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '-') c = '-';
  return id.substr(0, kLongestId);
}

// Returns an id of this start. A job that Slurm starts again keeps its id, so the number of
// restarts is appended: files of the first start must not be used.
std::string StartId() {
  const std::string restarts = Variable("SLURM_RESTART_COUNT");
  const std::string again = restarts.empty() ? "" : "-" + restarts;
  for (const char* name : {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "PMI_JOBID"})
    if (const std::string id = Variable(name); !id.empty()) return id + again;
  const std::string job = Variable("SLURM_JOB_ID"), step = Variable("SLURM_STEP_ID");
  if (!job.empty() && !step.empty()) return job + "-" + step + again;
  return StrCat("parent-", ::getppid());  // MPICH: the same for the processes of this host
}

// Open MPI finds its processes by its own mpirun, or by a PMIx server, as `srun --mpi=pmix` starts.
std::string WhyMpi(const Launcher& launcher) {
  if (std::string_view(launcher.rank).starts_with("OMPI_")) return "Open MPI has started the job";
  const bool by_slurm = std::string_view(launcher.rank).starts_with("SLURM_");
  return by_slurm && !Variable("PMIX_RANK").empty() ? "srun has started the job with PMIx" : "";
}

}  // namespace

std::optional<int> ParseInteger(const std::string& text, int least, int most) {
  const std::optional<int> number = ParseNumber<int>(text);
  return number && *number >= least && *number <= most ? number : std::nullopt;
}

std::optional<LauncherRank> FindLauncherRank() {
  for (const Launcher& launcher : kLaunchers) {
    if (!IsSet(launcher)) continue;
    const int processes = ReadNumber(launcher.size, 1, kMostProcesses);
    const int rank = ReadNumber(launcher.rank, 0, processes - 1);
    if (processes == 1) continue;
    const std::optional<bool> several = OnSeveralHosts(launcher, processes);
    return LauncherRank{.rank = rank,
                        .processes = processes,
                        .source = launcher.size,
                        .before_here = BeforeHere(launcher, rank),
                        .id = Cleaned(StartId()),
                        .why_mpi = WhyMpi(launcher),
                        .one_host = several == false,
                        .several_hosts = several == true};
  }
  return {};
}

bool LeaveToRank0(const std::string& subcommand) {
  const std::optional<LauncherRank> launcher = FindLauncherRank();
  if (launcher && launcher->rank == 0)
    std::fprintf(stderr, "singa %s: one process of %d does this alone (%s)\n", subcommand.c_str(),
                 launcher->processes, launcher->source.c_str());
  return launcher && launcher->rank > 0;
}

const char* LivingLauncherVariable() {
  const auto set = [](const char* name) { return name && !Variable(name).empty(); };
  for (const Launcher& launcher : kLaunchers) {
    const auto& lives = launcher.lives;
    if (IsSet(launcher) && (!lives[0] || std::any_of(lives.begin(), lives.end(), set)))
      return launcher.rank;
  }
  return nullptr;
}

}  // namespace singa
