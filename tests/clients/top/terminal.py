"""A terminal of tmux's: keys in, screen out."""

import os
import re
import shutil
import subprocess
import tempfile
import time

# Seconds for something to come onto the screen. Machines may be busy; who waits for nothing waits no longer.
PATIENCE_S = 40
# Seconds for a program to end: against hangs only.
LIMIT_S = 240
PROMPT = "ready>"


class Failed(Exception):
    pass


class Terminal:
    """A shell in a terminal of its own, under a tmux server of its own."""

    def __init__(self, columns, rows, directory, **environment):
        self.directory = tempfile.mkdtemp(prefix="tmux-", dir=directory)
        # Paths of sockets are short.
        self.socket = os.path.relpath(os.path.join(self.directory, "s"))
        kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        self.environment = {**kept, "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"}
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", str(rows), "-s", "s",
                  "env", "PS1=" + PROMPT, *[f"{name}={value}" for name, value in environment.items()],
                  "bash", "--norc", "--noprofile")

    def __enter__(self):
        try:
            self.wait_for(PROMPT)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        try:
            self.tmux("kill-server")
        finally:
            shutil.rmtree(self.directory, ignore_errors=True)

    def tmux(self, *arguments):
        done = subprocess.run(["tmux", "-u", "-S", self.socket, *arguments], env=self.environment,
                              capture_output=True, text=True, timeout=LIMIT_S)
        if done.returncode:
            raise Failed(f"tmux {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout

    def screen(self, *options):
        return self.tmux("capture-pane", "-p", "-t", "s", *options).rstrip("\n").split("\n")

    def press(self, *keys):
        """Keys by tmux's names: a, Enter, Up, C-z."""
        self.tmux("send-keys", "-t", "s", *keys)

    def type(self, text):
        self.tmux("send-keys", "-t", "s", "-l", text)

    def run(self, command):
        self.type(command)
        self.press("Enter")

    def clear(self):
        """At a prompt. What was there before is not taken for what comes next."""
        self.run("clear")
        self.wait_for(lambda lines: lines == [PROMPT])

    def click(self, column, row, times=1):
        """Presses and releases the left button, without a pause between times. Columns and rows begin with 0."""
        self.type("".join(f"\x1b[<0;{column + 1};{row + 1}{end}" for end in "Mm") * times)

    def wheel_down(self, column, row):
        self.type(f"\x1b[<65;{column + 1};{row + 1}M")

    def resize(self, columns, rows):
        self.tmux("resize-window", "-t", "s", "-x", str(columns), "-y", str(rows))

    def wait_for(self, wanted, patience=PATIENCE_S):
        """Until the screen has this: a regular expression, or a function of its lines. Gives back the lines."""
        is_there = wanted if callable(wanted) else lambda lines: re.search(wanted, "\n".join(lines), re.MULTILINE)
        end = time.monotonic() + patience
        while True:
            lines = self.screen()
            if is_there(lines):
                return lines
            if time.monotonic() > end:
                what = getattr(wanted, "__doc__", None) if callable(wanted) else wanted
                raise Failed(f"the screen does not have {what!r}:\n" + "\n".join("    | " + line for line in lines))
            time.sleep(0.05)
