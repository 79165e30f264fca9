"""Checks what the installed tree has beside the program and the library."""
import gzip
import re
import subprocess

import case


def completion_man_pages_guide_and_examples_are_installed(one):
    share = one.site.prefix / "share"
    for file in ("bash-completion/completions/singa", "zsh/site-functions/_singa",
                 "doc/singa/reference.conf", "doc/singa/hostfile", "doc/singa/guide/README.md",
                 "doc/singa/examples/digits/job.conf"):
        case.true((share / file).stat().st_size > 0, f"{file} is empty")
    case.equal((share / "bash-completion/completions/singa").read_text(),
               one.run("completion", "bash").out, "completion for bash")
    for page in ("singa", "singa-train", "singa-layers"):
        with gzip.open(share / f"man/man1/{page}.1.gz", "rt") as text:
            case.true(text.read().startswith(".TH SINGA"), f"{page}.1.gz")
    plot = subprocess.run([one.site.prefix / "bin/singa-plot", "-h"], capture_output=True, text=True, check=False)
    case.true("usage" in plot.stdout or "needs matplotlib" in plot.stderr, f"singa-plot: {plot}")


def links_of_the_installed_guide_lead_to_installed_files(one):
    pages = list((one.site.prefix / "share/doc/singa/guide").glob("*.md"))
    links = [(page, link) for page in pages
             for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text())]
    lost = sorted({f"{page.name}: {link}" for page, link in links if not (page.parent / link).exists()})
    case.equal(lost, [], "links that lead nowhere")
    for link in ("proto/job.proto", "proto/README.md", "include/singa/nn/layer.h"):
        case.true(any(to.endswith(link) for _, to in links), f"no link to {link}")


def layers_lists_those_of_plugins(one):
    plugin = one.site.built / "gate.so"
    case.has(one.run("layers", "-plugin", plugin).out, "Layers of plugins", "singa layers")
    case.has(one.run("layers", "-plugin", plugin, "Gate").out, "[gate.gate_conf]", "singa layers Gate")
    one.write("job.conf", f'name: "x"\nplugin: "{plugin}"\n')
    case.has(one.run("layers", "-conf", "job.conf").out, "  Gate\n", "singa layers -conf")
    page = one.run("layers", "-plugin", plugin, "Gate").out
    case.equal(one.run("help", "Gate", "-plugin", plugin).out, page, "singa help Gate -plugin")
    case.equal(one.run("help", "Gate", "-conf", "job.conf").out, page, "singa help Gate -conf")


CHECKS = [completion_man_pages_guide_and_examples_are_installed,
          links_of_the_installed_guide_lead_to_installed_files, layers_lists_those_of_plugins]
