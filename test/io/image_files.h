// These functions make small pictures, and tars of files.
#pragma once

#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>
#include <png.h>
#include <turbojpeg.h>

#include <array>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace singa {

// Returns width x height pixels of one colour.
inline std::vector<uint8_t> Flat(int width, int height, std::array<uint8_t, 3> colour) {
  const std::vector<std::array<uint8_t, 3>> pixels(size_t(width) * height, colour);
  const auto* const bytes = reinterpret_cast<const uint8_t*>(pixels.data());
  return {bytes, bytes + 3 * pixels.size()};
}

// Returns a JPEG of pixels in one of turbojpeg's formats.
inline std::string JpegOf(int width, int height, int format, const std::vector<uint8_t>& pixels) {
  const tjhandle handle = tjInitCompress();
  unsigned char* bytes = nullptr;
  unsigned long size = 0;  // NOLINT: turbojpeg's type
  EXPECT_EQ(tjCompress2(handle, pixels.data(), width, 0, height, format, &bytes, &size, TJSAMP_444,
                        95, 0),
            0);
  std::string text(reinterpret_cast<const char*>(bytes), size);
  tjFree(bytes);
  tjDestroy(handle);
  return text;
}

inline std::string Jpeg(int width, int height, std::array<uint8_t, 3> colour) {
  return JpegOf(width, height, TJPF_RGB, Flat(width, height, colour));
}

inline std::string Png(int width, int height, std::array<uint8_t, 3> colour) {
  const std::vector<uint8_t> pixels = Flat(width, height, colour);
  png_image png;
  std::memset(&png, 0, sizeof png);
  png.version = PNG_IMAGE_VERSION;
  png.width = static_cast<png_uint_32>(width);
  png.height = static_cast<png_uint_32>(height);
  png.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = 0;
  EXPECT_TRUE(png_image_write_to_memory(&png, nullptr, &size, 0, pixels.data(), 0, nullptr));
  std::string text(size, '\0');
  EXPECT_TRUE(png_image_write_to_memory(&png, text.data(), &size, 0, pixels.data(), 0, nullptr));
  return text;
}

using Files = std::vector<std::pair<std::string, std::string>>;

// Writes a tar. Content "-> NAME" makes a symbolic link, "=> NAME" a hard one.
inline void WriteTar(const std::string& path, const Files& files, bool compressed = false) {
  archive* tar = archive_write_new();
  archive_write_set_format_pax_restricted(tar);
  if (compressed) archive_write_add_filter_gzip(tar);
  archive_write_open_filename(tar, path.c_str());
  for (const auto& [name, bytes] : files) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, name.c_str());
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_filetype(entry, bytes.starts_with("-> ") ? AE_IFLNK : AE_IFREG);
    if (bytes.starts_with("-> "))
      archive_entry_set_symlink(entry, bytes.c_str() + 3);
    else if (bytes.starts_with("=> "))
      archive_entry_set_hardlink(entry, bytes.c_str() + 3);
    else
      archive_entry_set_size(entry, static_cast<int64_t>(bytes.size()));
    archive_write_header(tar, entry);
    if (archive_entry_size(entry) > 0) archive_write_data(tar, bytes.data(), bytes.size());
    archive_entry_free(entry);
  }
  archive_write_close(tar);
  archive_write_free(tar);
}

}  // namespace singa
