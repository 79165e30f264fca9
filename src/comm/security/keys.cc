#include "comm/security/keys.h"

#include <fcntl.h>
#include <glog/logging.h>
#include <sodium.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zmq.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <iomanip>
#include <sstream>

#include "base/file/input_file.h"
#include "base/file/sha256.h"
#include "base/system/descriptor.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr size_t kJobBytes = 16, kTokenDigits = 64, kKeyLength = 40;
constexpr size_t kMostBytes = 1 << 20;
constexpr char kTitle[] = "singa secrets 1";

KeyPair MakeKeyPair() {
  std::array<char, kKeyLength + 1> public_key, secret_key;
  CHECK_EQ(zmq_curve_keypair(public_key.data(), secret_key.data()), 0) << zmq_strerror(errno);
  return {public_key.data(), secret_key.data()};
}

std::string ToHex(const std::string& bytes) {
  std::string text(2 * bytes.size() + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
                 bytes.size());
  text.pop_back();
  return text;
}

bool IsHex(const std::string& text) {
  return text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

std::string FromHex(const std::string& text) {
  std::string bytes(text.size() / 2, '\0');
  size_t size = 0;
  sodium_hex2bin(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(), text.data(),
                 text.size(), nullptr, &size, nullptr);
  return bytes;
}

bool IsKey(const std::string& text) {
  std::array<uint8_t, 32> bytes;
  return text.size() == kKeyLength && zmq_z85_decode(bytes.data(), text.c_str()) != nullptr;
}

bool IsPair(const KeyPair& pair) {
  std::array<char, kKeyLength + 1> public_key;
  return zmq_curve_public(public_key.data(), pair.secret_key.c_str()) == 0 &&
         pair.public_key == public_key.data();
}

// Lines reads a text line by line.
class Lines {
 public:
  Lines(const std::string& text, std::string name) : in_(text), name_(std::move(name)) {}

  [[noreturn]] void Fail(const std::string& wanted) const {
    throw DataError(name_, -1, StrCat("line ", number_, ": ", wanted));
  }
  // Returns the rest of the next line, which must begin with `word` and a space.
  std::string After(const std::string& word, const char* wanted) {
    const std::string line = Next(wanted);
    if (line.compare(0, word.size() + 1, word + " ") != 0) Fail(wanted);
    return line.substr(word.size() + 1);
  }
  // Returns the next line. Each line, also the last, must end with a newline: this shows a
  // truncated file.
  std::string Next(const char* wanted) {
    ++number_;
    std::string line;
    if (!std::getline(in_, line) || in_.eof()) Fail(wanted);
    return line;
  }
  bool AtEnd() { return in_.peek() == std::istringstream::traits_type::eof(); }

 private:
  std::istringstream in_;
  std::string name_;
  int number_ = 0;
};

KeyPair ParseKey(const std::string& text, Lines* lines) {
  const size_t space = text.find(' ');
  if (space == std::string::npos) lines->Fail("a public and a secret key must follow");
  KeyPair pair{text.substr(0, space), text.substr(space + 1)};
  if (!IsKey(pair.public_key)) lines->Fail("the public key is not valid");
  if (pair.secret_key == "-") {
    pair.secret_key.clear();
    return pair;
  }
  if (!IsKey(pair.secret_key)) lines->Fail("the secret key is not valid");
  if (!IsPair(pair)) lines->Fail("the two keys do not belong together");
  return pair;
}

void WriteAll(int fd, const std::string& text, const std::string& name) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t n = write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw FileError(kExitIo, name, StrCat("cannot write: ", std::strerror(errno)));
    done += static_cast<size_t>(n);
  }
}

std::string ReadAll(int fd, const std::string& name) {
  std::string text;
  std::array<char, 4096> buffer;
  while (true) {
    const ssize_t n = read(fd, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) ThrowInputError(name, "cannot read", errno);
    if (n == 0) break;
    text.append(buffer.data(), static_cast<size_t>(n));
    if (text.size() > kMostBytes)
      throw DataError(name, -1,
                      StrCat("more than ", kMostBytes, " bytes: not the secrets of a job"));
  }
  sodium_memzero(buffer.data(), buffer.size());
  return text;
}

