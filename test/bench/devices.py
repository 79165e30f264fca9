"""Describes the CPU and a GPU for vs_torch.py: nets, settings of a job, variants of PyTorch, peak
speeds, targets.

This is no script of its own.
"""
import collections

import gpu
import singa_job

# least: targets on the CPU and on a GPU, as singa's speed over PyTorch's; 0: no target. compiled: the
# target over torch.compile on the CPU; 0: it is not run there. memory: at most so much of PyTorch's
# there.
Net = collections.namedtuple("Net", "name batch least pictures compiled memory", defaults=(0, 0.8))
NETS = {"cnn": Net("MNIST CNN", 64, (1.5, 2), True),
        "mlp": Net("MNIST MLP", 64, (1.5, 2), False),
        "cifar": Net("cuda-convnet on CIFAR", 100, (1.5, 2), True),
        "alexnet": Net("AlexNet", 256, (1.2, 1.2), True),
        "rbm": Net("RBM 784-1000", 100, (1, 2), False),
        "gru": Net("GRU-512 on characters, 50 steps", 50, (1, 0), False),
        "resnet": Net("ResNet-20", 128, (1.5, 0), True, 1.2, 0.5),
        "gpt": Net("GPT of 4 x 128, 64 steps", 12, (1.5, 0), False, 1.2, 0.5),
        "gpt_large": Net("GPT of 6 x 160, 256 steps", 6, (1.5, 0), False, 1.2, 0.5)}
EAGER, COMPILED = "PyTorch", "PyTorch, compiled"  # targets compare with these sides


class OnCpu:
    section = "vs_torch"
    trial_steps = 2
    heads = []

    def __init__(self, threads):
        self.threads = threads
        self.name = f"{threads} thread{'s' if threads > 1 else ''}"

    def batch(self, net):
        return 32 if net == "alexnet" else NETS[net].batch

    def sets(self, net):
        return [f"num_openblas_threads={self.threads}",
                *singa_job.batch_sets(net, self.batch(net))]

    def torch_sides(self, net):
        """Returns the options of torch_job.py for each side."""
        options = [f"--threads={self.threads}", f"--batch={self.batch(net)}"]
        sides = {EAGER: options}
        if NETS[net].pictures:
            sides["PyTorch, channels_last"] = [*options, "--channels_last"]
        if NETS[net].compiled:
            layout = ["--channels_last"] if NETS[net].pictures else []
            sides[COMPILED] = [*options, *layout, "--compile=default"]
        return sides

    def started(self, start, _):
        """Returns the side that `start` makes, and figures that need a round of their own."""
        return start(), {}

    def gflops(self, binary, net, folder, _):
        """Returns (GFLOP of a step, GFLOP/s that the device does at most)."""
        return singa_job.bench(binary, net, folder, self.sets(net))

    def note(self):
        return ""

    def cells(self, _):
        return []

    def missed(self, net, lines):
        slow = COMPILED in lines and lines[COMPILED]["ratio"] < NETS[net].compiled
        return slow or lines[EAGER]["ratio"] < NETS[net].least[0] or \
            lines["singa"]["mib"] > NETS[net].memory * lines[EAGER]["mib"]


class OnGpu:
    trial_steps = 20
    heads = ["busy"]
    # The job's word for each precision of vs_torch.py and PyTorch.
    precisions = {"tf32": "kTF32", "bfloat16": "kBFloat16", "float16": "kFloat16"}

    def __init__(self, number, precision, eager):
        self.number, self.precision, self.eager = number, precision, eager
        self.name = f"GPU {number}"
        self.section = "vs_torch gpu"
        if precision != "tf32":
            self.name += f", {precision}"
            self.section += f" {precision}"
        self.peaks = {}

    def batch(self, net):
        return NETS[net].batch

    def sets(self, net):
        # One thread cannot decode pictures of AlexNet's size in time.
        threads = ["neuralnet.layer[data#0].store_conf.decode_threads=8"]
        return [f"gpu={self.number}", f"precision={self.precisions[self.precision]}",
                *(threads if net == "alexnet" else [])]

    def torch_sides(self, net):
        layout = ["--channels_last"] if NETS[net].pictures else []
        sides = {EAGER: []}
        if not self.eager:
            sides |= {COMPILED: [*layout, "--compile=default"],
                      "PyTorch, compiled, CUDA graphs": [*layout, "--compile=reduce-overhead"]}
        if layout:
            sides["PyTorch, channels_last"] = layout
        own = [f"--gpu={self.number}"]
        if self.precision != "tf32":
            own.append(f"--autocast={self.precision}")
        return {side: [*own, *options] for side, options in sides.items()}

    def started(self, start, seconds):
        with gpu.Watch(self.number) as watch:
            side = start()
            answer = side.round(seconds)
        return side, {"mib": watch.mib(), "busy": watch.busy(answer["from"], answer["to"])}

    def gflops(self, binary, net, folder, torch):
        self.peaks = torch.ask("peak")["gflops"]
        return singa_job.bench(binary, net, folder, [])[0], self.peaks[self.precision]

    def note(self):
        speeds = ", ".join(f"{speed / 1e3:.0f} in {name}" for name, speed in self.peaks.items())
        return (f" {gpu.describe(self.number)}; products of large matrices, in PyTorch, TFLOP/s: "
                f"{speeds}.")

    def cells(self, line):
        return [f"{line['busy']:.0%}"]

    def missed(self, net, lines):
        return lines[EAGER]["ratio"] < NETS[net].least[1]
