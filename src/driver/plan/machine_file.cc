#include "driver/plan/machine_file.h"

#include <cstdio>

#include "driver/conf/job_conf.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

// Numbers are finite: JobConf refuses others.
class Checks {
 public:
  explicit Checks(JobConf* conf) : conf_(*conf) {}

  void Above0(const std::string& field, bool has, double value) {
    if (has && !(value > 0)) Fail(field, "> 0", value);
    if (has && value > 0 && (value < kLeastSpeed || value > kMostSpeed))
      Fail(field, StrCat("from ", kLeastSpeed, " to ", kMostSpeed), value);
  }
  void AtLeast0(const std::string& field, double value) {
    if (!(value >= 0)) Fail(field, ">= 0", value);
    if (value > kMostSpeed) Fail(field, StrCat("at most ", kMostSpeed), value);
  }
  void Required(const std::string& field, bool has) {
    if (!has) conf_.Add(ConfigError(field, "is missing"));
  }
  void From(const std::string& field, int least, int value) {
    constexpr int kMost = 4096;
    if (value < least || value > kMost)
      conf_.Add(ConfigError(field, StrCat("must be from ", least, " to ", kMost, ", is ", value)));
  }

 private:
  void Fail(const std::string& field, const std::string& allowed, double value) {
    conf_.Add(ConfigError(field, StrCat("must be ", allowed, ", is ", value)));
  }

  JobConf& conf_;
};

void Check(const MachineProto& machine, JobConf* conf) {
  Checks checks(conf);
  checks.From("cores", 1, machine.cores());
  checks.From("gpus", 0, machine.gpus());
  checks.Required("gflops", machine.has_gflops());
  checks.Required("gb_per_s", machine.has_gb_per_s());
  checks.Above0("gflops", machine.has_gflops(), machine.gflops());
  checks.Above0("gb_per_s", machine.has_gb_per_s(), machine.gb_per_s());
  checks.Above0("host_gb_per_s", machine.has_host_gb_per_s(), machine.host_gb_per_s());
  checks.Above0("memory_gb", machine.has_memory_gb(), machine.memory_gb());
  checks.Above0("exchange_gb_per_s", machine.has_exchange_gb_per_s(), machine.exchange_gb_per_s());
  checks.Above0("link_gbit", true, machine.link_gbit());
  checks.AtLeast0("call_us", machine.call_us());
  checks.AtLeast0("exchange_us", machine.exchange_us());
  checks.AtLeast0("link_us", machine.link_us());
  for (int i = 0; i < machine.rate_size(); ++i) {
    const MachineProto::Rate& rate = machine.rate(i);
    const std::string path = StrCat("rate[", i, "].");
    checks.Required(path + "type", rate.has_type());
    checks.Above0(path + "gflops", rate.has_gflops(), rate.gflops());
    checks.Above0(path + "gb_per_s", rate.has_gb_per_s(), rate.gb_per_s());
  }
}

}  // namespace

MachineProto ReadMachine(const std::string& file) {
  MachineProto machine;
  JobConf conf(file, {}, &machine);
  if (conf.ok()) Check(machine, &conf);
  std::fputs(conf.Render().c_str(), stderr);
  if (!conf.ok()) throw Error(conf.exit_code(), file + " has the errors that are shown above");
  return machine;
}

}  // namespace singa
