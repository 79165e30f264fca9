#include "driver/command/completion.h"

#include <cctype>
#include <set>
#include <utility>

#include "driver/command/help.h"
#include "driver/schema/layer_text.h"
#include "driver/schema/schema_comments.h"
#include "driver/schema/schema_text.h"

namespace singa {
namespace {

std::string WordsOf(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::vector<std::string> SubcommandNames() {
  std::vector<std::string> names;
  for (const Subcommand& known : Subcommands()) names.emplace_back(known.name);
  return names;
}

// Returns the fields that hold a value, by their paths.
std::vector<std::string> FieldNames() {
  std::vector<std::string> names;
  for (const FieldPlace& place : AllFields())
    if (!place.field->message_type() && IsForUsers(*place.field)) names.push_back(place.path + "=");
  return names;
}

// Returns a branch of `case` in sh for each subcommand: its options.
std::string OptionCases() {
  std::string cases;
  for (const Subcommand& known : Subcommands())
    cases +=
        std::string("    ") + known.name + ") options=\"" + WordsOf(OptionsOf(&known)) + "\" ;;\n";
  return cases + "    *) options=\"" + WordsOf(OptionsOf(nullptr)) + "\" ;;\n";
}

// Returns the names of subcommands whose operand is a job's file.
std::string FileCommands() {
  std::string names;
  for (const Subcommand& known : Subcommands())
    if (std::string(known.operands).starts_with("FILE"))
      names += (names.empty() ? "" : "|") + std::string(known.name);
  return names;
}

// Replaces each @WORD@ of a script.
std::string Filled(std::string script) {
  const std::vector<std::pair<std::string, std::string>> words = {
      {"@COMMANDS@", WordsOf(SubcommandNames())},
      {"@LAYERS@", WordsOf(LayerNames())},
      {"@FIELDS@", WordsOf(FieldNames())},
      {"@OPTIONS@", OptionCases()},
      {"@FILE_COMMANDS@", FileCommands()}};
  for (const auto& [word, text] : words)
    for (size_t at = 0; (at = script.find(word, at)) != std::string::npos; at += text.size())
      script.replace(at, word.size(), text);
  return script;
}

// bash cuts words at "=" and ":", which no completed name has in front of its end.
constexpr const char* kBash = R"(# bash completion of singa, made by `singa completion bash`.
_singa() {
  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" command="" options=""
  [[ $COMP_CWORD -gt 1 ]] && command="${COMP_WORDS[1]}"
  COMPREPLY=()
  case "$before" in
    -set|--set)
      compopt -o nospace 2> /dev/null
      mapfile -t COMPREPLY < <(compgen -W "@FIELDS@" -- "$word")
      return ;;
    -conf|--conf)
      _singa_files "$word"
      return ;;
  esac
  case "$command" in
@OPTIONS@  esac
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
  elif [[ $COMP_CWORD -eq 1 ]]; then
    mapfile -t COMPREPLY < <(compgen -W "@COMMANDS@" -- "$word")
  else
    case "$command" in
      layers) mapfile -t COMPREPLY < <(compgen -W "@LAYERS@" -- "$word") ;;
      help) mapfile -t COMPREPLY < <(compgen -W "@COMMANDS@ @LAYERS@" -- "$word") ;;
      completion) mapfile -t COMPREPLY < <(compgen -W "bash zsh man" -- "$word") ;;
      @FILE_COMMANDS@) _singa_files "$word" ;;
      *) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    esac
  fi
}
# Files of jobs, and folders.
_singa_files() {
  compopt -o filenames 2> /dev/null
  mapfile -t COMPREPLY < <(compgen -f -X '!*.conf' -- "$1"; compgen -d -- "$1")
}
complete -F _singa singa
)";

constexpr const char* kZsh = R"(#compdef singa
# zsh completion of singa, made by `singa completion zsh`.
local word="${words[CURRENT]}" before="${words[CURRENT-1]}" command="" options="" fields="@FIELDS@"
(( CURRENT > 2 )) && command="${words[2]}"
case "$before" in
  -set|--set) compadd -S '' -- ${=fields}; return ;;
  -conf|--conf) _files -g '*.conf'; return ;;
esac
case "$command" in
@OPTIONS@esac
if [[ $word == -* ]]; then
  compadd -- ${=options}
elif (( CURRENT == 2 )); then
  compadd -- @COMMANDS@
else
  case "$command" in
    layers) compadd -- @LAYERS@ ;;
    help) compadd -- @COMMANDS@ @LAYERS@ ;;
    completion) compadd -- bash zsh man ;;
    @FILE_COMMANDS@) _files -g '*.conf' ;;
    *) _files ;;
  esac
fi
)";

}  // namespace

std::vector<std::string> OptionsOf(const Subcommand* subcommand) {
  const std::string text = Help(subcommand ? subcommand->name : "");
  std::set<std::string> options = {"-help"};
  for (size_t at = 0; (at = text.find('-', at)) != std::string::npos;) {
    const bool begins =
        at == 0 || text[at - 1] == ' ' || text[at - 1] == '[' || text[at - 1] == '(';
    size_t end = at + 1;
    while (end < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
      ++end;
    const bool is_word =
        begins && end > at + 1 && std::isalpha(static_cast<unsigned char>(text[at + 1]));
    if (is_word && text[end] != '-') options.insert(text.substr(at, end - at));
    at = end;
  }
  return {options.begin(), options.end()};
}

std::string BashCompletion() { return Filled(kBash); }
std::string ZshCompletion() { return Filled(kZsh); }

}  // namespace singa
