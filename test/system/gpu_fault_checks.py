"""Checks GPUs that are lost, or never answer, in the middle of a job. They are emulated
(test/support/emulated_singa.cc)."""
import re

from case import check, equal, has, same_bytes, true
from group_checks import OFTEN, workers
from gpu_group_checks import ALL_REDUCE, start, train, two
from job import ADAM, mlp
from process_checks import APART, processes

LOST = "the emulated GPU is lost"
STILL = "cluster.stall_timeout=2"


def ends(case, job, workspace, code):
    """Expects that the job has trained for a while, and ends with `code`. Returns its stderr."""
    job.end(code)
    true(case.steps(workspace), "it has no checkpoint")
    return job.err


@check
def a_gpu_that_is_lost_ends_its_job_which_goes_on_to_the_same_bytes(case):
    case.write("job.conf", mlp(case.site.data, OFTEN, updater=ADAM, batch=48))
    train(case, gpus="0")
    job = start(case, workspace="lost", gpus="0", SINGA_GPUS_FAIL="lost:3000")
    has(ends(case, job, "lost", 69), LOST, "stderr")
    train(case, "-resume", workspace="lost", gpus="0")
    same_bytes(case.newest("lost"), case.newest())


@check
def a_gpu_that_one_of_two_processes_loses_ends_the_job_which_goes_on_to_the_same_bytes(case):
    case.write("job.conf", mlp(case.site.data, OFTEN, updater=ADAM, batch=48))
    # The GPUs add the gradients up, or servers do.
    for name, args, ranks in (("gpus", two(), (0, 1)), ("served", processes(2, APART), (1,))):
        train(case, *args, workspace=name)
        for rank in ranks:
            lost = f"{name}-{rank}"
            job = start(case, *args, workspace=lost, SINGA_GPUS_FAIL=f"lost:3000/{rank}")
            err = ends(case, job, lost, 69)
            equal(err.count(LOST), 1, f"namings in {err}")
            true("restart" not in err, f"a restart would not help: {err}")
            train(case, "-resume", *args, workspace=lost)
            same_bytes(case.newest(lost), case.newest(name))


@check
def a_lost_gpu_ends_a_job_whose_other_gpu_does_not_answer(case):
    case.write("job.conf", mlp(case.site.data, OFTEN, batch=48))
    jobs = {f"ws{groups}": start(case, *workers(2 // groups, groups), workspace=f"ws{groups}",
                                 SINGA_GPUS_FAIL="first:2000") for groups in (1, 2)}
    for workspace, job in jobs.items():
        has(ends(case, job, workspace, 69), f"{LOST}; a thread of the job did not come back",
            "stderr")
    train(case, "-resume", *workers(2), workspace="ws1")


@check
def a_gpu_that_never_answers_is_a_stall(case):
    case.write("job.conf", mlp(case.site.data, OFTEN, batch=48))
    jobs = {"alone": workers(1), "groups": workers(1, 2),
            "served": processes(2, APART, "cluster.max_restarts=0")}
    for name, args in jobs.items():
        job = start(case, *args, "-set", STILL, workspace=name, SINGA_GPUS_FAIL="still:3000")
        err = ends(case, job, name, 171)
        where = re.findall(r"worker \d of group \d.* has stood still for \d+\.\d s (.*), step \d+",
                           err)
        equal(len(where), 1, f"namings in {err}")
        case.note += f"{name}: {where[0]}; "


@check
def a_group_one_of_whose_gpus_never_answers_gives_up(case):
    """The group gives up after 13 s. A worker that stands still by itself would be named before.
    Then 8 s remain for threads to return."""
    case.write("job.conf", mlp(case.site.data, OFTEN, batch=48))
    jobs = {"threads": start(case, *workers(2), "-set", STILL, workspace="threads",
                             SINGA_GPUS_FAIL="still:3000"),
            "processes": start(case, *two(STILL, "cluster.max_restarts=0"), workspace="processes",
                               SINGA_GPUS_FAIL="still:3000/1")}
    for name, job in jobs.items():
        has(ends(case, job, name, 171),
            "waits in vain: a sum of the 2 workers' GPUs has not come for 13 s", "stderr")
    for name, args in (("threads", workers(2)), ("processes", two())):
        train(case, "-resume", *args, workspace=name)
    same_bytes(case.newest("threads"), case.newest("processes"))
