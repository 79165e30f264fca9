#include "driver/command/help.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <vector>

#include "base/text/edit_distance.h"
#include "driver/command/data_command.h"
#include "driver/predict/predict_command.h"

namespace singa {
namespace {

constexpr std::array<Subcommand, 11> kSubcommands = {{
    {"train", "FILE", "the same as singa -conf FILE", Subcommand::kFile},
    {"check", "FILE", "check a job and show its layers, parameters and memory", Subcommand::kFile},
    {"graph", "FILE", "print the net for graphviz", Subcommand::kFile},
    {"bench", "FILE", "time the training steps of a job, layer by layer", Subcommand::kFile},
    {"predict", "", "what a trained net says of records, or of the characters of a text",
     Subcommand::kItsOwn},
    {"ckpt", "", "ls, verify, export: look after checkpoints", Subcommand::kItsOwn},
    {"data", "", "digits, convert, stat: look after records", Subcommand::kItsOwn},
    {"export", "onnx", "write the trained net as an ONNX model", Subcommand::kItsOwn},
    {"doctor", "", "what this machine has, and whether a job can run on it", Subcommand::kNothing},
    {"version", "", "version and how it was built; the same as --version", Subcommand::kNothing},
    {"help", "[NAME]", "this text, or that of a subcommand", Subcommand::kNothing},
}};

constexpr const char* kUsage = R"(usage: singa -conf FILE [-resume] [-test] [-set PATH=VALUE]...
       singa SUBCOMMAND ...      %s
       singa --help              all options; singa SUBCOMMAND --help
)";

constexpr const char* kMain = R"(
Trains the neural net that a job.conf describes.

  -conf FILE         the job: a JobProto in text format
  -resume            go on from the newest checkpoint of the workspace that verifies
  -test              run the test phase only, on the parameters of checkpoint_path or else of the
                     workspace's newest checkpoint
  -set PATH=VALUE    override a field, such as train_steps=100 or
                     neuralnet.layer[conv1].convolution_conf.kernel=5;
                     a repeated field takes a,b,c, and gpu+=1 appends; any number of times;
                     a comma within one of the values is \,
  -plugin FILE       a shared library with layers, updaters, ... that the job uses, as the job's
                     plugin field names them; any number of times. Known wherever -set is
  -singa_conf FILE   settings of the installation: a SingaProto in text format
  -singa_job N       number of the job
  -host HOST         address by which other processes reach this one; default localhost
  -v                 say more; -v=1 and other flags of glog (-logtostderr, ...) work
                     too; ckpt, data, export and predict take them before their name
)";

constexpr const char* kClosing = R"(
Results go to stdout, everything else to stderr. Exit codes:
    0  done                             74  reading or writing failed, disk full
    1  a bug of singa                   77  permission or authentication
    2  wrong usage                      78  invalid configuration
   65  damaged data or checkpoint       79  diverged: a loss, gradient or score is not finite
   66  an input file is missing        130, 143  stopped by a signal; -resume goes on
   69  a device is not there           170  a peer was lost; -resume will help
   73  a file cannot be created        171  no progress
  128 and above: the same command may be tried again.
)";

struct Page {
  const char* name;
  const char* text;
};

