// Where the pictures of an image folder, or of a tar of one, are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/store/store.h"

namespace singa {

inline constexpr int64_t kMaxPictureBytes = 256 << 20;  // of a file

struct ImagePlace {
  std::string name;              // its path, in the tar or below the folder
  int32_t label;                 // of its class
  int64_t offset = 0, size = 0;  // in the tar
};

struct ImageIndex {
  std::vector<std::string> classes;  // sorted by name; a label is a place in it
  std::vector<ImagePlace> places;    // sorted by name
  LeftOut left_out;
};

// The pictures (HasPictureName) of folder/<class>/, and of folders in it, links to folders too.
// Hidden folders are no classes. Left out are: a class folder without a picture, which has a label
// all the same; in class folders, files that are neither decoded nor LiesBesideData; pictures of
// any format in no class folder. Throws FileError; DataError where there are none, or where a link
// leads to nothing, or to a folder that is read already.
ImageIndex IndexImageFolder(const std::string& folder);
// Indexes such files of an uncompressed tar; a class is the name of the innermost folder, and
// pictures at another depth than most are left out, too. Throws FileError; DataError: damaged, cut
// off, compressed, without pictures, with a name that is absolute or leads out of the tar, or a
// picture that is a link or sparse.
ImageIndex IndexImageTar(const std::string& path);

}  // namespace singa
