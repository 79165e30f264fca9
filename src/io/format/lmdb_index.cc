#include "io/format/lmdb_index.h"

#include <array>
#include <bit>
#include <cstring>
#include <filesystem>
#include <span>
#include <unordered_set>
#include <utility>

#include "base/text/counted.h"
#include "io/format/value_store.h"
#include "singa/base/error.h"

namespace singa {
namespace {

static_assert(std::endian::native == std::endian::little, "LMDB has the machine's byte order");

// proto/README.md has the format. Offsets in a page:
constexpr int64_t kPageFlags = 10, kPointersEnd = 12, kPageHeader = 16;
constexpr uint16_t kBranch = 1, kLeaf = 2;
// Offsets in a meta page:
constexpr int64_t kMagicAt = 16, kVersionAt = 20, kPageBytes = 40, kMainFlags = 92, kMainDepth = 94,
                  kMainEntries = 120, kMainRoot = 128, kTransaction = 144, kMetaEnd = 152;
constexpr uint32_t kMagic = 0xBEEFC0DE;
constexpr uint16_t kSeveralValues = 4;  // flag of a database
// Offsets in a node, and its flags:
constexpr int64_t kNodeFlags = 4, kKeyBytes = 6, kNodeHeader = 8;
constexpr uint16_t kOnPagesOfItsOwn = 1, kDatabase = 2, kDuplicates = 4;

template <typename T>
T At(std::span<const uint8_t> bytes, int64_t offset) {
  T number;
  std::memcpy(&number, bytes.data() + offset, sizeof number);
  return number;
}

struct Meta {
  int64_t page_bytes;
  int depth;
  uint64_t entries, root, transaction;
};

// Reads the meta page at `offset`; the first two pages are meta pages.
Meta ReadMeta(const InputFile& file, int64_t offset) {
  std::array<uint8_t, kMetaEnd> bytes;
  if (file.size() < offset + kMetaEnd)
    throw DataError(file.name(), -1,
                    StrCat("has ", file.size(), " bytes, too few for an LMDB file"));
  file.ReadAt(offset, bytes.data(), kMetaEnd);
  if (At<uint32_t>(bytes, kMagicAt) != kMagic)
    throw DataError(file.name(), -1,
                    "damaged, or no LMDB file of a 64-bit little-endian machine: no magic number");
  if (const auto version = At<uint32_t>(bytes, kVersionAt); version != 1)
    throw DataError(file.name(), -1, StrCat("has the LMDB format ", version, ", must be 1"));
  if (At<uint16_t>(bytes, kMainFlags) & kSeveralValues)
    throw DataError(file.name(), -1, "may have several values a key (MDB_DUPSORT); none may");
  const Meta meta{At<uint32_t>(bytes, kPageBytes), At<uint16_t>(bytes, kMainDepth),
                  At<uint64_t>(bytes, kMainEntries), At<uint64_t>(bytes, kMainRoot),
                  At<uint64_t>(bytes, kTransaction)};
  constexpr int64_t kLeast = 256, kMost = 1 << 15;
  if (!std::has_single_bit(static_cast<uint64_t>(meta.page_bytes)) || meta.page_bytes < kLeast ||
      meta.page_bytes > kMost)
    throw DataError(file.name(), -1, StrCat("damaged: pages of ", meta.page_bytes, " bytes"));
  return meta;
}

// Returns the newer of the two meta pages, which writers update in turn.
Meta NewestMeta(const InputFile& file) {
  const Meta first = ReadMeta(file, 0), second = ReadMeta(file, first.page_bytes);
  if (second.page_bytes != first.page_bytes)
    throw DataError(
        file.name(), -1,
        StrCat("damaged: pages of ", first.page_bytes, " or of ", second.page_bytes, " bytes"));
  return second.transaction > first.transaction ? second : first;
}

class TreeWalk {
 public:
  TreeWalk(const InputFile& file, const Meta& meta) : file_(file), meta_(meta) {}

  std::vector<ValuePlace> Values() {
    constexpr int kDeepest = 32;  // liblmdb's own limit
    if (meta_.entries == 0) throw DataError(file_.name(), -1, "holds no record");
    if (meta_.depth < 1 || meta_.depth > kDeepest)
      throw DataError(file_.name(), -1, StrCat("damaged: a tree of depth ", meta_.depth));
    Walk(meta_.root, meta_.depth);
    if (values_.size() != meta_.entries)
      throw DataError(file_.name(), -1,
                      StrCat("damaged: holds ", Counted(values_.size(), "record"),
                             ", its settings say ", meta_.entries));
    return std::move(values_);
  }

