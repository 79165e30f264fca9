// Where the pictures of an image folder, or of a tar of one, are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

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
};

// Whether a file of this name is taken for a picture: .jpg, .jpeg or .png, whatever the case.
bool HasPictureName(const std::string& path);

// The .jpg, .jpeg and .png files (whatever the case) of folder/<class>/, and of folders in it,
// links to folders too. Throws FileError; DataError where there are none, or where a link leads to
// nothing, or to a folder that is read already.
ImageIndex IndexImageFolder(const std::string& folder);
// The same files of an uncompressed tar; a class is the name of the innermost folder. Throws
// FileError; DataError: damaged, cut off, compressed, without pictures, with a name that is
// absolute or leads out of the tar, or a picture that is a link or sparse.
ImageIndex IndexImageTar(const std::string& path);

}  // namespace singa
