// The files of the page of `singa board`. They stand in driver/board/page, and the build makes this
// list of them.
#pragma once

#include <span>
#include <string_view>

namespace singa {

struct PageFile {
  std::string_view path;  // as a browser asks for it: "/", "/board.js"
  std::string_view type;  // its Content-Type
  std::string_view content;
};

std::span<const PageFile> PageFiles();

}  // namespace singa