 private:
  [[noreturn]] void Damaged(uint64_t page, const std::string& what) const {
    throw DataError(file_.name(), -1, StrCat("damaged: page ", page, " ", what));
  }

  // Walks page `number`, the root of `depth` levels, and the pages below it.
  void Walk(uint64_t number, int depth) {
    const std::vector<uint8_t> page = ReadPage(number, depth == 1 ? kLeaf : kBranch);
    const int64_t end = At<uint16_t>(page, kPointersEnd);
    if (end <= kPageHeader || end > meta_.page_bytes || end % 2 != 0)
      Damaged(number, StrCat("has its first ", end, " bytes for pointers"));
    for (int64_t at = kPageHeader; at < end; at += 2) {
      const int64_t node = At<uint16_t>(page, at);
      if (node < end || node + kNodeHeader > meta_.page_bytes)
        Damaged(number, StrCat("has a node at its byte ", node));
      if (depth == 1)
        AddValue(page, node, number);
      else
        Walk(At<uint32_t>(page, node) | uint64_t{At<uint16_t>(page, node + kNodeFlags)} << 32,
             depth - 1);
    }
  }

  // Reads a page and checks that it has its own number. This finds shared branches and holes of the
  // file before they cost time or memory.
  std::vector<uint8_t> ReadPage(uint64_t number, uint16_t kind) {
    if (number >= static_cast<uint64_t>(file_.size() / meta_.page_bytes))
      Damaged(number, StrCat("is beyond the end, at ", file_.size(), " bytes: cut off?"));
    if (!seen_.insert(number).second) Damaged(number, "is there twice");
    std::vector<uint8_t> page(meta_.page_bytes);
    file_.ReadAt(static_cast<int64_t>(number) * meta_.page_bytes, page.data(), meta_.page_bytes);
    if (At<uint64_t>(page, 0) != number)
      Damaged(number, StrCat("has the number ", At<uint64_t>(page, 0)));
    if ((At<uint16_t>(page, kPageFlags) & (kBranch | kLeaf)) != kind)
      Damaged(number, kind == kLeaf ? "is no leaf" : "is no branch");
    return page;
  }

  void AddValue(std::span<const uint8_t> page, int64_t node, uint64_t number) {
    const uint16_t flags = At<uint16_t>(page, node + kNodeFlags);
    if (flags & (kDatabase | kDuplicates))
      throw DataError(file_.name(), -1, "holds named databases, or several values a key");
    const int64_t data = node + kNodeHeader + At<uint16_t>(page, node + kKeyBytes);
    const int64_t size = At<uint32_t>(page, node);
    const bool own = flags & kOnPagesOfItsOwn;
    if (data + (own ? static_cast<int64_t>(sizeof(uint64_t)) : size) > meta_.page_bytes)
      Damaged(number, "has a node that leads out of it");
    const uint64_t at_page = own ? At<uint64_t>(page, data) : number;
    const int64_t in_page = own ? kPageHeader : data;
    const auto record = static_cast<int64_t>(values_.size());
    if (size == 0 || size > kMaxValueBytes)
      throw DataError(
          file_.name(), record,
          StrCat("a value of ", size, " bytes, allowed are 1 to ", kMaxValueBytes, "; damaged"));
    if (at_page >= static_cast<uint64_t>(file_.size() / meta_.page_bytes) ||
        static_cast<int64_t>(at_page) * meta_.page_bytes + in_page + size > file_.size())
      throw DataError(file_.name(), record,
                      StrCat("lies beyond the end, at ", file_.size(), " bytes: cut off?"));
    values_.push_back({static_cast<int64_t>(at_page) * meta_.page_bytes + in_page, size});
  }

  const InputFile& file_;
  const Meta meta_;
  std::unordered_set<uint64_t> seen_;
  std::vector<ValuePlace> values_;
};

}  // namespace

InputFile OpenLmdbFile(const std::string& path) {
  std::error_code error;
  return InputFile::Open(std::filesystem::is_directory(path, error) ? path + "/data.mdb" : path);
}

bool IsLmdb(const InputFile& file) {
  uint32_t magic = 0;
  if (file.size() >= kMetaEnd) file.ReadAt(kMagicAt, &magic, sizeof magic);
  return magic == kMagic;
}

std::vector<ValuePlace> IndexLmdb(const InputFile& file) {
  return TreeWalk(file, NewestMeta(file)).Values();
}

}  // namespace singa
