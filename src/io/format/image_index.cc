#include "io/format/image_index.h"

#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "base/file/input_file.h"
#include "io/picture/picture_names.h"
#include "singa/base/error.h"

namespace singa {
namespace {

namespace fs = std::filesystem;

// Collects the pictures, class folders and other files of a folder or tar.
class Found {
 public:
  void AddPicture(const std::string& folder, ImagePlace place) {
    folders_[folder] = true;
    pictures_.emplace_back(folder, std::move(place));
  }
  // Adds a folder at the depth of class folders.
  void AddFolder(const std::string& folder) { folders_.emplace(folder, false); }
  void LeaveOut(const std::string& name) { left_out_.push_back(name); }
  // Leaves out a picture that lies in no class folder.
  void LeaveOutAbove(const std::string& name) {
    LeaveOut(name + " (in no class folder)");
    above_ = true;
  }
  bool empty() const { return pictures_.empty(); }

  // Sorts the pictures, and turns the names of folders into labels.
  ImageIndex Finish(const std::string& path) {
    ImageIndex index;
    std::map<std::string, int32_t> labels;
    for (const auto& [name, has_picture] : folders_) {
      labels[name] = static_cast<int32_t>(index.classes.size());
      index.classes.push_back(name);
      if (!has_picture) LeaveOut(name + "/ (no picture)");
    }
    index.left_out = FirstOf(std::move(left_out_));
    if (empty()) ThrowNone(path, index.left_out, above_ && folders_.empty());
    for (auto& [name, place] : pictures_) {
      place.label = labels[name];
      index.places.push_back(std::move(place));
    }
    std::sort(index.places.begin(), index.places.end(),
              [](const ImagePlace& a, const ImagePlace& b) { return a.name < b.name; });
    return index;
  }

 private:
  // `one_class`: the folder itself may be that of a class.
  [[noreturn]] static void ThrowNone(const std::string& path, const LeftOut& others,
                                     bool one_class) {
    throw DataError(
        path, -1,
        StrCat("holds no picture (", kPictureEndings, ") in a folder of its class",
               others.count > 0 ? StrCat("; it leaves out ", LeftOutText(others)) : std::string(),
               one_class ? "; if it is the folder of one class, give the folder above it" : ""));
  }

  std::vector<std::pair<std::string, ImagePlace>> pictures_;
  std::map<std::string, bool> folders_;  // name -> it has a picture
  std::vector<std::string> left_out_;
  bool above_ = false;  // pictures lie where only class folders should
};

bool IsLinkToNothing(const fs::directory_entry& entry) {
  std::error_code error;
  return entry.is_symlink(error) && entry.status(error).type() == fs::file_type::not_found;
}

// Returns the name's bytes, or UTF-8 if the locale cannot represent the name.
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

// Returns the place of a picture in the tar. Throws unless its bytes are in one piece.
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

// Throws DataError if the tar does not end with a block of zeros. libarchive also takes the end of
// the file for the end of the tar. REQUIRES: libarchive has reached the end of `tar`.
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

// Adds a file of a picture folder. `on_top`: the file is in the folder itself.
void AddFile(const fs::directory_entry& file, const fs::path& name, bool on_top, Found* found) {
  std::error_code error;
  if (on_top) {
    if (HasNameOfAnyPicture(name)) found->LeaveOutAbove(name.string());
  } else if (HasPictureName(name) && file.is_regular_file(error)) {
    found->AddPicture(name.begin()->string(), {name.string(), 0});
  } else {
    found->LeaveOut(name.string());
  }
}

// The members of a tar. The depth of class folders is known when all members were added.
class TarContent {
 public:
  void Add(archive* tar, archive_entry* entry, const fs::path& name, const InputFile& file) {
    fs::path place = name.lexically_normal();
    if (place.filename().empty()) place = place.parent_path();  // "cat/"
    const std::string folder = place.parent_path().filename().string();
    if (std::find(place.begin(), place.end(), "__MACOSX") != place.end()) return;
    if (archive_entry_filetype(entry) == AE_IFDIR) {
      if (!IsHiddenFolder(place.filename().string())) folders_.push_back(place);
    } else if (IsHiddenFolder(folder) || LiesBesideData(place)) {
      return;
    } else if (folder.empty()) {
      if (HasNameOfAnyPicture(place)) found_.LeaveOutAbove(place.string());
    } else if (HasPictureName(place)) {
      pictures_[Depth(place)].emplace_back(folder, PlaceOf(tar, entry, name, file));
    } else {
      found_.LeaveOut(name.string());
    }
  }

