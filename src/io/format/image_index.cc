#include "io/format/image_index.h"

#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "base/input_file.h"
#include "singa/base/error.h"

namespace singa {
namespace {

namespace fs = std::filesystem;

// Sorts, and turns class names into labels.
ImageIndex Finish(const std::string& path, std::vector<std::pair<std::string, ImagePlace>> found) {
  if (found.empty())
    throw DataError(path, -1, "holds no picture (.jpg, .jpeg, .png) in a folder of its class");
  std::map<std::string, int32_t> labels;
  for (const auto& entry : found) labels.emplace(entry.first, 0);
  ImageIndex index;
  for (auto& [name, label] : labels) {
    label = static_cast<int32_t>(index.classes.size());
    index.classes.push_back(name);
  }
  for (auto& [name, place] : found) {
    place.label = labels[name];
    index.places.push_back(std::move(place));
  }
  std::sort(index.places.begin(), index.places.end(),
            [](const ImagePlace& a, const ImagePlace& b) { return a.name < b.name; });
  return index;
}

bool IsLinkToNothing(const fs::directory_entry& entry) {
  std::error_code error;
  return entry.is_symlink(error) && entry.status(error).type() == fs::file_type::not_found;
}

// As its bytes are; what has no form in the locale is UTF-8.
fs::path NameOf(const std::string& tar, archive_entry* entry) {
  const char* name = archive_entry_pathname(entry);
  if (!name) name = archive_entry_pathname_utf8(entry);
  if (!name) throw DataError(tar, -1, "has a file whose name is in no known encoding");
  return name;
}

void CheckName(const std::string& tar, const fs::path& name) {
  if (name.is_absolute() || std::find(name.begin(), name.end(), "..") != name.end())
    throw DataError(
        tar, -1,
        StrCat("the name \"", name.string().substr(0, 200), "\" leads out of the archive"));
}

// What a reader of tars finds at a picture's entry: bytes that lie in one piece in the file.
ImagePlace PlaceOf(archive* tar, archive_entry* entry, const fs::path& name,
                   const InputFile& file) {
  const auto refuse = [&](const std::string& what) {
    throw DataError(file.name(), -1, StrCat("\"", name.string().substr(0, 200), "\" ", what));
  };
  if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry))
    refuse(
        "is a link, or no file: pack the pictures themselves (tar --dereference "
        "--hard-dereference)");
  if (archive_entry_sparse_count(entry) > 0) refuse("is packed as a sparse file: pack it whole");
  const int64_t offset = archive_filter_bytes(tar, 0), size = archive_entry_size(entry);
  if (size < 0 || size > kMaxPictureBytes)
    refuse(StrCat("has ", size, " bytes, at most ", kMaxPictureBytes, " are read"));
  if (offset + size > file.size())
    refuse(StrCat("goes beyond the end, at ", file.size(), " bytes: cut off?"));
  return {name.string(), 0, offset, size};
}

// REQUIRES: libarchive met the end of `tar`. A tar ends with blocks of zeros, but libarchive takes
// the end of the file for the end of the tar, too. Throws DataError for a tar without the first of
// these blocks.
void RequireEndMark(archive* tar, const InputFile& file) {
  std::array<char, 512> block{};
  const auto size = static_cast<int64_t>(block.size());
  const int64_t end = archive_read_header_position(tar);
  const bool is_there = end + size <= file.size();
  if (is_there) file.ReadAt(end, block.data(), size);
  if (!is_there || std::any_of(block.begin(), block.end(), [](char c) { return c != 0; }))
    throw DataError(file.name(), -1,
                    StrCat("has no end mark (a block of zeros) after its last entry, at ", end,
                           " bytes: cut off?"));
}

struct CloseArchive {
  void operator()(archive* a) const { archive_read_free(a); }
};

}  // namespace

bool HasPictureName(const std::string& path) {
  std::string end = fs::path(path).extension().string();
  std::transform(end.begin(), end.end(), end.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return end == ".jpg" || end == ".jpeg" || end == ".png";
}

ImageIndex IndexImageFolder(const std::string& folder) {
  std::vector<std::pair<std::string, ImagePlace>> found;
  std::error_code error;
  constexpr auto kFollowLinks = fs::directory_options::follow_directory_symlink;
  fs::recursive_directory_iterator it(folder, kFollowLinks, error), end;
  std::string at = folder;  // what was looked at last
  std::set<fs::path> folders = {fs::weakly_canonical(folder)};
  for (; !error && it != end; it.increment(error)) {
    at = it->path();
    if (IsLinkToNothing(*it)) {
      if (it->path().filename().string().starts_with('.')) continue;  // an editor's lock
      throw DataError(at, -1, "is a link to nothing");
    }
    if (it->is_directory(error) && !folders.insert(fs::canonical(at, error)).second)
      throw DataError(at, -1, "is a link to a folder that is read already");
    if (it.depth() == 0 || !HasPictureName(at) || !it->is_regular_file(error)) continue;
    const fs::path name = it->path().lexically_relative(folder);
    found.emplace_back(name.begin()->string(), ImagePlace{name.string(), 0});
  }
  if (error) ThrowInputError(at, "", error.value());
  return Finish(folder, std::move(found));
}

ImageIndex IndexImageTar(const std::string& path) {
  const InputFile file = InputFile::Open(path);
  const std::unique_ptr<archive, CloseArchive> tar(archive_read_new());
  archive_read_support_format_tar(tar.get());
  archive_read_support_format_gnutar(tar.get());
  // To know compressed ones; not all filters, some of which start other programs.
  archive_read_support_filter_gzip(tar.get());
  archive_read_support_filter_bzip2(tar.get());
  archive_read_support_filter_xz(tar.get());
  archive_read_support_filter_zstd(tar.get());
  const auto fail = [&] {
    throw DataError(path, -1, StrCat("is no whole tar: ", archive_error_string(tar.get())));
  };
  if (archive_read_open_filename(tar.get(), path.c_str(), 1 << 16) != ARCHIVE_OK) fail();
  std::vector<std::pair<std::string, ImagePlace>> found;
  archive_entry* entry = nullptr;
  for (;;) {
    const int status = archive_read_next_header(tar.get(), &entry);
    if (status == ARCHIVE_EOF) break;
    if (status != ARCHIVE_OK && status != ARCHIVE_WARN) fail();
    if (archive_filter_code(tar.get(), 0) != ARCHIVE_FILTER_NONE)
      throw DataError(path, -1,
                      "is compressed: its pictures cannot be read in any order; unpack it");
    const fs::path name = NameOf(path, entry);
    CheckName(path, name);
    if (archive_entry_filetype(entry) == AE_IFDIR || !HasPictureName(name)) continue;
    const std::string folder = name.lexically_normal().parent_path().filename().string();
    if (folder.empty()) continue;
    found.emplace_back(folder, PlaceOf(tar.get(), entry, name, file));
  }
  if (!found.empty()) RequireEndMark(tar.get(), file);
  return Finish(path, std::move(found));
}

}  // namespace singa