constexpr std::array<Page, 8> kPages = {{
    {"train", R"(usage: singa train FILE [-resume] [-test] [-set PATH=VALUE]...

Trains the job that FILE describes: the same as `singa -conf FILE`, with the same options, which
`singa --help` lists.
)"},
    {"check", R"(usage: singa check [-v] [-test] [-set PATH=VALUE]... FILE

Checks a job as training would, and shows every mistake with its line and column. Of the data it
reads what small stores say of themselves and their first records; of checkpoint_path's files the
headers. A sound job shows its layers with shapes, its parameters, where their first values come
from, and its memory.

  -test   judge the job as one that is run with -test
  -v      also how gradients become updates, and the kernels of every layer that has some: plain,
          vector or a library's

Exit code 0: the job is sound, perhaps with warnings; 65: a file contradicts it or is damaged;
66: no such file; 78: it has mistakes.
)"},
    {"graph", R"(usage: singa graph [-test] [-set PATH=VALUE]... FILE

Prints the net of the training phase in the language of graphviz:
  singa graph job.conf | dot -Tsvg > net.svg

  -test   the net of the test phase
  -svg    as a picture, by Graphviz's dot
)"},
    {"ckpt",
     R"(usage: singa ckpt ls PATH       what checkpoints there are
       singa ckpt verify PATH   recompute all checksums, and look for values that are nan or inf
       singa ckpt export [-format safetensors|blobprotos] PATH OUT
                                the parameters as one file

PATH is a workspace, its folder of checkpoints, one checkpoint's folder, a .safetensors file, or a
file of SINGA 0.3. Of several checkpoints export takes the newest that is intact.

Exit code 0: sound, or listed by ls, which marks what is damaged; 65: damaged, or with values that
are nan or inf, which export does not write; 66: not there.
)"},
    {"export",
     R"(usage: singa export onnx -conf FILE [-checkpoint PATH] [-layer NAME] [-set PATH=VALUE]...
                         OUT.onnx

Writes the net of the test phase with the parameters of a checkpoint as an ONNX model, opset 17.

  -checkpoint PATH   whatever checkpoint_path takes: a workspace, whose newest intact checkpoint is
                     taken, a folder step<N>, a .safetensors file, or a file of SINGA 0.3;
                     if not given, the job's workspace, or else its checkpoint_path, which goes
                     first where -set gives it
  -layer NAME        the feature of this layer; else the scores that the loss reads and, where the
                     loss is a kSoftmaxLoss, as second output their softmax

The input has the name of the input layer and takes records as a store holds them: pixels from 0 to
255 as float, (N, channels, height, width), N free. Mean, scale and cut of the job are part of the
model; its metadata tells them too. Outputs have their layers' names. conf/guide/onnx.md lists
the layers that have a form in ONNX. A net on a text takes indices of characters, int64, (T, N), and
gives (T, N, k), N and in most nets T free; a state that carry_state keeps goes in as NAME.state and
comes out as NAME.next_state.

Exit code 65: the checkpoint is damaged, or lacks parameters; 78: the job has mistakes, or a layer
that ONNX has no form for.
)"},
    {"doctor", R"(usage: singa doctor [-json]

Prints what this build and this machine have, a line each: versions, processor, cores, threads,
memory, limits, disk, clock, GPU, programs. A line is ok, warn or FAIL; below one that is not ok
stands what to do about it. Start it where the job will run, in its folder.

  -json   one JSON object: {"ok":true,"checks":[{"name":"cores","status":"ok","value":"2"},...]}

Exit code 0: a job can run here, perhaps with warnings; 69: none can.
)"},
    {"version", R"(usage: singa version, or singa --version

Prints the version and how this program was built. The build id is a hash, made by the linker, of
the library's machine code: programs with one build id compute the same.
)"},
    {"bench", R"(usage: singa bench [-steps N] [-synthetic] [-json] [-set PATH=VALUE]... FILE

Trains a job for some steps and prints where the time goes. It keeps nothing and writes no file.

  -steps N     measured steps, after 5 that are not; if not given 50, or as many as fit into 10 s
  -synthetic   noise in place of the job's data; taken, too, where a file of it is missing
  -json        one JSON object a line: each layer's, then the step's

Every time is a median of its own, so columns add up only nearly.
  update        of the params that the layer is the last to use
  GFLOP/s       nominal: 2 for each product that is added to a sum; gradients that nobody needs
                are not computed and do not count. % of peak: of what the same threads reach that
                multiply and add in registers alone
  GB/s          each tensor that a step must read or write counted once, caches or not
  late updates  those that wait for the whole backward pass: clip_norm, on_nonfinite: kSkip
  overhead      what a step takes beside its layers, updates and waiting
With noise the learning rate is next to 0, so that nothing diverges.
)"},
}};

}  // namespace

std::span<const Subcommand> Subcommands() { return kSubcommands; }

const Subcommand* FindSubcommand(const std::string& name) {
  const auto it = std::find_if(kSubcommands.begin(), kSubcommands.end(),
                               [&](const Subcommand& known) { return name == known.name; });
  return it == kSubcommands.end() ? nullptr : &*it;
}

std::string NearestSubcommand(const std::string& name) {
  std::vector<std::string> names;
  for (const Subcommand& known : kSubcommands) names.emplace_back(known.name);
  return DidYouMean(name, names);
}

std::string Help(const std::string& subcommand) {
  if (subcommand == "data") return DataHelp();
  if (subcommand == "predict") return PredictHelp();
  for (const Page& page : kPages)
    if (subcommand == page.name) return page.text;
  std::string text = Usage() + kMain + "\nSubcommands:\n";
  for (const Subcommand& known : kSubcommands) {
    char line[120];
    std::snprintf(line, sizeof line, "  %-7s %-7s %s\n", known.name, known.operands, known.brief);
    text += line;
  }
  return text + kClosing;
}

std::string Usage() {
  std::string names;
  for (const Subcommand& known : kSubcommands)
    names += std::string(names.empty() ? "" : " ") + known.name;
  std::string usage = kUsage;
  constexpr std::string_view kNames = "%s";
  return usage.replace(usage.find(kNames), kNames.size(), names);
}

}  // namespace singa
