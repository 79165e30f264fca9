#!/usr/bin/env python3
"""Opens the page of `singa board` in headless Chromium: a job trains, and its curves grow.

usage: /usr/bin/python3 test/system/board_page.py BINARY [-shots FOLDER]

Needs chromium, chromium-driver and python3-selenium. With -shots, pictures of the page are kept.
"""
import argparse
import collections
import json
import pathlib
import re
import shutil
import sys
import tempfile
import time

import case
from case import equal, true
from job import mlp

LIMIT_S = 60
HOSTILE = "</script><img src=x onerror=alert(1)>"
FOLDER = HOSTILE.replace("/", "")
TABS = ["ranks", "net", "checkpoints", "plan", "log", "job"]
CONTROLS = ["theme", "help", "log", "smooth", "panel", "INPUT:radio", "INPUT:checkbox", "plot"]
Site = collections.namedtuple("Site", "binary root data")


class Page:
    """Page is the board in a browser. `url`: its address."""

    def __init__(self, url):
        from selenium import webdriver
        options = webdriver.ChromeOptions()
        for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.browser = webdriver.Chrome(options=options)
        self.url = url
        self.console = []
        self.look(1280, 900)
        self.browser.get(url)

    def look(self, width, height, scheme="light"):
        """Sets the size of the window, and what the system prefers."""
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def js(self, text, *args):
        return self.browser.execute_script(f"return {text}", *args)

    def text(self, selector):
        return self.js("[...document.querySelectorAll(arguments[0])].map((e) => e.textContent).join('|')", selector)

    def until(self, fact, what):
        """Waits until fact() holds, and returns its value."""
        end = time.monotonic() + LIMIT_S
        while not (found := fact()):
            true(time.monotonic() < end, f"{what}: not within {LIMIT_S} s\n{self.js('document.body.innerText')[:3000]}")
            time.sleep(0.05)
        return found

    def key(self, key):
        from selenium.webdriver import ActionChains
        ActionChains(self.browser).send_keys(key).perform()

    def tab(self, name):
        self.browser.find_element("id", f"tab-{name}").click()
        self.until(lambda: self.text("#panel") not in ("", "Loading."), f"tab {name}")

    def points(self, chart):
        """Returns the pixels that a chart's lines have."""
        return self.js("""[...document.querySelectorAll('.chart')].filter((figure) =>
            figure.querySelector('h3').textContent === arguments[0]).map((figure) => {
              const drawn = figure.querySelector('canvas');
              if (!drawn) return 0;
              const copy = drawn.cloneNode();
              const pen = copy.getContext('2d', {willReadFrequently: true});
              pen.drawImage(drawn, 0, 0);
              const data = pen.getImageData(0, 0, copy.width, copy.height).data;
              let colored = 0;
              for (let i = 0; i < data.length; i += 4)
                colored += data[i + 3] > 0 && Math.max(data[i], data[i + 1], data[i + 2]) -
                           Math.min(data[i], data[i + 1], data[i + 2]) > 60;
              return colored;
            })[0] || 0""", chart)

    def newest_step(self, chart):
        """Returns the step at the right end of a chart, to which the keyboard moves the cursor."""
        self.js("""[...document.querySelectorAll('.chart')].find((figure) =>
            figure.querySelector('h3').textContent === arguments[0]).querySelector('.plot').focus()""", chart)
        self.key("\ue014")  # right
        return int(re.search(r"step (\d+)", self.text(".at"))[1])

    def requests(self):
        """Returns the addresses that the page has asked for so far."""
        messages = (json.loads(entry["message"])["message"] for entry in self.browser.get_log("performance"))
        return [message["params"]["request"]["url"] for message in messages
                if message["method"] == "Network.requestWillBeSent"]

    def errors(self):
        return [entry["message"] for entry in self.browser.get_log("browser")]


def curves_grow_while_a_job_trains(page, job):
    page.until(lambda: page.points("loss") > 20, "a curve of the loss")
    first = page.until(lambda: page.newest_step("loss"), "a step at the cursor")
    page.until(lambda: page.newest_step("loss") > first, "a newer step at the cursor")
    true("running" in page.text(".state.live"), "no run is shown as running")
    titles = page.text(".chart h3").split("|")
    for title in ("loss", "accuracy", "Learning rate", "Samples per second", "Time of a step (ms)"):
        true(title in titles, f"no chart {title} among {titles}")
    true(job.running(), "the job ended before the page was looked at")


