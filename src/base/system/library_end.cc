#include "base/system/library_end.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <new>
#include <string>

#include "base/system/system_limits.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr int kSignals[] = {SIGABRT, SIGSEGV, SIGBUS};
constexpr size_t kProbe = 8 << 20;  // bytes, a thread's stack; libraries ask for less at once

std::array<char, 512> out_of_memory;                 // written once, before any signal
alignas(16) std::array<char, 1 << 16> signal_stack;  // for a thread whose own stack cannot grow
thread_local const char* starting = nullptr;         // the library that starts threads
std::terminate_handler terminate_before = std::abort;
void (*call_before_end)() = nullptr;  // set before a handler can run

// Ends the process without taking a lock, which the thread may hold, and without allocating.
[[noreturn]] void End(ExitCode code, const char* text, const char* cause = "") {
  call_before_end();
  for (const char* part : {"singa: error: ", text, cause, "\n"})
    if (::write(STDERR_FILENO, part, std::strlen(part)) < 0) break;
  ::_exit(code);
}

[[noreturn]] void EndWithoutThreads(const char* library) {
  std::string text;
  try {
    text = CannotStart(std::string("the threads of ") + library, EAGAIN).what();
  } catch (...) {
    End(kExitCantCreate, "cannot start a library's threads: the system has no more");
  }
  End(kExitCantCreate, text.c_str());
}

bool MemoryIsOut() {
  void* const probe =
      ::mmap(nullptr, kProbe, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (probe == MAP_FAILED) return true;
  ::munmap(probe, kProbe);
  return false;
}

// Returns whether a function of the library called this.
bool IsCalledBy(const char* library) {
  std::array<void*, 64> frames;
  const int count = ::backtrace(frames.data(), static_cast<int>(frames.size()));
  for (int i = 0; i < count; ++i) {
    Dl_info info;
    if (::dladdr(frames[i], &info) != 0 && info.dli_fname && std::strstr(info.dli_fname, library))
      return true;
  }
  return false;
}

// Returns whether the system has no descriptor left, or a filter forbids the call.
bool IsRefusal(int error) {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == EPERM;
}

void OnSignal(int signal) {
  const int error = errno;  // error of the last call that failed
  if (MemoryIsOut()) End(kExitNoDevice, out_of_memory.data());
  if (error == ENOMEM && (IsCalledBy("libdnnl") || IsCalledBy("libzmq")))
    End(kExitNoDevice, out_of_memory.data());
  if (signal == SIGABRT && IsRefusal(error) && IsCalledBy("libzmq"))
    End(error == EPERM ? kExitNoPermission : kExitCantCreate,
        "ZeroMQ ended the process: ", ::strerrordesc_np(error));
  if (signal == SIGABRT && starting) EndWithoutThreads(starting);
  std::signal(signal, SIG_DFL);
  ::raise(signal);  // takes effect when this function returns
}

// Returns the path of the file that is mapped at an address; "": none. It allocates memory: a
// thread that reads a file's bytes holds no lock of the allocator.
std::string FileAt(const void* address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    uintptr_t begin = 0, end = 0;
    int path = 0;
    constexpr char kLine[] = "%" SCNxPTR "-%" SCNxPTR " %*s %*s %*s %*s %n";  // proc(5)
    const bool read = std::sscanf(line.c_str(), kLine, &begin, &end, &path) == 2 && path > 0;
    const auto at = reinterpret_cast<uintptr_t>(address);
    if (read && at >= begin && at < end) return line.substr(static_cast<size_t>(path));
  }
  return "";
}

// Returns whether the memory behind a path is on a disk: shared memory also has a path.
bool IsOnDisk(const std::string& path) {
  return path.starts_with('/') && !path.starts_with("/memfd:") && !path.starts_with("/dev/shm/");
}

// Reading a mapped file past its end, where another program has truncated it, gives SIGBUS.
void OnBusError(int signal, siginfo_t* info, void*) {
  const std::string file = info->si_code == BUS_ADRERR ? FileAt(info->si_addr) : "";
  if (IsOnDisk(file))
    End(kExitIo, Printable(file).c_str(),
        ": became shorter while it was read, or its disk could not be read");
  OnSignal(signal);
}

void OnExit(int status, void*) {
  if (status != EXIT_FAILURE || !IsCalledBy("libgomp")) return;
  if (MemoryIsOut()) End(kExitNoDevice, out_of_memory.data());
  EndWithoutThreads("OpenMP");
}

[[noreturn]] void OnTerminate() {
  try {
    if (const std::exception_ptr error = std::current_exception()) std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    End(kExitNoDevice, out_of_memory.data());
  } catch (...) {
    // The exception is a bug, which the handler before reports.
  }
  terminate_before();
  std::abort();
}

}  // namespace

void ExplainLibraryEnds(void (*before_end)()) {
  call_before_end = before_end;
  // This loads the unwinder while there is memory: glibc ends a process that cannot load it.
  std::array<void*, 4> frames;
  ::backtrace(frames.data(), static_cast<int>(frames.size()));
  std::strncpy(out_of_memory.data(), OutOfMemoryText().c_str(), out_of_memory.size() - 1);
  ::on_exit(OnExit, nullptr);
  if (const auto before = std::set_terminate(OnTerminate); before != OnTerminate)
    terminate_before = before;
  const stack_t stack = {
      .ss_sp = signal_stack.data(), .ss_flags = 0, .ss_size = sizeof signal_stack};
  ::sigaltstack(&stack, nullptr);
  struct sigaction action = {}, bus = {}, before = {};
  action.sa_handler = OnSignal;
  bus.sa_sigaction = OnBusError;
  action.sa_flags = SA_ONSTACK;
  bus.sa_flags = SA_ONSTACK | SA_SIGINFO;
  for (const int signal : kSignals)
    if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_DFL)
      sigaction(signal, signal == SIGBUS ? &bus : &action, nullptr);
}

StartsLibraryThreads::StartsLibraryThreads(const char* library) { starting = library; }

StartsLibraryThreads::~StartsLibraryThreads() { starting = nullptr; }

}  // namespace singa
