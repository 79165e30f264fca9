// A bundle's FOLDER/NAME, which starts its FOLDER/bin/NAME (tool/bundle.sh). FOLDER/GLIBC has the
// oldest version of glibc that the programs need. If the host's glibc is older, or is not found,
// the loader in FOLDER/libc runs the program, with the libc beside it. /proc/self/exe is then the
// loader, so SINGA_STARTER tells the program which file starts it again.
//
// This program is linked statically, because it runs where no other one does. It is no shell
// script, because dash unblocks signals, which a supervisor blocks until the program can take them.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

// The loader that the programs of the host name, like /lib64/ld-linux-x86-64.so.2.
constexpr char kLoader[] = SINGA_LOADER;
constexpr int kCannotStart = 73;  // kExitCantCreate

using Version = std::pair<int, int>;

// Returns the file that a path leads to; "" if there is none.
std::string Follow(const char* path) {
  char file[PATH_MAX];
  return realpath(path, file) ? file : "";
}

// The folder of a file, with the slash.
std::string FolderOf(const std::string& file) { return file.substr(0, file.rfind('/') + 1); }
std::string NameOf(const std::string& file) { return file.substr(file.rfind('/') + 1); }

// Returns the version behind `mark` in a file; 0.0 if there is none.
Version VersionIn(const std::string& path, std::string_view mark) {
  Version version;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status = {};
  if (file < 0 || fstat(file, &status) != 0 || status.st_size == 0) return version;
  const auto size = static_cast<size_t>(status.st_size);
  void* const bytes = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  if (bytes == MAP_FAILED) return version;
  const std::string_view text(static_cast<const char*>(bytes), size);
  if (const size_t at = text.find(mark); at != text.npos)
    std::sscanf(std::string(text.substr(at + mark.size(), 16)).c_str(), "%d.%d", &version.first,
                &version.second);
  return version;
}

// Returns the version of the host's glibc. libc is beside the loader, and has the line that it
// prints when it is run: "GNU C Library (...) stable release version 2.31."
Version HostVersion() {
  const std::string loader = Follow(kLoader);
  if (loader.empty()) return {};
  return VersionIn(FolderOf(loader) + "libc.so.6", " release version ");
}

// Starts a program in place of this one. Returns if it cannot be started.
void RunByOwnLoader(const std::string& self, const std::string& program, char** argv) {
  const std::string libc = FolderOf(self) + "libc/", loader = libc + NameOf(kLoader);
  std::string libraries = libc;
  // The loader takes --library-path in place of this variable, which may name CUDA's folders.
  if (const char* const more = std::getenv("LD_LIBRARY_PATH"); more && *more)
    libraries.append(":").append(more);
  setenv("SINGA_STARTER", self.c_str(), 1);
  std::vector<const char*> args = {loader.c_str(), "--library-path", libraries.c_str(),
                                   "--argv0",      argv[0],          program.c_str()};
  while (*argv) args.push_back(*++argv);
  execv(loader.c_str(), const_cast<char**>(args.data()));
}

}  // namespace

int main(int, char** argv) {
  const std::string self = Follow("/proc/self/exe");
  const std::string program = FolderOf(self) + "bin/" + NameOf(self);
  if (!self.empty() && HostVersion() < VersionIn(FolderOf(self) + "GLIBC", "")) {
    RunByOwnLoader(self, program, argv);
  } else if (!self.empty()) {
    unsetenv("SINGA_STARTER");
    execv(program.c_str(), argv);
  }
  std::fprintf(stderr, "%s: error: %s cannot be started: %s\n", argv[0],
               self.empty() ? "/proc/self/exe" : program.c_str(), std::strerror(errno));
  return kCannotStart;
}