def settings_change_the_curves(page):
    page.js("document.getElementById('more').open = true")
    for axis, words in (("time", "time"), ("epoch", "epoch"), ("step", "step")):
        page.js("document.querySelector(`input[value=${arguments[0]}]`).click()", axis)
        page.until(lambda: page.points("loss") > 20, f"a curve over {words}")
    for _ in range(2):
        page.key("l")
        page.until(lambda: page.points("loss") > 20, "a curve in log scale")
    true("moving averages" in page.js("document.getElementById('smooth-note').textContent"), "no note on smoothing")


def the_keyboard_reaches_all_controls(page):
    page.js("document.activeElement.blur()")
    page.js("window.scrollTo(0, 0)")
    reached = set()
    for _ in range(60):
        page.key("\ue004")  # tab
        reached.add(page.js("""(({id, className, tagName, type}) => id ||
            (tagName === 'INPUT' ? `${tagName}:${type}` : className))(document.activeElement)"""))
    equal([name for name in CONTROLS if name not in reached], [], "controls that the keyboard does not reach")
    page.key("?")
    true(page.js("document.getElementById('keys').open"), "? shows no shortcuts")
    page.key("\ue00c")  # escape
    for number, name in enumerate(TABS, 1):
        page.key(str(number))
        equal(page.text("[aria-selected=true]").lower(), name, f"the tab of key {number}")


def details_are_shown(page):
    for name, words in (("net", ["fc1", "50 × 16", "a step in layers"]), ("checkpoints", ["w1", "784"]),
                        ("job", ["ws"])):
        page.tab(name)
        text = page.text("#panel")
        for word in words:
            true(word in text, f"tab {name} has no {word}: {text[:500]}")


def names_of_jobs_stay_text(page):
    for box in page.browser.find_elements("css selector", ".run button"):
        box.click()
        for name in TABS:
            page.tab(name)
    true(FOLDER in page.text(".run .name"), f"the name is not shown as it is: {page.text('.run .name')}")
    equal(page.js("document.querySelectorAll('img, main script').length"), 0, "elements that a name made")


def contrast(page, selector):
    """Returns the contrast of a text with what is behind it, as WCAG defines it."""
    return page.js("""((element) => {
      const light = (color) => color.match(/[\\d.]+/g).slice(0, 3).map((c) => c / 255)
        .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
        .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
      let behind = element;
      while (/, 0\\)$/.test(getComputedStyle(behind).backgroundColor)) behind = behind.parentElement;
      const a = light(getComputedStyle(element).color), b = light(getComputedStyle(behind).backgroundColor);
      return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    })(document.querySelector(arguments[0]))""", selector)


def light_and_dark_can_be_read(page, shots):
    seen = set()
    for scheme in ("light", "dark"):
        page.look(1280, 900, scheme)
        page.until(lambda: page.points("loss") > 20, f"a curve in the {scheme} theme")
        seen.add(page.js("getComputedStyle(document.body).backgroundColor"))
        for selector in ("h1", "#status", ".run .name", ".steps", ".left", ".chart h3", ".legend span", ".tabs button",
                         "[aria-selected=true]", ".segments input:checked + span", ".dygraph-axis-label"):
            found = contrast(page, selector)
            true(found >= 4.5, f"contrast of {selector} in the {scheme} theme: {found:.2f}")
        shots(page, scheme)
    equal(len(seen), 2, "backgrounds of two themes")


def a_phone_needs_no_horizontal_scrolling(page, shots):
    page.look(390, 844)
    for name in TABS:
        page.tab(name)
        equal(page.js("document.documentElement.scrollWidth"), 390, f"width of the page on a phone, tab {name}")
    page.tab("ranks")
    shots(page, "phone")


def an_ended_server_is_reported(page, board):
    board.kill()
    page.until(lambda: page.js("!document.getElementById('error').hidden"), "a message about the server")


