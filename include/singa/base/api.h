// SINGA_API marks what libsinga.so exports; everything else is hidden.
#pragma once

#define SINGA_API __attribute__((visibility("default")))
