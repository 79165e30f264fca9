#include "io/image_index.h"

#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>

#include "base/input_file.h"
#include "singa/base/error.h"

namespace singa {
namespace {

namespace fs = std::filesystem;

bool IsPicture(const fs::path& path) {
  std::string end = path.extension().string();
  std::transform(end.begin(), end.end(), end.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return end == ".jpg" || end == ".jpeg" || end == ".png";
}

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

void CheckName(const std::string& tar, const fs::path& name) {
  if (name.is_absolute() || std::find(name.begin(), name.end(), "..") != name.end())
    throw DataError(
        tar, -1,
        StrCat("the name \"", name.string().substr(0, 200), "\" leads out of the archive"));
}

struct CloseArchive {
  void operator()(archive* a) const { archive_read_free(a); }
};

}  // namespace

ImageIndex IndexImageFolder(const std::string& folder) {
  std::vector<std::pair<std::string, ImagePlace>> found;
  std::error_code error;
  fs::recursive_directory_iterator it(folder, error), end;
  for (; !error && it != end; it.increment(error)) {
    if (it.depth() == 0 || !IsPicture(it->path()) || !it->is_regular_file(error)) continue;
    const fs::path name = it->path().lexically_relative(folder);
    found.emplace_back(name.begin()->string(), ImagePlace{name.string(), 0});
  }
  if (error) ThrowInputError(folder, "", error.value());
  return Finish(folder, std::move(found));
}

ImageIndex IndexImageTar(const std::string& path) {
  InputFile::Open(path);  // for its errors
  const std::unique_ptr<archive, CloseArchive> tar(archive_read_new());
  archive_read_support_format_tar(tar.get());
  archive_read_support_format_gnutar(tar.get());
  archive_read_support_filter_all(tar.get());
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
    const char* text = archive_entry_pathname(entry);
    const fs::path name(text ? text : "");
    CheckName(path, name);
    if (archive_entry_filetype(entry) != AE_IFREG || !IsPicture(name) || !name.has_parent_path())
      continue;
    const int64_t size = archive_entry_size(entry);
    if (size > kMaxPictureBytes)
      throw DataError(path, -1,
                      StrCat("\"", name.string(), "\" has ", size, " bytes, at most ",
                             kMaxPictureBytes, " are read"));
    found.emplace_back(name.parent_path().filename().string(),
                       ImagePlace{name.string(), 0, archive_filter_bytes(tar.get(), 0), size});
  }
  return Finish(path, std::move(found));
}

}  // namespace singa
