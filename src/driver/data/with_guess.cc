#include "driver/data/with_guess.h"

#include <string_view>

#include "driver/data/table_words.h"
#include "io/format/guess_backend.h"
#include "io/store/store.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// Returns the flags that say how to read a store of this format; "": there are none.
std::string RemediesFor(const std::string& backend, bool resizes) {
  const StoreTraits& traits = TraitsOf(backend);
  if (traits.lines)
    return "-label_column C says which column is the label, -targets N that N columns are targets, "
           "-no_labels that there is no label";
  const std::string resize = resizes ? "-resize H,W scales pictures to one size" : "";
  if (traits.class_folders) return resize;
  if (!traits.picture_files) return "";
  return StrCat(
      "-targets N says that the last N fields are targets, -no_labels that there are none",
      resizes ? ", " : "", resize);
}

}  // namespace

int WithGuess(const std::string& source, bool guessed, bool resizes,
              const std::function<int()>& command) {
  try {
    return command();
  } catch (const DataError& error) {
    if (!guessed || !std::string_view(error.what()).starts_with(Printable(source))) throw;
    const std::string guess = GuessBackend(source);  // throws if guessing was the error
    const std::string table = TraitsOf(guess).lines ? TableAdvice(source) : "";
    throw Error(error.code(),
                StrCat(error.what(), GuessText(guess, RemediesFor(guess, resizes)), table));
  }
}

}  // namespace singa
