// HoldStandardStreams handles standard streams that are closed when the program starts.
#pragma once

namespace singa {

// Opens closed streams so that writing to them (reading, for stdin) fails. Otherwise the next file
// that is opened would take the stream's number, and printed text would go to it.
void HoldStandardStreams();

}  // namespace singa
