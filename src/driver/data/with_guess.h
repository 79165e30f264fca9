// WithGuess runs a command of `singa data` on a store whose format may be guessed.
#pragma once

#include <functional>
#include <string>

namespace singa {

// Runs `command` with the store at `source`. If its format is guessed, an error in its content
// names the guess, and the flags that say how to read such a store. `resizes`: -resize is one.
int WithGuess(const std::string& source, bool guessed, bool resizes,
              const std::function<int()>& command);

}  // namespace singa
