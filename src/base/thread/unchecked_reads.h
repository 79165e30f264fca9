// SINGA_UNCHECKED_READS marks a function that reads values while other worker groups store them
// (Hogwild). The thread sanitizer does not check its reads: it would report a race for each
// element, and needs minutes even for reports that are suppressed.
#pragma once

#if defined(__SANITIZE_THREAD__)
#define SINGA_UNCHECKED_READS __attribute__((no_sanitize_thread))
#else
#define SINGA_UNCHECKED_READS
#endif
