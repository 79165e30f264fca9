#include "driver/version.h"

#include <archive.h>
#include <google/protobuf/stubs/common.h>
#include <link.h>
#include <lmdb.h>
#include <png.h>
#include <zlib.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>

#include "math/library/libraries.h"
#include "singa/base/str_cat.h"
#include "singa/driver/interface_id.h"

namespace singa {

const char kSingaVersion[] = SINGA_VERSION_TEXT;

namespace {

#ifdef __clang__
constexpr const char kCompiler[] = __VERSION__;
#else
constexpr const char kCompiler[] = "g++ " __VERSION__;
#endif

// Returns the bytes of the GNU build-id note among `notes`; "" if there is none.
std::string BuildIdNote(std::span<const uint8_t> notes) {
  const auto round_up = [](uint32_t n) { return (size_t{n} + 3) / 4 * 4; };
  ElfW(Nhdr) head;
  while (notes.size() >= sizeof head) {
    std::memcpy(&head, notes.data(), sizeof head);
    const size_t at = sizeof head + round_up(head.n_namesz), size = at + round_up(head.n_descsz);
    if (size > notes.size()) break;
    if (head.n_type == NT_GNU_BUILD_ID)
      return {reinterpret_cast<const char*>(notes.data()) + at, head.n_descsz};
    notes = notes.subspan(size);
  }
  return "";
}

// Finds the note of the loaded object that this function is in.
int FindBuildId(dl_phdr_info* object, size_t, void* id) {
  const auto self = reinterpret_cast<uintptr_t>(&FindBuildId);
  bool ours = false;
  std::string found;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    const uintptr_t begin = object->dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_LOAD) ours = ours || (self >= begin && self < begin + part.p_memsz);
    if (part.p_type == PT_NOTE && found.empty())
      // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader gives a number
      found = BuildIdNote({reinterpret_cast<const uint8_t*>(begin), part.p_memsz});
  }
  if (ours) *static_cast<std::string*>(id) = found;
  return ours;
}

}  // namespace

std::string BuildId() {
  std::string bytes;
  dl_iterate_phdr(FindBuildId, &bytes);
  std::string hex;
  for (unsigned char byte : bytes) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", byte);
    hex += digits;
  }
  return hex.empty() ? "none" : hex;
}

std::string InstructionSet() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return "avx512";
  return __builtin_cpu_supports("avx2") ? "avx2" : "sse2";
#elif defined(__aarch64__)
  return "neon";
#else
  return "baseline";
#endif
}

std::vector<std::pair<std::string, std::string>> Versions() {
  std::vector<std::pair<std::string, std::string>> versions = {
      {"singa", kSingaVersion}, {"build id", BuildId()}, {"instruction set", InstructionSet()}};
  for (const std::string& library : Libraries()) {
    const size_t space = library.find(' ');
    versions.emplace_back(library.substr(0, space), library.substr(space + 1));
  }
  versions.emplace_back("protobuf",
                        google::protobuf::internal::VersionString(GOOGLE_PROTOBUF_VERSION));
  versions.emplace_back("zlib", zlibVersion());
  versions.emplace_back("libjpeg-turbo", SINGA_TURBOJPEG_VERSION);
  versions.emplace_back("libpng", png_get_libpng_ver(nullptr));
  const std::string archive = archive_version_string();  // "libarchive 3.6.2"
  versions.emplace_back("libarchive", archive.substr(archive.rfind(' ') + 1));
  versions.emplace_back("liblmdb",
                        StrCat(MDB_VERSION_MAJOR, ".", MDB_VERSION_MINOR, ".", MDB_VERSION_PATCH));
  versions.emplace_back("compiler", kCompiler);
  return versions;
}

std::string VersionText() {
  std::string text;
  for (const auto& [name, version] : Versions()) text += StrCat(name, " ", version, "\n");
  return text;
}

}  // namespace singa
