// Errors that the outside world causes: a user's file, a peer, a device. Bugs of SINGA use CHECK.
// Each type carries the exit code of the program if nobody handles the error.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "singa/base/api.h"
#include "singa/base/str_cat.h"

namespace singa {

// Exit codes of `singa`. After a code of 128 or more the same command may be tried again.
enum ExitCode : int {
  kExitOk = 0,
  kExitBug = 1,
  kExitUsage = 2,
  kExitBadData = 65,     // damaged data or checkpoint
  kExitNoInput = 66,     // an input file is missing
  kExitNoDevice = 69,    // a device that the job asks for is not there
  kExitCantCreate = 73,  // a file or folder cannot be created
  kExitIo = 74,          // reading or writing failed (disk full, ...)
  kExitNoPermission = 77,
  kExitConfig = 78,    // invalid configuration
  kExitDiverged = 79,  // a loss or gradient is not finite
  kExitInterrupted = 130,
  kExitTerminated = 143,
  kExitPeerLost = 170,
  kExitStalled = 171,
};

class SINGA_API Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& what) : std::runtime_error(what), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

// A mistake in the user's job.conf. `path` names the field relative to the message that the thrower
// was given ("unit_norm_conf.eps"; empty: the message itself); callers prepend their part with
// Under.
class SINGA_API ConfigError : public Error {
 public:
  ConfigError(std::string path, std::string message, ExitCode code = kExitConfig)
      : Error(code, path.empty() ? message : path + ": " + message),
        path_(std::move(path)),
        message_(std::move(message)) {}
  const std::string& path() const { return path_; }
  const std::string& message() const { return message_; }

  // Returns this error with `prefix` before its path: Under("layer[fc1]").
  ConfigError Under(const std::string& prefix) const {
    return ConfigError(path_.empty() ? prefix : prefix + "." + path_, message_, code());
  }

 private:
  std::string path_, message_;
};

// Returns `text` with control characters escaped ("\x1b"). A file's name or content then cannot
// control a terminal or begin a new line of output.
SINGA_API std::string Printable(const std::string& text);

// A file's bytes violate its format. `record` counts from 0; -1: the error concerns no single
// record.
class SINGA_API DataError : public Error {
 public:
  DataError(const std::string& file, int64_t record, const std::string& message)
      : Error(kExitBadData,
              Printable(record < 0 ? StrCat(file, ": ", message)
                                   : StrCat(file, ": record ", record, ": ", message))) {}
};

// A file cannot be opened, created, read or written.
class SINGA_API FileError : public Error {
 public:
  FileError(ExitCode code, const std::string& file, const std::string& message)
      : Error(code, Printable(StrCat(file, ": ", message))) {}
};

class SINGA_API DeviceError : public Error {
 public:
  explicit DeviceError(const std::string& message) : Error(kExitNoDevice, message) {}
};

// A loss or gradient is not finite, and on_nonfinite is kAbort.
class SINGA_API DivergedError : public Error {
 public:
  explicit DivergedError(const std::string& message) : Error(kExitDiverged, message) {}
};

// Another process of the job is gone, silent or never came; the same command may be tried again.
class SINGA_API PeerError : public Error {
 public:
  explicit PeerError(const std::string& message) : Error(kExitPeerLost, Printable(message)) {}
};

}  // namespace singa
