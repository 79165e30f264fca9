#include "base/system/caught_error.h"

#include <exception>
#include <new>

#include "base/system/system_limits.h"

namespace singa {

Error CaughtError() {
  try {
    throw;
  } catch (const Error& error) {
    return Error(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return Error(kExitNoDevice, OutOfMemoryText());
  } catch (const std::exception& error) {
    return Error(kExitBug, error.what());
  } catch (...) {  // an exception of a user's code
    return Error(kExitBug, "an error without text");
  }
}

}  // namespace singa
