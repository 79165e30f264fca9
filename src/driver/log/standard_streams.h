// Standard streams that the program was started without.
#pragma once

namespace singa {

// The next file that is opened would take the place of a closed stream and get what is printed:
// holds the place by something that cannot be written to (stdin: read from), so that printing
// fails.
void HoldStandardStreams();

}  // namespace singa
