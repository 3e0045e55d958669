"""A server goes away while finback top looks at it, and comes back.

goes_away.py FINBACK ZOOKEEPER DIRECTORY PID DATA LOG [SETTING...]
"""

import os
import signal
import subprocess
import sys

from terminal import Failed, Terminal

FINBACK, ZOOKEEPER, DIRECTORY, PID, DATA, LOG = sys.argv[1:7]
# Seconds for the server to come back.
START_LIMIT_S = 120


def comes_back(terminal, server):
    def is_back(lines):
        """the server, which has come back"""
        if server.poll() is not None:
            raise Failed(f"the server ended with {server.returncode}, see {LOG}")
        return any(line.startswith("RegionServer mode, 1-1") for line in lines)

    terminal.wait_for(is_back, START_LIMIT_S)


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
        # What was known is still shown.
        terminal.wait_for(r"^no answer for \d+ s, trying again: (.|\n)*^hbase ")
        terminal.press("m", "s")
        terminal.wait_for(r"^RS ")
        try:
            with open(LOG, "a", encoding="utf-8") as log:
                server = subprocess.Popen([FINBACK, "server", "--data", DATA, *sys.argv[7:]], stdout=log, stderr=log)
            comes_back(terminal, server)
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
