// Some libraries end the process if the system gives them no thread, memory or descriptor: libgomp
// calls exit(1), ZeroMQ abort(), and oneDNN writes code to memory that it did not get.
#pragma once

namespace singa {

// Makes such an end an error of the table of exit codes, with a sentence that names the limits.
// Also explains SIGBUS from a mapped file that another program truncated, and names the file.
// Ends with another cause stay unchanged. Calls `before_end` before it ends the process, in a
// handler of signals: it may take no lock and allocate nothing. Called by a program's main.
void ExplainLibraryEnds(void (*before_end)());

// While it lives, its thread calls a library that aborts if it cannot start threads.
class StartsLibraryThreads {
 public:
  explicit StartsLibraryThreads(const char* library);
  ~StartsLibraryThreads();
  StartsLibraryThreads(const StartsLibraryThreads&) = delete;
  StartsLibraryThreads& operator=(const StartsLibraryThreads&) = delete;
};

}  // namespace singa
