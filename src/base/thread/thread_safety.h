// Defines the attributes of clang's thread-safety analysis, with the names of its documentation
// (clang.llvm.org/docs/ThreadSafetyAnalysis.html). The checked build fails if a member is used
// without its mutex. For other compilers the attributes are empty.
#pragma once

#if defined(__clang__)
#define SINGA_THREAD_SAFETY(...) __attribute__((__VA_ARGS__))
#else
#define SINGA_THREAD_SAFETY(...)
#endif

// On a class: its objects are mutexes, or hold one while they live.
#define CAPABILITY(name) SINGA_THREAD_SAFETY(capability(name))
#define SCOPED_CAPABILITY SINGA_THREAD_SAFETY(scoped_lockable)
// On a member: its mutex. On a pointer: the mutex of the object that it points to.
#define GUARDED_BY(mutex) SINGA_THREAD_SAFETY(guarded_by(mutex))
#define PT_GUARDED_BY(mutex) SINGA_THREAD_SAFETY(pt_guarded_by(mutex))
// On a function or a lambda: its caller holds the mutexes.
#define REQUIRES(...) SINGA_THREAD_SAFETY(requires_capability(__VA_ARGS__))
// On a function: it takes the mutexes, or releases them; without arguments its object's own.
#define ACQUIRE(...) SINGA_THREAD_SAFETY(acquire_capability(__VA_ARGS__))
#define RELEASE(...) SINGA_THREAD_SAFETY(release_capability(__VA_ARGS__))
// On a function: it takes the mutex, as other threads may at the same time, to read alone.
#define ACQUIRE_SHARED(...) SINGA_THREAD_SAFETY(acquire_shared_capability(__VA_ARGS__))
