"""A server goes away while finback top looks at it, and comes back.

goes_away.py FINBACK ZOOKEEPER DIRECTORY PID DATA [SETTING...]
"""

import os
import signal
import subprocess
import sys

from terminal import Failed, Terminal

FINBACK, ZOOKEEPER, DIRECTORY, PID, DATA = sys.argv[1:6]


def main():
    server = None
    with Terminal(80, 24, DIRECTORY) as terminal:
        terminal.run(f"'{FINBACK}' top -D hbase.zookeeper.quorum={ZOOKEEPER} -d 0.5; echo ended with $?")
        terminal.wait_for(r"^Region mode, 1-[1-9]")
        # It still has its sockets, and does not answer.
        os.kill(int(PID), signal.SIGSTOP)
        terminal.wait_for(r"^no answer for \d+ s")
        os.kill(int(PID), signal.SIGCONT)
        terminal.wait_for(r"^Region mode, 1-[1-9]")
        os.kill(int(PID), signal.SIGKILL)
        lines = terminal.wait_for(r"^no answer for \d+ s, trying again: ")
        if not any(line.startswith("hbase ") for line in lines):
            raise Failed(f"what was known is not shown any more: {lines}")
        terminal.press("m", "s")
        terminal.wait_for(r"^RS ")
        try:
            server = subprocess.Popen([FINBACK, "server", "--data", DATA, *sys.argv[6:]],
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            terminal.wait_for(r"^RegionServer mode, 1-1")
            terminal.press("q")
            terminal.wait_for("^ended with 0$")
        finally:
            if server:
                server.kill()
                server.wait()
    print("a server that goes away is shown, and one that comes back")
    return 0


try:
    sys.exit(main())
except Failed as failure:
    print(f"FAIL goes_away: {failure}")
    sys.exit(1)
