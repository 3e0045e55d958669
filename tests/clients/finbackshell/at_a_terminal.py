"""finback shell at a terminal: history, completion, statements of several lines, paste, Ctrl-C, Ctrl-D, another size.

at_a_terminal.py FINBACK ZOOKEEPER DIRECTORY
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "top"))
from terminal import LIMIT_S, PATIENCE_S, PROMPT, Failed, Terminal  # noqa: E402

FINBACK, ZOOKEEPER, DIRECTORY = sys.argv[1:4]
TABLE = "shell_terminal"
# Nothing typed behind it. Control keys that come before it is there are not the line editor's.
AT_PROMPT = r"^hbase:\d+:0> *\Z"
# Seconds: a completion asks the cluster for two, and the shell hears of Ctrl-C in far less.
KEY_PATIENCE_S = 10


def said(statements):
    done = subprocess.run([FINBACK, "shell", "-D", f"hbase.zookeeper.quorum={ZOOKEEPER}", "-e", statements],
                          capture_output=True, text=True, timeout=LIMIT_S)
    return done.stdout + done.stderr


def press_until(terminal, press, wanted):
    """Presses again what may be pressed more than once, as long as the screen does not have this."""
    end = time.monotonic() + 4 * PATIENCE_S
    while True:
        press()
        try:
            return terminal.wait_for(wanted, KEY_PATIENCE_S)
        except Failed:
            if time.monotonic() > end:
                raise


def complete(terminal, begun, wanted):
    """Tab, until it is completed."""
    terminal.type(begun)
    press_until(terminal, lambda: terminal.press("Tab"), wanted)


def interrupt(terminal, statement):
    """Ctrl-C, until it has ended the statement."""
    is_typed = rf"^hbase:\d+:0> {re.escape(statement)}$"

    def press():
        # It may have ended by itself.
        if re.search(AT_PROMPT, "\n".join(terminal.screen()), re.MULTILINE):
            terminal.press("C-l")
            terminal.wait_for(r"\A" + AT_PROMPT)
            terminal.run(statement)
            terminal.wait_for(is_typed)
            # A key that comes before the statement has begun is one of the line editor's.
            time.sleep(1)
        terminal.press("C-c")

    press_until(terminal, press, r"^ERROR: interrupted")


def check(terminal, home):
    terminal.run(f"{FINBACK} shell -D hbase.zookeeper.quorum={ZOOKEEPER}")
    terminal.wait_for(r"^hbase:001:0> *$")

    # Completion: of a command, a table, a family, a constant.
    terminal.type("des\t")
    terminal.wait_for(r"^hbase:001:0> desc")
    terminal.press("C-c")
    terminal.wait_for(r"^hbase:001:0> *$")
    complete(terminal, f"put '{TABLE[:-3]}", rf"put '{TABLE}$")
    complete(terminal, "', 'r1', 'fam", r"'family:$")
    terminal.type("q', 'one'")
    terminal.press("Enter")
    terminal.wait_for(r"^hbase:002:0> *$")

    # Several lines, which come back as one statement.
    terminal.type(f"scan '{TABLE}',")
    terminal.press("Enter")
    terminal.wait_for(r"^hbase:002:1\* *$")
    terminal.type("{LIM\t => 1}")
    terminal.press("Enter")
    terminal.wait_for(r"value=one")
    terminal.wait_for(r"^hbase:003:0> *$")
    terminal.press("Up")
    terminal.wait_for(r"^\{LIMIT => 1\}$")
    terminal.press("Enter")
    terminal.wait_for(r"^hbase:004:0> *$")

    # Lines that come faster than statements end are not lost.
    terminal.tmux("set-buffer", "".join(f"put '{TABLE}', 'pasted{n}', 'family:q', 'v'\n" for n in range(20)))
    terminal.tmux("paste-buffer", "-t", "s")
    terminal.wait_for(r"^hbase:024:0> *$")
    terminal.run(f"count '{TABLE}'")
    terminal.wait_for(r"^=> 21$")
    terminal.wait_for(AT_PROMPT)

    # Ctrl-C ends what cannot end by itself, and the shell goes on.
    terminal.resize(70, 20)
    region = re.search(r"ENCODED => ([0-9a-f]{32})", said(f"locate_region '{TABLE}', 'r1'"))[1]
    said(f"unassign '{region}'")
    terminal.press("C-l")
    terminal.wait_for(r"\A" + AT_PROMPT)
    interrupt(terminal, f"get '{TABLE}', 'r1'")
    terminal.wait_for(AT_PROMPT)
    said(f"assign '{region}'")
    terminal.run(f"get '{TABLE}', 'r1'")
    terminal.wait_for(r"^1 row\(s\)")
    terminal.wait_for(AT_PROMPT)

    # Columns are as wide as the terminal.
    terminal.press("C-l")
    terminal.run(f"scan '{TABLE}', LIMIT => 1")
    lines = terminal.wait_for(r"^ROW .*(\n.*)*^1 row\(s\)")
    header = next(line for line in lines if line.startswith("ROW"))
    if header.index("COLUMN+CELL") != 70 // 4 + 2:
        raise SystemExit(f"the second column does not begin at a quarter of the width: {header!r}")

    terminal.wait_for(AT_PROMPT)
    terminal.press("C-d")
    terminal.wait_for(rf"^{PROMPT} *$|{PROMPT}$")
    history = open(os.path.join(home, ".finback_history"), encoding="utf-8").read()
    if f"count '{TABLE}'" not in history:
        raise SystemExit(f"the history is not kept: {history!r}")


def main():
    said(f"create '{TABLE}', 'family'")
    home = tempfile.mkdtemp(prefix="home-", dir=DIRECTORY)
    try:
        with Terminal(100, 60, DIRECTORY, HOME=home) as terminal:
            check(terminal, home)
    finally:
        said(f"disable '{TABLE}'; drop '{TABLE}'")
        shutil.rmtree(home, ignore_errors=True)
    print("at a terminal: completion, history, several lines, paste, Ctrl-C, another size, Ctrl-D")


main()
