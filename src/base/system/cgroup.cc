#include "base/system/cgroup.h"

#include <fstream>
#include <functional>
#include <sstream>

#include "singa/base/str_cat.h"

namespace singa {
namespace {

constexpr int64_t kNoLimit = int64_t{1} << 60;  // version 1 writes a number near 2^63 for no limit

// A group: its mount, and its path there.
struct Group {
  std::string mount, path;
};

// Returns the group of `controller`; "" is version 2. Lines are "4:memory:/path", in version 2
// "0::/path".
Group GroupOf(const std::string& root, const std::string& controller) {
  std::ifstream file(root + "/proc/self/cgroup");
  const std::string mounts = root + "/sys/fs/cgroup";
  for (std::string line; std::getline(file, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    std::stringstream names(line.substr(first + 1, second - first - 1));
    const std::string path = line.substr(second + 1);
    if (controller.empty() && second == first + 1) return {mounts, path};
    for (std::string name; std::getline(names, name, ',');)
      if (!controller.empty() && name == controller) return {StrCat(mounts, "/", controller), path};
  }
  return {mounts + (controller.empty() ? "" : "/" + controller), "/"};
}

// Calls `look` for the group's folder and those above it, whose limits hold, too. In a container
// the path may be the host's; then only the mount's root exists.
void ForEachFolder(const Group& group, const std::function<void(const std::string&)>& look) {
  for (std::string path = group.path; path.size() > 1; path = path.substr(0, path.rfind('/')))
    look(group.mount + path);
  look(group.mount);
}

std::optional<int64_t> ReadNumber(const std::string& file) {
  std::ifstream stream(file);
  int64_t number = 0;
  if (!(stream >> number) || number < 0 || number >= kNoLimit) return std::nullopt;
  return number;
}

// Returns the number of the line "field number".
std::optional<int64_t> ReadField(const std::string& file, const std::string& field) {
  std::ifstream stream(file);
  std::string name;
  for (int64_t number = 0; stream >> name >> number;)
    if (name == field) return number;
  return std::nullopt;
}

template <typename T>
void KeepLeast(std::optional<T> value, std::optional<T>* least) {
  if (value && (!*least || *value < **least)) *least = value;
}

// Returns the cores of a file with "200000 100000" or "max 100000".
std::optional<double> ReadCpuMax(const std::string& file) {
  std::ifstream stream(file);
  double quota = 0, period = 0;
  if (!(stream >> quota >> period) || quota <= 0 || period <= 0) return std::nullopt;
  return quota / period;
}

std::optional<double> ReadQuota(const std::string& folder) {
  const auto quota = ReadNumber(folder + "/cpu.cfs_quota_us");
  const auto period = ReadNumber(folder + "/cpu.cfs_period_us");
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

}  // namespace

std::optional<double> CgroupCores(const std::string& root) {
  std::optional<double> least;
  ForEachFolder(GroupOf(root, ""), [&](const std::string& folder) {
    KeepLeast(ReadCpuMax(folder + "/cpu.max"), &least);
  });
  ForEachFolder(GroupOf(root, "cpu"),
                [&](const std::string& folder) { KeepLeast(ReadQuota(folder), &least); });
  return least;
}

std::optional<int64_t> CgroupMemory(const std::string& root) {
  std::optional<int64_t> least;
  ForEachFolder(GroupOf(root, ""), [&](const std::string& folder) {
    KeepLeast(ReadNumber(folder + "/memory.max"), &least);
  });
  ForEachFolder(GroupOf(root, "memory"), [&](const std::string& folder) {
    KeepLeast(ReadNumber(folder + "/memory.limit_in_bytes"), &least);
  });
  return least;
}

std::optional<int64_t> CgroupMemoryUsed(const std::string& root) {
  const Group now = GroupOf(root, ""), old = GroupOf(root, "memory");
  for (const std::string& file :
       {now.mount + now.path + "/memory.current", old.mount + old.path + "/memory.usage_in_bytes",
        old.mount + "/memory.usage_in_bytes"})
    if (const auto used = ReadNumber(file)) return used;
  return std::nullopt;
}

std::optional<int64_t> OutOfMemoryKills(const std::string& root) {
  const Group now = GroupOf(root, ""), old = GroupOf(root, "memory");
  for (const std::string& file :
       {now.mount + now.path + "/memory.events", now.mount + "/memory.events",
        old.mount + old.path + "/memory.oom_control", old.mount + "/memory.oom_control",
        root + "/proc/vmstat"})
    if (const auto kills = ReadField(file, "oom_kill")) return kills;
  return std::nullopt;
}

std::optional<PidsLimit> CgroupPids(const std::string& root) {
  std::optional<PidsLimit> tightest;
  const auto look = [&tightest](const std::string& folder) {
    const auto most = ReadNumber(folder + "/pids.max");
    if (!most) return;
    const PidsLimit limit{*most, ReadNumber(folder + "/pids.current").value_or(0)};
    if (!tightest || limit.most - limit.used < tightest->most - tightest->used) tightest = limit;
  };
  ForEachFolder(GroupOf(root, ""), look);
  ForEachFolder(GroupOf(root, "pids"), look);
  return tightest;
}

}  // namespace singa
