// The ends of a process that a library decides where the system gives it no thread, memory or
// descriptor: libgomp calls exit(1), ZeroMQ abort(), oneDNN writes code to memory that it lacks.
#pragma once

namespace singa {

// From now on such an end is an error of the table with a sentence that names the limits. What has
// another cause ends as before. For a program's main.
void ExplainLibraryEnds();

// While it lives, its thread calls a library that aborts where it can start no threads.
class StartsLibraryThreads {
 public:
  explicit StartsLibraryThreads(const char* library);
  ~StartsLibraryThreads();
  StartsLibraryThreads(const StartsLibraryThreads&) = delete;
  StartsLibraryThreads& operator=(const StartsLibraryThreads&) = delete;
};

}  // namespace singa
