"""What finback top prints and shows of a cluster with some load: every mode, keys, mouse, sizes, signals.

check.py FINBACK ZOOKEEPER DIRECTORY
"""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time

from terminal import LIMIT_S, PATIENCE_S, PROMPT, Failed, Terminal

FINBACK, ZOOKEEPER, DIRECTORY = sys.argv[1:4]
CLUSTER = ["-D", f"hbase.zookeeper.quorum={ZOOKEEPER}"]
# Seconds between two looks of batch mode: servers report every three. The first may come before they report new tables.
LOOK_S = "3.5"
# A master that is silent for ten seconds, as on a busy machine, has a look fail.
ATTEMPTS = 4

SETUP = """
create_namespace 'top_garden'
create 'top_garden:flowers', 'f', SPLITS => ['h', 'p']
create 'top_beds', 'f'
"""
CLEAN_UP = """
disable 'top_garden:flowers'
drop 'top_garden:flowers'
disable 'top_beds'
drop 'top_beds'
drop_namespace 'top_garden'
"""
# Two reads for each write, and reads of what another user does not touch.
ANN = "put 'top_garden:flowers', 'a', 'f:q', 'v'\nget 'top_garden:flowers', 'a'\nget 'top_garden:flowers', 'k'\n"
BOB = "get 'top_beds', 'a'\n"

passed = 0


def again_on_failure(attempt, attempts=2, before_next=lambda: None):
    """Tries once more what may fail since the machine is busy. Checks that passed count once."""
    global passed
    before = passed
    for number in range(1, attempts + 1):
        try:
            return attempt()
        except (Failed, subprocess.SubprocessError) as failure:
            if number == attempts:
                raise
            print(f"again: {failure}", flush=True)
            passed = before
            before_next()


def check(is_so, what):
    global passed
    if not is_so:
        raise Failed(what)
    passed += 1


def shell(statements, user="top"):
    done = subprocess.run([FINBACK, "shell", "-n", *CLUSTER], input=statements, text=True, capture_output=True,
                          timeout=LIMIT_S, env={**os.environ, "HADOOP_USER_NAME": user})
    if done.returncode:
        raise Failed(f"finback shell: {done.stdout[-500:]}{done.stderr[-500:]}")


class Load:
    """A user who asks for the same without end."""

    def __init__(self, user, statements):
        self.process = subprocess.Popen(
            ["bash", "-c", 'while true; do "${@:2}" <<< "$1" > /dev/null; sleep 0.1; done', "load", 50 * statements,
             FINBACK, "shell", "-n", *CLUSTER],
            env={**os.environ, "HADOOP_USER_NAME": user}, start_new_session=True, stderr=subprocess.DEVNULL)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@contextlib.contextmanager
