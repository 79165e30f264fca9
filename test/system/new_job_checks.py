"""Checks jobs that `singa new job` makes of tables and of folders of pictures."""
import random
import shlex
import shutil
import subprocess

from case import check, equal, has, true


def write_table(case, name, header, rows):
    case.write(name, "".join(f"{','.join(map(str, row))}\n" for row in [header, *rows]))


def customers(count=300):
    """Returns rows with an id, gaps, words and dates; the label follows from age and city."""
    draw = random.Random(7)
    rows = []
    for i in range(count):
        age, city = draw.randint(18, 80), draw.choice(["Oslo", "Rome", "New York"])
        income = draw.choice(["", "NA", "-", "#N/A", draw.randint(20, 90) * 1000])
        day = f"2024-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
        rows.append([4000 + i, age, income, city, day, "gold" if age > (30 if city == "Rome" else 50) else "silver"])
    return rows


def houses(count=300):
    """Returns rows whose price, near 300000, follows from the numbers and words before it."""
    draw = random.Random(8)
    rows = []
    for _ in range(count):
        area, rooms, city = draw.uniform(30, 200), draw.randint(1, 6), draw.choice(["Oslo", "Rome"])
        price = 150000 + 1200 * area + 8000 * rooms + (60000 if city == "Oslo" else 0) + draw.gauss(0, 5000)
        rows.append([f"{area:.1f}", rooms, city, round(price)])
    return rows


def make(case, *args):
    """Makes a job, which must pass the check without a warning, and trains it."""
    made = case.run("new", "job", *args)
    equal(made.out, "", "stdout of new job")
    checked = case.run("check", "-conf", f"{args[-1]}/job.conf")
    equal(checked.err, "", "the warnings of a check")
    has(made.err, f"singa -conf {shlex.quote(args[-1] + '/job.conf')}\n", "the commands to type")
    true("warning" not in case.run("-conf", f"{args[-1]}/job.conf").err, "the training warns")
    return made


def number(report, name):
    """Returns the number behind a name that begins a line of a report."""
    line = next(line for line in report.splitlines() if line.startswith(name))
    return float(line.split()[-1])


@check
def a_table_becomes_a_job_that_learns_its_classes(case):
    header = ["id", "age", "income", "city", "day", "rank"]
    write_table(case, "t.csv", header, customers())
    made = make(case, "t.csv", "job")
    for text in ('the label is column 6, "rank", the last one', "2 classes: gold, silver",
                 'column "id": left out, because it seems to be an id', 'column "city": 3 words',
                 'column "day": left out', "wrote job/train.csv: 240 records", "wrote job/test.csv: 60 records"):
        has(made.err, text, "what new job prints")
    report = case.run("predict", "-conf", "job/job.conf", "-checkpoint", "job/run/checkpoint/best", "-report",
                      "job/test.csv").out
    true(number(report, "accuracy") >= 0.9, report)
    write_table(case, "new.csv", header[1:4], [[75, "-", "Rome"], [19, 50000, "New York"]])
    told = case.run("predict", "-conf", "job/job.conf", "-topk", "1", "new.csv").out.splitlines()
    equal([line.split(",")[2] for line in told[1:]], ["gold", "silver"], "the predicted classes")


@check
def a_table_of_prices_becomes_a_job_that_predicts_them(case):
    write_table(case, "t.tsv", ["area", "rooms", "city", "price"], houses())
    case.write("t.tsv", case.path("t.tsv").read_text().replace(",", "\t"))
    made = make(case, "t.tsv", "my jobs/houses")
    has(made.err, "so the net learns to predict a number", "what new job prints")
    has(made.err, "singa predict -conf 'my jobs/houses/job.conf' -checkpoint 'my jobs/houses/run/checkpoint/best' "
        "-report 'my jobs/houses/test.csv'", "the commands")
    report = case.run("predict", "-conf", "my jobs/houses/job.conf", "-report", "my jobs/houses/test.csv").out
    true(number(report, "price") > 0.8, f"R2 is too small:\n{report}")
    case.write("new.tsv", "area\trooms\tcity\n100\t3\tOslo\n")
    told = case.run("predict", "-conf", "my jobs/houses/job.conf", "new.tsv").out.splitlines()
    price = float(told[1].split(",")[2])
    true(abs(price - 354000) < 40000, f"the price is {price}")


@check
def a_column_that_is_left_out_is_not_needed_in_new_rows(case):
    write_table(case, "t.csv", ["id", "age", "income", "city", "day", "rank"], customers())
    made = make(case, "-leave_out", "income,1", "t.csv", "job")
    has(made.err, 'column "income": left out, because -leave_out names it', "what new job prints")
    write_table(case, "new.csv", ["city", "age"], [["Rome", 75], ["Oslo", 19]])
    told = case.run("predict", "-conf", "job/job.conf", "-topk", "1", "new.csv").out.splitlines()
    equal([line.split(",")[2] for line in told[1:]], ["gold", "silver"], "the predicted classes")


@check
def targets_of_any_size_are_learned_side_by_side(case):
    draw = random.Random(9)
    rows = []
    for _ in range(300):
        a, b = draw.random(), draw.random()
        rows.append([f"{a:.4f}", f"{b:.4f}", round(300000 + 90000 * (a - b)), f"{a * b:.5f}"])
    write_table(case, "t.csv", ["a", "b", "price", "share"], rows)
    make(case, "-targets", "2", "t.csv", "job")
    report = case.run("predict", "-conf", "job/job.conf", "-report", "job/test.csv").out
    true(number(report, "price") > 0.8 and number(report, "share") > 0.8, report)


@check
def a_folder_of_pictures_becomes_a_job(case):
    case.run("data", "convert", f"{case.site.data}/t10k-images-idx3-ubyte", "t10k.tar")
    case.path("all").mkdir()
    subprocess.run(["tar", "-xf", case.path("t10k.tar"), "-C", case.path("all")], check=True)
    for digit, name in ((0, "a nought"), (1, "one"), (7, "seven")):
        shutil.copytree(case.path(f"all/0000{digit}"), case.path(f"pics/{name}"))
    made = case.run("new", "job", "pics/", "job")
    has(made.err, "3 classes: a_nought, one, seven", "what new job prints")
    equal(case.run("check", "-conf", "job/job.conf").err, "", "the warnings of a check")
    case.run("-conf", "job/job.conf", "-set", "train_epochs=5")
    report = case.run("predict", "-conf", "job/job.conf", "-report", "job/test.list").out
    true(number(report, "accuracy") >= 0.9, report)
    case.write("new/1.png", next(case.path("pics/a nought").iterdir()).read_bytes())
    told = case.run("predict", "-conf", "job/job.conf", "-topk", "1", "new/1.png").out.splitlines()
    equal(told[1].split(",")[2], "a_nought", "the predicted class")
