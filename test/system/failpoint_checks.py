"""Checks processes that die, stand still, wait or fail at a named place
(src/base/system/failpoint.h). A synchronous job then ends with the bytes of an undisturbed one."""

from case import check, equal, has, learned, same_bytes, true
from group_checks import LARGE
from job import ADAM, mlp
from process_checks import APART, processes

# Two processes, each a worker and a server; the first weight is sent in dozens of slices.
ARGS = processes(2, APART, "cluster.nservers_per_group=2")
SETTINGS = "train_steps: 30 disp_freq: 1 checkpoint_freq: 10 checkpoint_keep: 1 seed: 3"


def start(case, failpoints, *args, workspace):
    return case.start_program(["env", f"SINGA_FAILPOINTS={failpoints}", case.site.binary, "-conf",
                               "job.conf", *args, "-set", f"cluster.workspace={workspace}"])


def write_job(case):
    case.write("job.conf", mlp(case.site.data, SETTINGS, updater=ADAM, **LARGE))


def quiet(case):
    write_job(case)
    case.train("job.conf", *ARGS, workspace="quiet")


def expect_the_quiet_end(case, workspace):
    same_bytes(case.newest(workspace), case.newest("quiet"))
    equal(case.steps(workspace), case.steps("quiet"), "checkpoints")
    equal(learned(case.rows(workspace, "train")), learned(case.rows("quiet", "train")), "rows")


def survives(case, point, rank, action, *args, lost):
    """Disturbs a job, which must survive. `lost`: a text that stderr must have, too."""
    workspace = f"{point}{rank}"
    job = start(case, f"{point}/{rank}={action}", *ARGS, *args, workspace=workspace).end(0)
    has(job.err, f"singa: failpoint {point}: {action.split('@')[0]}, pass ", "stderr")
    has(job.err, lost, "stderr")
    expect_the_quiet_end(case, workspace)
    return job


def survives_death(case, point, rank, number, then="go on from the last checkpoint"):
    return survives(case, point, rank, f"kill@{number}",
                    lost=f"process {rank} was lost (signal 9); all {then} (restart 1 of ")


@check
def a_process_may_die_within_a_step(case):
    quiet(case)
    for point, number in {"server_applied_update": 500, "client_pushed_gradient": 1200,
                          "stub_got_message": 250, "follower_told": 9}.items():
        for rank in ((1,) if point == "follower_told" else (0, 1)):
            survives_death(case, point, rank, number)


@check
def a_process_may_die_before_the_first_checkpoint(case):
    quiet(case)
    for point, rank, number in (("server_applied_update", 0, 20), ("client_pushed_gradient", 1, 20),
                                ("group_begins", 0, 1), ("group_begins", 1, 1)):
        job = survives_death(case, point, rank, number, then="start again")
        has(job.err, "no checkpoint to resume from", "stderr")


@check
def the_first_process_may_die_during_a_checkpoint(case):
    quiet(case)
    for point, step in {"leader_collected": 10, "checkpoint_before_rename": 10,
                        "checkpoint_after_rename": 20, "checkpoint_before_removal": 20}.items():
        number = 1 if point == "checkpoint_before_removal" else 2  # the second has an old one
        job = survives_death(case, point, 0, number)
        has(job.err, f"checkpoint/step{step} at step {step}", "stderr")


@check
def a_process_may_die_while_the_job_begins(case):
    quiet(case)
    for rank in (0, 1):
        # An earlier run in the same place must not be taken for this one.
        case.train("job.conf", *ARGS, "-set", "seed=4", "-set", "train_steps=20",
                   workspace=f"rendezvous_heard{rank}")
        survives_death(case, "rendezvous_heard", rank, 1, then="start again")


@check
def a_process_may_die_when_the_job_has_ended(case):
    quiet(case)
    survives_death(case, "leader_ended", 0, 1)
    # Rank 0 may end before the loss is noticed.
    survives(case, "follower_ended", 1, "kill", lost="")


@check
def a_process_that_stands_still_within_a_step_is_replaced(case):
    quiet(case)
    survives(case, "server_applied_update", 0, "stop@500", "-set", "cluster.peer_timeout=3",
             lost="process 1 lost contact with another process (exit code 170); all go on "
                  "from the last checkpoint")


@check
def delays_change_no_byte(case):
    quiet(case)
    passes = {"server_applied_update": 500, "client_pushed_gradient": 700, "stub_got_message": 150,
              "rendezvous_heard": 1, "group_begins": 1, "follower_told": 9, "follower_ended": 1,
              "leader_ended": 1, "leader_collected": 1, "checkpoint_before_rename": 1,
              "checkpoint_after_rename": 1, "checkpoint_before_removal": 1}
    delays = ",".join(f"{point}=delay:150@{number}" for point, number in passes.items())
    job = start(case, delays, *ARGS, workspace="delayed").end(0)
    for point in passes:
        has(job.err, f"singa: failpoint {point}: delay, pass ", "stderr")
    expect_the_quiet_end(case, "delayed")


@check
def a_job_that_has_nothing_left_to_do_waits_for_those_who_begin(case):
    """Rank 0, with its servers, must not end before the other process has their values. Otherwise
    that process would wait until the supervisor's 10 s are over."""
    write_job(case)
    case.train("job.conf", *ARGS)
    failpoints = "group_begins/1=delay:500,follower_ended/1=delay:0"
    job = start(case, failpoints, *ARGS, "-resume", workspace="ws").end(0)
    has(job.err, "failpoint follower_ended", "stderr: the other process was killed")


@check
def an_error_at_any_place_ends_the_job_and_is_named(case):
    write_job(case)
    for place in ("server_applied_update/0=error@300", "server_applied_update/1=error@300",
                  "client_pushed_gradient/0=error@300", "client_pushed_gradient/1=error@300",
                  "follower_told/1=error@10", "leader_collected/0=error",
                  "checkpoint_before_rename/0=error"):
        equal(len(errors_of(case, place)), 1, f"{place}: errors")


def errors_of(case, place, *args):
    job = start(case, place, *ARGS, *args, workspace="failed").end(74)
    errors = [line for line in job.err.splitlines() if line.startswith("singa: error: ")]
    true(errors, f"{place}: no error in:\n{job.err}")
    has(errors[0], f"failpoint {place.split('/')[0]}", place)
    return errors


@check
def a_process_that_cannot_tell_its_error_shows_it(case):
    write_job(case)
    for place in ("stub_got_message/1=error@100", "rendezvous_heard/0=error"):
        # The other process ends when it has heard nothing for 3 s.
        errors_of(case, place, "-set", "cluster.peer_timeout=3")


@check
def a_failpoint_that_cannot_be_read_is_a_usage_error(case):
    write_job(case)
    job = start(case, "server_aplied_update=kill", *ARGS, workspace="none").end(2)
    has(job.err, 'SINGA_FAILPOINTS: there is no failpoint "server_aplied_update"; did you mean '
        '"server_applied_update"?', "stderr")
