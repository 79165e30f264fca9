"""Checks that errors give advice: which command works, which option is wrong, how to continue."""
from case import check, has, true
from checkpoint_checks import trained
from meeting_checks import sets, start
from process_checks import APART, processes


@check
def a_folder_of_idx_files_names_the_file_to_read(case):
    folder = case.site.data
    for words in (["stat", folder], ["convert", folder, "x.bin"]):
        err = case.run("data", *words, code=65).err
        has(err, f"{folder}: is a folder with files of idx; name one of them: "
                 f"{folder}/t10k-images-idx3-ubyte", f"stderr of {words[0]}")
    case.run("data", "stat", f"{folder}/t10k-images-idx3-ubyte")


@check
def an_error_of_a_guessed_format_names_the_guess(case):
    case.write("a.csv", "0,1\n0,x\n")
    guess = "; read as textfile, as its content seems to be: -from FORMAT names another format; "
    has(case.run("data", "stat", "a.csv", code=65).err, 'a.csv:2: record 1: number 1 in column 2 is "x"; '
        "on_bad_record: kSkip (singa data: -max_bad N) leaves such records out; "
        f"every column but the label must hold numbers, or be described in columns: singa data stat prints them{guess}"
        "-label_column C says which column is the label, -targets N that N columns are targets, "
        "-no_labels that there is no label", "stderr")
    for flags in (["-label_column", "1"], ["-from", "textfile"]):
        err = case.run("data", "stat", *flags, "a.csv", code=65).err
        true("seems to be" not in err, f"a guess in spite of {flags}")
    err = case.run("data", "stat", "-from", "textfile", "a.csv", code=65).err
    true("read as" not in err, f"a guess that was none:\n{err}")
    trained(case)
    case.write("b.csv", "x,1\n")
    has(case.run("predict", "-conf", "job.conf", "b.csv", code=65).err,
        f"{guess}label_column, num_targets and separator of the job's store_conf", "stderr of predict")


@check
def an_unknown_format_lists_those_that_there_are(case):
    case.write("a.csv", "0,1\n")
    all_of = "There are cifar10, idx, imagefolder, imagelist, kvfile, lmdb, shard, synthetic, textfile"
    has(case.run("data", "stat", "-from", "csv", "a.csv", code=2).err,
        f'-from: no such backend: "csv"; did you mean "textfile"? {all_of}', "stderr of -from")
    has(case.run("data", "convert", "-to", "mnist", "-no_labels", "a.csv", "b", code=2).err,
        'cannot write "mnist"; did you mean "idx"? There are cifar10, idx, imagefolder, kvfile, ',
        "stderr of -to")


@check
def a_layer_that_predict_does_not_find_is_the_options_mistake(case):
    trained(case)
    idx = case.site.data / "t10k-images-idx3-ubyte"
    err = case.run("predict", "-conf", "job.conf", "-layer", "nonsense", idx, code=2).err
    has(err, 'singa: error: -layer: no layer "nonsense" in this phase; there are data, fc1, relu, '
             "drop, fc2, loss\n", "stderr")
    err = case.run("export", "onnx", "-conf", "job.conf", "-layer", "nonsense", "a.onnx",
                   code=2).err
    has(err, "-layer nonsense: the test phase has no such layer; there are data, fc1, ", "export")


@check
def what_is_no_checkpoint_is_told_what_one_is(case):
    trained(case)
    idx = case.site.data / "t10k-images-idx3-ubyte"
    out = case.run("predict", "-conf", "job.conf", idx).out
    case.write("predictions.csv", out)
    err = case.run("predict", "-conf", "job.conf", "-checkpoint", "predictions.csv", idx,
                   code=65).err
    has(err, "; a checkpoint is a workspace, a folder step<N>, a .safetensors file or a file of "
             "SINGA 0.3", "stderr")


@check
def a_job_that_may_be_tried_again_says_from_where_it_goes_on(case):
    trained(case)
    advice = "; to continue, type the same command with -resume; it starts from ws/checkpoint/step10\n"
    words = (*processes(2, APART), *sets(start_timeout=2), "-set", "train_steps=20")
    has(start(case, *words, "-resume", rank=0).end(170).err, advice, "stderr of a job alone")
    err = start(case, *words, rank=0, workspace="none").end(170).err
    true("-resume" not in err, f"there is nothing to go on from:\n{err}")


@check
def a_disk_that_refuses_is_told_of_the_file_that_was_to_be(case):
    trained(case)
    for words in (["ckpt", "export", "ws/checkpoint/step10", "/proc/x.safetensors"],
                  ["export", "onnx", "-conf", "job.conf", "/proc/x.onnx"],
                  ["data", "convert", case.site.data / "t10k-images-idx3-ubyte", "/proc/x.csv"]):
        job = case.start(*words).end()
        true(job.popen.returncode in (73, 74, 77), f"exit code {job.popen.returncode}")
        has(job.err, f"{words[-1]}: cannot create", f"stderr of {words[0]}")
        true(".tmp" not in job.err, f"a temporary name:\n{job.err}")
