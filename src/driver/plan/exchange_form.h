// ExchangeForm says what hosts send each other for the gradients of a step, and what it costs.
#pragma once

#include "comm/collective/link_probe.h"

namespace singa {

// The defaults: servers add whole gradients up, and send the new values back.
struct ExchangeForm {
  // For each byte of a gradient: the bytes that travel for the gradient, and those that come back.
  double gradient = 1, sum = 1;
  // Processor time in ms for 1 MB of gradients: to encode it, to decode it and add it to others,
  // and to encode a sum.
  double encode_ms = 0, decode_ms = 0, sum_ms = 0;
  double latency_ms = 0;  // for 1 MB of gradients: the link waits for messages, and sends nothing
  // Messages that follow one another after the last gradient of a step.
  int last_messages = kMessagesOfSum;
  bool updates_all = false;  // each host updates all values; else each updates its servers' share
};

}  // namespace singa
