#include "singa/comm/codec.h"

namespace singa {

CodecRegistry& Codecs() {
  static CodecRegistry registry("codec");
  return registry;
}

}  // namespace singa