  bool has_pictures() const { return !pictures_.empty(); }

  ImageIndex Finish(const std::string& path) {
    const auto usual = std::max_element(
        pictures_.begin(), pictures_.end(),
        [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    for (auto it = pictures_.begin(); it != pictures_.end(); ++it)
      for (auto& [folder, place] : it->second) {
        if (it == usual)
          found_.AddPicture(folder, std::move(place));
        else
          found_.LeaveOut(place.name + " (in a folder at another depth than most)");
      }
    for (const fs::path& folder : folders_)
      if (usual != pictures_.end() && Depth(folder) + 1 == usual->first)
        found_.AddFolder(folder.filename().string());
    return found_.Finish(path);
  }

 private:
  static int64_t Depth(const fs::path& place) { return std::distance(place.begin(), place.end()); }

  Found found_;
  std::vector<fs::path> folders_;
  // By depth: pictures, each with the name of its folder.
  std::map<int64_t, std::vector<std::pair<std::string, ImagePlace>>> pictures_;
};

struct CloseArchive {
  void operator()(archive* a) const { archive_read_free(a); }
};

}  // namespace

ImageIndex IndexImageFolder(const std::string& folder) {
  Found found;
  std::error_code error;
  constexpr auto kFollowLinks = fs::directory_options::follow_directory_symlink;
  fs::recursive_directory_iterator it(folder, kFollowLinks, error), end;
  std::string at = folder;  // entry that was read last
  std::set<fs::path> folders = {fs::weakly_canonical(folder)};
  for (; !error && it != end; it.increment(error)) {
    at = it->path();
    const std::string file = it->path().filename().string();
    const fs::path name = it->path().lexically_relative(folder);
    if (IsLinkToNothing(*it)) {
      if (file.starts_with('.')) continue;  // an editor's lock
      throw DataError(at, -1, "is a link to nothing");
    }
    if (it->is_directory(error)) {
      if (IsHiddenFolder(file)) {
        it.disable_recursion_pending();
        continue;
      }
      if (!folders.insert(fs::canonical(at, error)).second)
        throw DataError(at, -1, "is a link to a folder that is read already");
      if (it.depth() == 0) found.AddFolder(file);
    } else if (!LiesBesideData(file)) {
      AddFile(*it, name, it.depth() == 0, &found);
    }
  }
  if (error) ThrowInputError(at, "", error.value());
  return found.Finish(folder);
}

ImageIndex IndexImageTar(const std::string& path) {
  const InputFile file = InputFile::Open(path);
  const std::unique_ptr<archive, CloseArchive> tar(archive_read_new());
  archive_read_support_format_tar(tar.get());
  archive_read_support_format_gnutar(tar.get());
  // Filters to recognise compressed tars. Other filters may start other programs.
  archive_read_support_filter_gzip(tar.get());
  archive_read_support_filter_bzip2(tar.get());
  archive_read_support_filter_xz(tar.get());
  archive_read_support_filter_zstd(tar.get());
  const auto fail = [&] {
    throw DataError(path, -1, StrCat("is no whole tar: ", archive_error_string(tar.get())));
  };
  if (archive_read_open_filename(tar.get(), path.c_str(), 1 << 16) != ARCHIVE_OK) fail();
  TarContent content;
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
    content.Add(tar.get(), entry, name, file);
  }
  if (content.has_pictures()) RequireEndMark(tar.get(), file);
  return content.Finish(path);
}

}  // namespace singa
