// These functions convert between frames and texts.
#pragma once

#include <string>

#include "comm/message/message.h"

namespace singa {

inline Frame FrameOf(const std::string& text) { return Frame::Copy(text.data(), text.size()); }
inline std::string TextOf(const Frame& frame) {
  return {static_cast<const char*>(frame.data()), frame.size()};
}

}  // namespace singa
