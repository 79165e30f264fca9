"""Checks what `singa layers`, `singa help X` and `singa completion` print."""
import shutil
import subprocess

from case import check, equal, has, true
from job import mlp


@check
def layers_lists_types_and_shows_the_settings_of_one(case):
    text = case.run("layers").out
    for part in ("Neuron layers", "  kConvolution ", "  kSoftmaxLoss ", "convolution_conf"):
        has(text, part, "singa layers")
    page = case.run("layers", "kConvolution").out
    for part in ("sources: 1 source", "num_filters", "default 3", ">= 1", "example"):
        has(page, part, "singa layers kConvolution")
    equal(case.run("help", "kConvolution").out, page, "singa help kConvolution")
    for word in ("convolution", "Convolution", "kConvolutoin"):
        job = case.run("layers", word, code=2)
        has(job.err, 'did you mean "kConvolution"?', f"singa layers {word}")
        equal(job.err.splitlines()[-1], "see singa layers -help", f"singa layers {word}")


@check
def help_shows_fields_values_and_messages(case):
    has(case.run("help", "train_steps").out, "path: train_steps", "singa help train_steps")
    equal(case.run("help", "JobProto.train_steps").out, case.run("help", "train_steps").out, "help")
    has(case.run("help", "updater").out, "  momentum ", "singa help updater")
    has(case.run("help", "kSGD").out, "updater.type", "singa help kSGD")


def completed(case, script, words):
    """Returns the words that bash offers for the last of `words`."""
    command = (f"source {script}; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); "
               "_singa; printf '%s\\n' \"${COMPREPLY[@]}\"")
    done = subprocess.run(["bash", "-c", command], cwd=case.folder, capture_output=True, text=True,
                          check=True)
    equal(done.stderr, "", f"stderr for {words}")
    return done.stdout.split()


@check
def bash_completes_subcommands_options_files_layers_and_fields(case):
    script = case.write("singa.bash", case.run("completion", "bash").out)
    case.write("job.conf", mlp(case.site.data, "train_steps: 1"))
    case.write("notes.txt", "")
    for words, expected in (("singa gra", ["gradcheck", "graph"]), ("singa graph -sv", ["-svg"]),
                            ("singa check ''", ["job.conf"]), ("singa -conf j", ["job.conf"]),
                            ("singa layers kConv", ["kConvolution"]), ("singa help ve", ["version"]),
                            ("singa -set updater.mom", ["updater.momentum="])):
        equal(sorted(completed(case, script, words)), expected, words)
    for shell in ("bash", "zsh"):
        if shutil.which(shell):
            case.write("script", case.run("completion", shell).out)
            subprocess.run([shell, "-n", case.path("script")], check=True)


@check
def man_pages_are_well_formed(case):
    case.run("completion", "man", "pages")
    pages = sorted(case.path("pages").glob("*.1"))
    true({"singa.1", "singa-train.1", "singa-layers.1"} <= {page.name for page in pages}, str(pages))
    if not shutil.which("man"):
        case.note = "no man here: the pages are not shown"
        return
    for page in pages:
        shown = subprocess.run(["man", "--warnings", "-l", page], capture_output=True, text=True, check=True)
        equal(shown.stderr, "", f"warnings of {page.name}")
        has(shown.stdout, "SYNOPSIS", page.name)