def write_hostile_run(folder):
    """Writes a workspace whose names are hostile, with rows of ranks and of staleness."""
    folder.mkdir(parents=True)
    rows = []
    for step in range(0, 200, 10):
        for layer in ("loss", HOSTILE):
            rows.append({"time": 1e9 + step, "phase": "train", "step": step, "group": 0, "layer": layer,
                         "loss": 2 / (1 + step), HOSTILE: "nan" if step == 100 else 1.0, "step_ms": 20.0, "lr": 0.1,
                         "predicted_step_ms": 18.0, "staleness": [3, 2, 1], "staleness_mean": 0.7})
        for rank in range(4):
            rows.append({"time": 1e9 + step, "phase": "process", "step": step, "group": 0, "layer": "", "rank": rank,
                         "host": HOSTILE, "pid": 1, "workers": 1, "rows": 8, "step_ms": 40.0, "data_wait_ms": 1.0,
                         "compute_ms": 20.0 + 18 * (rank == 3), "sync_wait_ms": 19.0 - 18 * (rank == 3),
                         "bytes_sent": 1e6, "bytes_received": 1e6})
    (folder / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "visualization").mkdir()
    nodes = [{"id": HOSTILE, "label": f"{HOSTILE} -- shape: 2 3 ", "color": "black", "shape": "box"}]
    (folder / "visualization/train_net.json").write_text(json.dumps({"directed": 1, "nodes": nodes, "links": []}))
    (folder / "log").mkdir()
    (folder / "log/singa.INFO").write_text(f"I1129 22:00:00.000000 1 x.cc:1] {HOSTILE}\n")


def the_slowest_rank_is_named(page):
    page.browser.find_elements("css selector", ".run button")[1].click()
    page.tab("ranks")
    page.until(lambda: "Rank 3 on" in page.text(".finding"), "the slowest rank")
    true("is 18 ms slower than the median" in page.text(".finding"), page.text(".finding"))
    true("Staleness" in page.text("#panel h3"), "no histogram of staleness")
    for chart in (HOSTILE, "Staleness of updates"):
        page.js("""[...document.querySelectorAll('.chart')].find((figure) =>
            figure.querySelector('h3').textContent === arguments[0]).scrollIntoView()""", chart)
        page.until(lambda chart=chart: page.points(chart) > 0, f"lines in the chart {chart}")


def run_checks(one, shots):
    job = one.start_job(mlp(one.site.data, "train_steps: 10000000 disp_freq: 20 test_freq: 200 test_steps: 1 "
                                           "checkpoint_freq: 100 checkpoint_keep: 2"))
    job.wait_until(lambda: one.last_step() > 200, "rows")
    write_hostile_run(one.path(FOLDER))
    board = one.start("board", "ws", FOLDER)
    board.wait_until(lambda: "\n" in board.out, "its address")
    url = board.out.split()[0]
    page = Page(url)
    try:
        for check, more in ((curves_grow_while_a_job_trains, [job]), (settings_change_the_curves, []),
                            (the_keyboard_reaches_all_controls, []), (details_are_shown, []),
                            (the_slowest_rank_is_named, []), (light_and_dark_can_be_read, [shots]),
                            (a_phone_needs_no_horizontal_scrolling, [shots]), (names_of_jobs_stay_text, [])):
            check(page, *more)
            print(f"ok   {check.__name__}", flush=True)
        equal(page.errors(), [], "messages on the console")
        others = [asked for asked in page.requests() if not asked.startswith((url, "data:"))]
        equal(others, [], "requests to other places")
        an_ended_server_is_reported(page, board)
        print("ok   an_ended_server_is_reported")
    finally:
        page.browser.quit()


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("binary")
    parser.add_argument("-shots")
    options = parser.parse_args()
    try:
        import selenium  # noqa: F401
        missing = [name for name in ("chromium", "chromedriver") if not shutil.which(name)]
    except ImportError:
        missing = ["python3-selenium"]
    if missing:
        print(f"LEFT OUT: the page of singa board is not tested, as there is no {', '.join(missing)}", file=sys.stderr)
        return 0

    def shots(page, name):
        if options.shots:
            page.look(page.js("innerWidth"), min(6000, page.js("document.documentElement.scrollHeight")),
                      "dark" if name == "dark" else "light")
            time.sleep(1)  # the charts that came into view
            page.browser.save_screenshot(f"{options.shots}/{name}.png")

    with tempfile.TemporaryDirectory(prefix="singa-board-") as folder:
        site = Site(pathlib.Path(options.binary).resolve(), pathlib.Path(__file__).resolve().parents[2],
                    pathlib.Path(folder) / "digits")
        one = case.Case(site, folder)
        try:
            one.run("data", "digits", site.data)
            run_checks(one, shots)
        finally:
            one.end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