def batch(*options):
    with subprocess.Popen([FINBACK, "top", "-b", "-n", "3", "-d", LOOK_S, *CLUSTER, *options], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            yield process
        finally:
            process.kill()


def last_look(process):
    """The records of the last look, each by the headings of its fields."""
    out, err = process.communicate(timeout=LIMIT_S)
    check(process.returncode == 0, f"exit code {process.returncode}: {err}")
    looks = out.split("finback top - ")[1:]
    check(len(looks) == 3, f"{len(looks)} looks")
    summary, table = looks[-1].strip("\n").split("\n\n")
    for wanted in [r"^Version: \S", r"^Cluster ID: \S", r"^RegionServer\(s\): [1-9]\d* total, [1-9]\d* live, \d+ dead$",
                   r"^RegionCount: [1-9]\d* total, \d+ rit$", r"^Average Cluster Load: [1-9]\d*\.\d\d$",
                   r"^Aggregate Request/s: [1-9]\d*$"]:
        check(re.search(wanted, summary, re.MULTILINE), f"the summary has no line {wanted}: {summary}")
    lines = table.split("\n")
    headings = lines[0].split()
    return headings, [dict(zip(headings, line.split())) for line in lines[1:]]


def of(records, **wanted):
    found = [record for record in records if all(record.get(name) == value for name, value in wanted.items())]
    check(found, f"no record {wanted} in {records}")
    return found


def number(records, heading):
    return sum(int(record[heading]) for record in records)


def wait_for_load():
    """Until what both users read was in two reports."""
    global passed
    before, end = passed, time.monotonic() + 4 * PATIENCE_S
    while True:
        try:
            with batch("-m", "u") as process:
                _, users = last_look(process)
            for user in ("ann", "bob"):
                check(number(of(users, USER=user), "#READ/S") > 0, f"{user} does not read")
            return
        except (Failed, subprocess.SubprocessError):
            if time.monotonic() > end:
                raise
            time.sleep(1)
        finally:
            passed = before


def check_batch_mode():
    # Mostly the load is in the second look already, and nobody need wait for it.
    again_on_failure(check_looks, ATTEMPTS, before_next=wait_for_load)


def check_looks():
    chosen = batch("-m", "t", "-f", "#SF,TABLE,#READ/S", "-s", "-TABLE", "-i", "NAMESPACE==top_garden;#READ/S>0")
    # Programs that nobody waits for any more are ended.
    with contextlib.ExitStack() as running:
        looks = {mode: running.enter_context(batch("-m", mode)) for mode in "ntrsuc"}
        check_records(looks, running.enter_context(chosen))


def check_records(looks, chosen):
    records = {}
    for mode, process in looks.items():
        headings, records[mode] = last_look(process)
        listed = subprocess.run([FINBACK, "top", "-O", "-m", mode], text=True, capture_output=True, check=True)
        check(set(headings) <= set(listed.stdout.split()), f"{headings} are not all in {listed.stdout}")
    flowers = of(records["t"], NAMESPACE="top_garden", TABLE="flowers")
    check(flowers[0]["#REGION"] == "3", "regions of a table")
    check(number(flowers, "#READ/S") > number(flowers, "#WRITE/S") > 0, f"reads and writes of a table: {flowers}")
    check(number(of(records["n"], NAMESPACE="top_garden"), "#WRITE/S") > 0, "writes of a namespace")
    regions = of(records["r"], NAMESPACE="top_garden", TABLE="flowers")
    check(len(regions) == 3, "three regions")
    busy = [region for region in regions if region["#REQ/S"] != "0"]
    check(len(busy) == 2, f"two of them are used: {regions}")
    servers = records["s"]
    check(number(servers, "#REQ/S") >= number(flowers, "#REQ/S") // 2 and servers[0]["MHEAP"] != "0.0B", f"{servers}")
    ann, bob = of(records["u"], USER="ann"), of(records["u"], USER="bob")
    check(number(ann, "#READ/S") > 0 and number(ann, "#WRITE/S") > 0, f"what ann does: {ann}")
    check(number(bob, "#READ/S") > 0 and number(bob, "#WRITE/S") == 0, f"what bob does: {bob}")
    check(ann[0]["#CLIENT"] == "1", "she has one client")
    check(max(int(client["#USER"]) for client in records["c"]) >= 2, f"both call from here: {records['c']}")
    for mode in "ntsuc":
        rates = [int(record["#REQ/S"]) for record in records[mode]]
        check(rates == sorted(rates, reverse=True), f"busiest first: {rates}")
    headings, some = last_look(chosen)
    check(headings == ["#SF", "TABLE", "#READ/S"] and [record["TABLE"] for record in some] == ["flowers"], f"{some}")


def check_ends():
    """Batch mode that nobody answers, or nobody reads."""
    nobody = subprocess.run([FINBACK, "top", "-b", "-n", "1", "-D", "hbase.zookeeper.quorum=127.0.0.1:1"], text=True,
                            capture_output=True, timeout=LIMIT_S)
    check(nobody.returncode == 1 and nobody.stderr.startswith("finback: ") and not nobody.stdout, f"{nobody}")
    again_on_failure(check_end_of_pipe)
    full = subprocess.run(["bash", "-c", '"$@" > /dev/full', "full", FINBACK, "top", "-O"], text=True, capture_output=True,
                          timeout=LIMIT_S)
    check(full.returncode == 1 and full.stderr.startswith("finback: cannot write to standard output"), f"{full}")
    wrong = subprocess.run([FINBACK, "top", "-m", "t", "-i", "USER==x"], text=True, capture_output=True, timeout=LIMIT_S)
    check(wrong.returncode == 2 and "Table mode has no field 'USER' to filter by" in wrong.stderr, f"{wrong}")


def check_end_of_pipe():
    read = subprocess.run(["bash", "-c", '"$@" | head -1; echo "${PIPESTATUS[0]}"', "pipe", FINBACK, "top", "-b", "-d", "0.2",
                           *CLUSTER], text=True, capture_output=True, timeout=LIMIT_S)
    check(re.fullmatch(r"finback top - \S+\n0\n", read.stdout) and not read.stderr, f"{read}")


def start(terminal, *options):
    terminal.run(f"'{FINBACK}' top {' '.join(CLUSTER)} -d 1 {' '.join(options)}; echo ended with $?")


def end(terminal, *keys, code=0):
    terminal.press(*keys)
    ended_with(terminal, code)


def ended_with(terminal, code):
    # What is typed before the prompt is there stands in its way.
    terminal.wait_for(rf"^ended with {code}\n{PROMPT}$")
    terminal.run("stty -a | tr ' ;' '\\n' | grep -xE -- '-?(icanon|echo|isig)' | paste -sd' '")
    # The terminal is as it was: lines, and what is typed is shown.
    terminal.wait_for(rf"^isig icanon echo\n{PROMPT}$")
    terminal.clear()


def row_of(lines, word):
    for row, line in enumerate(lines):
        if word in line:
            return row
    raise Failed(f"no line has {word}:\n" + "\n".join(lines))


def is_whole(lines):
    """24 rows: the summary and its charts, all rates, the bars of a record"""
    return (len(lines) == 24 and lines[0].startswith("finback top - ") and "reads/s" in lines[0] and "writes/s" in lines[3]
            and lines[8].endswith("#REQ/S #READ/S #FREAD/S #WRITE/S") and any("█" in line for line in lines))


def is_low(lines):
    """12 rows at most, with a summary of one line"""
    return 2 < len(lines) <= 12 and lines[0].endswith("requests/s") and lines[2].startswith("NAMESPACE")


def hides_regions(lines):
    """a heading up to #READ/S, without #REGION"""
    return len(lines) > 8 and re.match(r"NAMESPACE\b(?!.*#REGION).* #READ/S", lines[8])


def check_keys():
    with Terminal(80, 24, DIRECTORY) as terminal:
        start(terminal)
        # Here and below, what is checked is waited for: a screen may be seen half drawn.
        lines = terminal.wait_for(is_whole)
        check(all(len(line) <= 80 for line in lines), "80 columns")
        terminal.press("m")
        terminal.wait_for("^ t  Table")
        terminal.press("t")
        terminal.wait_for("^Table mode, .* by #REQ/S high to low")
        terminal.press("o")
        terminal.wait_for("add filter #1")
        terminal.type("namespace==TOP_GARDEN")
        terminal.press("Enter")
        terminal.wait_for("^Table mode, 1-1 of 1.*\n.*\n.*flowers")
        terminal.press("C-o")
        terminal.wait_for("filters: 'NAMESPACE==TOP_GARDEN'")
        terminal.press("i")
        terminal.wait_for("^Region mode, 1-3 of 3, .*NAMESPACE==top_garden, TABLE==flo")
        terminal.press("Left", "End")
        terminal.wait_for("^LOCALITY")
        terminal.press("Home", "BSpace")
        terminal.wait_for("^Table mode, 1-1 of 1")
        terminal.press("=")
        terminal.wait_for("^Table mode, 1-([2-9]|\\d\\d) of")
        terminal.press("/")
        terminal.type("top_b")
        terminal.wait_for("^/top_b")
        terminal.press("Enter", "i")
        terminal.wait_for("^Region mode, 1-1 of 1, .*TABLE==top_b")
        terminal.press("BSpace", "R", ">")
        terminal.wait_for("^Table mode, .* by #READ/S low to high")
        terminal.press("f")
        terminal.wait_for(r"records are sorted by #READ/S(.|\n)*^\* #REGION\b")
        terminal.press("Home", "Down", "Down", "d")
        terminal.wait_for("^  #REGION")
        terminal.press("q")
        terminal.wait_for(hides_regions)
        terminal.press("d")
        terminal.wait_for("Change refresh delay from 1 to")
        terminal.type("0.5")
        terminal.press("Enter", "h")
        terminal.wait_for("looks every 0.5 s")
        terminal.press("q", "?")
        terminal.press("q")
        terminal.press("%")
        terminal.wait_for("Unknown command - try 'h' for help")
        end(terminal, "q")


def click_twice(terminal, table):
    """Until its regions are shown: tables that are busier by turns may change their places between two clicks."""
    for attempt in range(5):
        row = row_of(terminal.wait_for(lambda lines: any(table in line for line in lines)), table)
        terminal.click(3, row, times=2)
        try:
            lines = terminal.wait_for(r"^Region mode, .*TABLE==\w", 20)
        except Failed:
            # The second click came too late for a double one.
            continue
        if f"TABLE=={table}" in lines[row_of(lines, "Region mode, ")]:
            return
        terminal.press("BSpace")
        terminal.wait_for("^Table mode")
    raise Failed(f"clicks do not lead to the regions of {table}")


def check_sizes_and_mouse():
    with Terminal(200, 50, DIRECTORY) as terminal:
        start(terminal, "-m", "t")
        terminal.wait_for(lambda lines: len(lines) > 9 and "LAST MINUTES" in lines[8] and "█" in lines[9])
        click_twice(terminal, "top_beds")
        terminal.press("BSpace")
        # Regions have no #REGION.
        lines = terminal.wait_for(lambda lines: len(lines) > 8 and "#REGION" in lines[8] and "#WRITE/S" in lines[8])
        terminal.click(lines[8].index("#WRITE/S") + 1, 8)
        terminal.wait_for("^Table mode, .*by #WRITE/S high to low")
        terminal.click(lines[8].index("#WRITE/S") + 1, 8)
        terminal.wait_for("^Table mode, .*by #WRITE/S low to high")
        terminal.wheel_down(3, 12)
        terminal.resize(70, 12)
        terminal.wait_for(is_low)
        terminal.resize(120, 30)
        terminal.wait_for("^Aggregate Request/s: ")
        end(terminal, "C-c")


def top_of(terminal):
    """The process that the terminal's shell runs."""
    pid = terminal.tmux("display", "-p", "-t", "s", "#{pane_pid}").strip()
    top = subprocess.run(["pgrep", "-P", pid], text=True, capture_output=True).stdout.split()
    check(len(top) == 1, f"one process: {top}")
    return int(top[0])


def check_last_look():
    """It ends by itself, and what it showed last is there."""
    with Terminal(80, 24, DIRECTORY, LC_ALL="C") as terminal:
        start(terminal, "-m", "s", "-n", "2")
        lines = terminal.wait_for(rf"^ended with \d+\n{PROMPT}$")
    look = r"^RegionCount: [1-9](.|\n)*^RegionServer mode, 1-(.|\n)*^RS .*#REQ/S(.|\n)*^ended with 0\n"
    check(re.search(look, "\n".join(lines), re.MULTILINE), "the last look:\n" + "\n".join(lines))


def check_signals():
    # When the machine is as busy, the watchdog ends top before it has given the terminal back.
    again_on_failure(check_stop_and_terminate)
    again_on_failure(check_quit)
    check_other_ends()


def check_stop_and_terminate():
    with Terminal(80, 24, DIRECTORY, NO_COLOR="1") as terminal:
        start(terminal, "-m", "u")
        terminal.wait_for("^User mode, ")
        terminal.wait_for("^ann ")
        colored = [line for line in terminal.screen("-e") if re.search(r"\x1b\[[0-9;]*(3[0-7]|38;5)", line)]
        check(not colored, f"colours: {colored}")
        terminal.press("C-z")
        terminal.wait_for(r"Stopped(.|\n)*" + PROMPT)
        terminal.clear()
        terminal.run("fg")
        terminal.wait_for("^User mode, ")
        top = top_of(terminal)
        os.kill(top, signal.SIGTSTP)
        terminal.wait_for(r"Stopped(.|\n)*" + PROMPT)
        terminal.clear()
        terminal.run("fg; echo ended with $?")
        terminal.wait_for("^User mode, ")
        os.kill(top, signal.SIGTERM)
        ended_with(terminal, 143)


def check_quit():
    with Terminal(80, 24, DIRECTORY, LC_ALL="C") as terminal:
        start(terminal, "-m", "s")
        terminal.wait_for("^RegionServer mode, ")
        os.kill(top_of(terminal), signal.SIGQUIT)
        ended_with(terminal, 131)


def check_other_ends():
    again_on_failure(check_last_look)
    with Terminal(80, 24, DIRECTORY, LC_ALL="C") as terminal:
        start(terminal, "-m", "s")
        terminal.wait_for("^RegionServer mode, ")
        end(terminal, "C-\\")
        terminal.run(f"TERM=dumb '{FINBACK}' top; '{FINBACK}' top | cat")
        terminal.wait_for(r"can only print(.|\n)*standard output is no terminal")


def main():
    begin = time.monotonic()
    shell(SETUP)
    try:
        with Load("ann", ANN), Load("bob", BOB):
            for part in (check_batch_mode, check_ends, check_keys, check_sizes_and_mouse, check_signals):
                try:
                    since = time.monotonic()
                    part()
                    print(f"PASS {part.__name__}, {time.monotonic() - since:.0f} s", flush=True)
                except (Failed, subprocess.SubprocessError) as failure:
                    print(f"FAIL {part.__name__}: {failure}")
                    return 1
    finally:
        shell(CLEAN_UP)
    print(f"{passed} checks in {time.monotonic() - begin:.0f} s")
    return 0


sys.exit(main())