void CheckOwner(const std::string& path, const struct stat& status) {
  if (!S_ISREG(status.st_mode)) throw FileError(kExitNoInput, path, "is no regular file");
  if (status.st_uid != geteuid())
    throw FileError(kExitNoPermission, path,
                    StrCat("belongs to user ", status.st_uid, ", must belong to user ", geteuid(),
                           ", who runs this job"));
  if ((status.st_mode & 077) == 0) return;
  std::ostringstream mode;
  mode << std::setfill('0') << std::setw(4) << std::oct << (status.st_mode & 07777);
  throw FileError(kExitNoPermission, path,
                  StrCat("holds keys, and others may read or write it: its mode is ", mode.str(),
                         ", must be 0600; run: chmod 600 ", path));
}

}  // namespace

JobSecrets JobSecrets::Make(int processes) {
  CHECK(processes > 0 && processes <= kMostProcesses) << processes;
  JobSecrets secrets{FromHex(RandomHex(kJobBytes)), RandomHex(kTokenDigits / 2), {}};
  for (int rank = 0; rank < processes; ++rank) secrets.keys.push_back(MakeKeyPair());
  return secrets;
}

JobSecrets JobSecrets::ForRank(int rank) const {
  JobSecrets own = *this;
  for (int other = 0; other < static_cast<int>(own.keys.size()); ++other)
    if (other != rank) own.keys[other].secret_key.clear();
  return own;
}

std::string SecretsText(const JobSecrets& secrets) {
  std::string text = StrCat(kTitle, "\njob ", ToHex(secrets.job), "\ntoken ", secrets.token,
                            "\nprocesses ", secrets.keys.size(), "\n");
  for (const KeyPair& pair : secrets.keys)
    text +=
        "key " + pair.public_key + " " + (pair.secret_key.empty() ? "-" : pair.secret_key) + "\n";
  return text;
}

JobSecrets ParseSecrets(const std::string& text, const std::string& name) {
  Lines lines(text, name);
  if (lines.Next("must be \"singa secrets 1\"") != kTitle)
    lines.Fail("must be \"singa secrets 1\"; this is not a file of a job's secrets");
  const std::string job = lines.After("job", "must be \"job \" and 32 hexadecimal digits");
  if (job.size() != 2 * kJobBytes || !IsHex(job)) lines.Fail("a job is 32 hexadecimal digits");
  JobSecrets secrets{FromHex(job), lines.After("token", "must be \"token \" and 64 digits"), {}};
  if (secrets.token.size() != kTokenDigits || !IsHex(secrets.token))
    lines.Fail("a token is 64 hexadecimal digits");
  const std::string count = lines.After("processes", "must be \"processes \" and their number");
  const bool digits = !count.empty() && count.size() <= 4 && count[0] != '0' &&
                      count.find_first_not_of("0123456789") == std::string::npos;
  if (!digits || std::stoi(count) > kMostProcesses)
    lines.Fail(StrCat("there are 1 to ", kMostProcesses, " processes"));
  for (int left = std::stoi(count); left > 0; --left)
    secrets.keys.push_back(ParseKey(lines.After("key", "must be a key of a process"), &lines));
  if (!lines.AtEnd()) lines.Fail("must be the last one");
  return secrets;
}

void WriteSecretsFile(const std::string& path, const JobSecrets& secrets) {
  const Descriptor file(
      open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (file.get() < 0)
    throw FileError(errno == EACCES || errno == EPERM ? kExitNoPermission : kExitCantCreate, path,
                    StrCat("cannot create: ", std::strerror(errno)));
  WriteAll(file.get(), SecretsText(secrets), path);
}

JobSecrets ReadSecretsFile(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) ThrowInputError(path, "", errno);
  struct stat status;
  if (fstat(file.get(), &status) != 0) ThrowInputError(path, "", errno);
  CheckOwner(path, status);
  std::string text = ReadAll(file.get(), path);
  JobSecrets secrets = ParseSecrets(text, path);
  sodium_memzero(text.data(), text.size());
  return secrets;
}

int SecretsToDescriptor(const JobSecrets& secrets) {
  Descriptor memory(memfd_create("singa-secrets", MFD_CLOEXEC));
  if (memory.get() < 0)
    throw FileError(kExitCantCreate, "memory for the job's secrets", std::strerror(errno));
  WriteAll(memory.get(), SecretsText(secrets), "memory for the job's secrets");
  lseek(memory.get(), 0, SEEK_SET);
  return memory.Release();
}

JobSecrets ReadSecretsDescriptor(int fd) {
  const Descriptor owned(fd);
  const std::string name = StrCat("descriptor ", fd);
  std::string text = ReadAll(fd, name);
  JobSecrets secrets = ParseSecrets(text, name);
  sodium_memzero(text.data(), text.size());
  return secrets;
}

}  // namespace singa
