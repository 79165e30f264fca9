// A library for LD_PRELOAD that makes one call of the system fail, once in a whole job. mprotect
// fails from then on in that process, as policies and full tables of mappings last:
//
//   FAIL_CALL=ROLE/NAME:N:ERROR  call N (from 1) of function NAME fails with errno ERROR in the
//                                process of that role: "main", or the rank of a process that
//                                `singa` started. Without ROLE/ any process may be the one.
//   FAIL_CALL_FIRED=FILE         is created by the process whose call fails. Where it exists no
//                                call fails any more, so a restarted process is unharmed.
//   FAIL_CALL_COUNTS=FOLDER      instead: each process keeps a file ROLE there that holds how often
//                                it called each function, an int64 for each in the order of kNames.
//
// Calls of the C library's own functions by each other (fopen, getaddrinfo, malloc) are not seen.
// ZeroMQ's calls that make sockets, descriptors and threads are seen. Failures of its reads and
// writes are tried in test/comm.
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace {

enum Call {
  kFork,
  kThread,
  kPidfdOpen,
  kOpen,
  kRead,
  kWrite,
  kFsync,
  kRename,
  kMkdir,
  kTruncate,
  kMmap,
  kMprotect,
  kMemfd,
  kFlock,
  kPipe,
  kEventfd,
  kEpoll,
  kSocket,
  kBind,
  kListen,
  kConnect,
  kAccept,
  kCalls
};
// clang-format off
constexpr std::array<std::string_view, kCalls> kNames = {
    "fork",  "pthread_create", "pidfd_open", "open",    "read",   "write",  "fsync",
    "rename", "mkdir",         "ftruncate",  "mmap",    "mprotect", "memfd_create", "flock", "pipe2",
    "eventfd", "epoll_create1", "socket",    "bind",    "listen", "connect", "accept4"};
// clang-format on

struct Plan {
  Call call = kCalls;  // kCalls: none fails
  int64_t number = 0;
  int error = 0;
  const char* fired = nullptr;
};

std::array<std::atomic<int64_t>, kCalls> counts_here;
std::atomic<int64_t>* counts = counts_here.data();
Plan plan;
std::atomic<bool> refuses = false;  // each further call of mprotect fails, too
thread_local bool inside = false;   // a call that this library makes itself

template <typename F>
F* Next(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

std::string Role() {
  const char* process = std::getenv("SINGA_PROCESS");
  return process ? std::string(process, std::strcspn(process, "/")) : "main";
}

void ReadPlan(std::string_view text, const std::string& role) {
  if (const size_t slash = text.find('/'); slash != text.npos) {
    if (text.substr(0, slash) != role) return;
    text.remove_prefix(slash + 1);
  }
  const size_t colon = text.find(':');
  for (int call = 0; call < kCalls; ++call)
    if (text.substr(0, colon) == kNames[call]) plan.call = static_cast<Call>(call);
  if (colon == text.npos || plan.call == kCalls ||
      std::sscanf(text.data() + colon, ":%ld:%d", &plan.number, &plan.error) != 2) {
    std::fprintf(stderr, "FAIL_CALL cannot be read\n");
    _exit(2);
  }
}

void CountInto(const std::string& file) {
  const size_t bytes = sizeof(counts_here);
  const int descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0 || ftruncate(descriptor, bytes) != 0) _exit(2);
  void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (mapped == MAP_FAILED) _exit(2);
  close(descriptor);
  counts = static_cast<std::atomic<int64_t>*>(mapped);
}

__attribute__((constructor)) void Begin() {
  inside = true;
  if (const char* text = std::getenv("FAIL_CALL")) ReadPlan(text, Role());
  plan.fired = std::getenv("FAIL_CALL_FIRED");
  if (const char* folder = std::getenv("FAIL_CALL_COUNTS"))
    CountInto(std::string(folder) + "/" + Role());
  inside = false;
}

// Returns whether `file` is a file. Reads and writes of anything else have no disk that could fail.
bool IsFile(int file) {
  struct stat found;
  return fstat(file, &found) == 0 && S_ISREG(found.st_mode);
}

// Returns whether a test may let a call fail that returns to `caller`.
bool Counts(Call call, const void* caller) {
  if (call >= kEventfd || call == kThread) return true;
  Dl_info found;
  if (!dladdr(caller, &found) || !found.dli_fname) return true;
  return !std::strstr(found.dli_fname, "libzmq");
}

bool FirstToFire() {
  if (!plan.fired) return true;
  const int made = open(plan.fired, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (made < 0) return false;
  close(made);
  return true;
}

// Returns whether this call is to fail, and sets errno.
bool Fails(Call call, const void* caller) {
  if (inside || !Counts(call, caller)) return false;
  if (call == kMprotect && refuses) {
    errno = plan.error;
    return true;
  }
  if (counts[call].fetch_add(1) + 1 != plan.number || call != plan.call) return false;
  inside = true;
  const bool fails = FirstToFire();
  inside = false;
  if (!fails) return false;
  refuses = call == kMprotect;
  errno = plan.error;
  return true;
}

}  // namespace

#define CALLER __builtin_return_address(0)
// Defines a function in which a call may fail: then it returns `failed`.
#define SINGA_MAY_FAIL(call, failed, type, name, parameters, arguments) \
  type name parameters {                                                \
    static const auto next = Next<type parameters>(#name);              \
    return Fails(call, CALLER) ? (failed) : next arguments;             \
  }
#define SINGA_MAY_FAIL_ON_FILE(call, failed, type, name, parameters, arguments) \
  type name parameters {                                                        \
    static const auto next = Next<type parameters>(#name);                      \
    return IsFile(file) && Fails(call, CALLER) ? (failed) : next arguments;     \
  }

extern "C" {

SINGA_MAY_FAIL(kFork, -1, pid_t, fork, (), ())
SINGA_MAY_FAIL(kThread, errno, int, pthread_create,
               (pthread_t * thread, const pthread_attr_t* attributes, void* (*run)(void*),
                void* argument),
               (thread, attributes, run, argument))
SINGA_MAY_FAIL(kOpen, nullptr, FILE*, fopen, (const char* path, const char* mode), (path, mode))
FILE* fopen64(const char* path, const char* mode) __attribute__((alias("fopen")));
SINGA_MAY_FAIL_ON_FILE(kRead, -1, ssize_t, read, (int file, void* data, size_t bytes),
                       (file, data, bytes))
SINGA_MAY_FAIL_ON_FILE(kRead, -1, ssize_t, pread,
                       (int file, void* data, size_t bytes, off_t offset),
                       (file, data, bytes, offset))
ssize_t pread64(int file, void* data, size_t bytes, off_t offset) __attribute__((alias("pread")));
SINGA_MAY_FAIL_ON_FILE(kWrite, -1, ssize_t, pwrite,
                       (int file, const void* data, size_t bytes, off_t offset),
                       (file, data, bytes, offset))
ssize_t pwrite64(int file, const void* data, size_t bytes, off_t offset)
    __attribute__((alias("pwrite")));
SINGA_MAY_FAIL(kFsync, -1, int, fsync, (int file), (file))
SINGA_MAY_FAIL(kFsync, -1, int, fdatasync, (int file), (file))
SINGA_MAY_FAIL(kRename, -1, int, rename, (const char* from, const char* to), (from, to))
SINGA_MAY_FAIL(kRename, -1, int, renameat, (int a, const char* from, int b, const char* to),
               (a, from, b, to))
SINGA_MAY_FAIL(kMkdir, -1, int, mkdir, (const char* path, mode_t mode), (path, mode))
SINGA_MAY_FAIL(kMkdir, -1, int, mkdirat, (int folder, const char* path, mode_t mode),
               (folder, path, mode))
SINGA_MAY_FAIL(kTruncate, -1, int, ftruncate, (int file, off_t bytes), (file, bytes))
int ftruncate64(int file, off_t bytes) __attribute__((alias("ftruncate")));
SINGA_MAY_FAIL(kMmap, MAP_FAILED, void*, mmap,
               (void* place, size_t bytes, int protection, int flags, int file, off_t offset),
               (place, bytes, protection, flags, file, offset))
void* mmap64(void* place, size_t bytes, int protection, int flags, int file, off_t offset)
    __attribute__((alias("mmap")));
SINGA_MAY_FAIL(kMprotect, -1, int, mprotect, (void* place, size_t bytes, int protection),
               (place, bytes, protection))
SINGA_MAY_FAIL(kMemfd, -1, int, memfd_create, (const char* name, unsigned flags), (name, flags))
SINGA_MAY_FAIL(kFlock, -1, int, flock, (int file, int operation), (file, operation))
SINGA_MAY_FAIL(kPipe, -1, int, pipe2, (int ends[2], int flags), (ends, flags))
SINGA_MAY_FAIL(kEventfd, -1, int, eventfd, (unsigned value, int flags), (value, flags))
SINGA_MAY_FAIL(kEpoll, -1, int, epoll_create1, (int flags), (flags))
SINGA_MAY_FAIL(kSocket, -1, int, socket, (int domain, int type, int protocol),
               (domain, type, protocol))
SINGA_MAY_FAIL(kBind, -1, int, bind, (int file, const sockaddr* address, socklen_t bytes),
               (file, address, bytes))
SINGA_MAY_FAIL(kListen, -1, int, listen, (int file, int backlog), (file, backlog))
SINGA_MAY_FAIL(kConnect, -1, int, connect, (int file, const sockaddr* address, socklen_t bytes),
               (file, address, bytes))
SINGA_MAY_FAIL(kAccept, -1, int, accept4,
               (int file, sockaddr* address, socklen_t* bytes, int flags),
               (file, address, bytes, flags))

SINGA_MAY_FAIL_ON_FILE(kWrite, -1, ssize_t, write, (int file, const void* data, size_t bytes),
                       (file, data, bytes))
SINGA_MAY_FAIL_ON_FILE(kWrite, -1, ssize_t, writev, (int file, const iovec* parts, int number),
                       (file, parts, number))

long syscall(long number, ...) {
  // This static needs no guard: a guard would call this function when two threads meet there.
  static constinit std::atomic<long (*)(long, ...)> next = nullptr;
  if (!next) next = Next<long(long, ...)>("syscall");
  va_list list;
  va_start(list, number);
  long a[6];
  for (long& argument : a) argument = va_arg(list, long);
  va_end(list);
  if (number == SYS_pidfd_open && Fails(kPidfdOpen, CALLER)) return -1;
  return next.load()(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int openat(int folder, const char* path, int flags, ...) {
  static const auto next = Next<int(int, const char*, int, ...)>("openat");
  va_list list;
  va_start(list, flags);
  const int mode = va_arg(list, int);
  va_end(list);
  return Fails(kOpen, CALLER) ? -1 : next(folder, path, flags, mode);
}
int openat64(int folder, const char* path, int flags, ...) __attribute__((alias("openat")));

int open(const char* path, int flags, ...) {
  static const auto next = Next<int(const char*, int, ...)>("open");
  va_list list;
  va_start(list, flags);
  const int mode = va_arg(list, int);
  va_end(list);
  return Fails(kOpen, CALLER) ? -1 : next(path, flags, mode);
}
int open64(const char* path, int flags, ...) __attribute__((alias("open")));

}  // extern "C"
