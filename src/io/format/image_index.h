// ImageIndex lists the pictures of an image folder, or of a tar of one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/store/store.h"

namespace singa {

inline constexpr int64_t kMaxPictureBytes = 256 << 20;  // maximum size of a file

struct ImagePlace {
  std::string name;              // path in the tar or below the folder
  int32_t label;                 // label of its class
  int64_t offset = 0, size = 0;  // place in the tar
};

struct ImageIndex {
  std::vector<std::string> classes;  // sorted by name; a label is an index in it
  std::vector<ImagePlace> places;    // sorted by name
  LeftOut left_out;
};

// Indexes the pictures (HasPictureName) of folder/<class>/ and of folders in it; it follows links
// to folders. Hidden folders are no classes. left_out names: class folders without a picture, which
// still have a label; files in class folders that are neither decoded nor LiesBesideData; pictures
// outside class folders. Throws FileError, or DataError if there is no picture, or if a link leads
// to nothing or to a folder that was already read.
ImageIndex IndexImageFolder(const std::string& folder);
// Indexes the pictures of an uncompressed tar. A class is the name of the innermost folder;
// pictures at another depth than most are left out, too. Throws FileError. Throws DataError if the
// tar is damaged, cut off, compressed or without pictures. Also throws it if a name is absolute or
// leads out of the tar, or a picture is a link or sparse.
ImageIndex IndexImageTar(const std::string& path);

}  // namespace singa
