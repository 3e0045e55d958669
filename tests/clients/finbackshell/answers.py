"""What finback shell prints, statement by statement, as JSON: of each a list of lines.

answers.py STATEMENTS FINBACK ZOOKEEPER

In statements, <server> stands for the only region server, <region 2 of t1> for the encoded name of the second region of t1;
<a second later> waits.
"""

import json
import os
import re
import subprocess
import sys
import time

STATEMENTS, FINBACK, ZOOKEEPER = sys.argv[1:4]
SHELL = [FINBACK, "shell", "-D", f"hbase.zookeeper.quorum={ZOOKEEPER}"]
LATER = "<a second later> "
ENVIRONMENT = {**os.environ, "TZ": "UTC"}


def said(statement):
    done = subprocess.run([*SHELL, "-e", statement], stdout=subprocess.PIPE, env=ENVIRONMENT, timeout=240)
    return done.stdout.decode()


def server(_):
    return re.search(r"^\S+,\d+,\d+", said("list_liveservers"), re.MULTILINE)[0]


def region(reference):
    rows = said(f"list_regions '{reference[2]}', {{}}, ['REGION_NAME']")
    names = re.findall(r"\.([0-9a-f]{32})\. \|$", rows, re.MULTILINE)
    return names[int(reference[1]) - 1] if names else "0" * 32


def meant(statement):
    if statement.startswith(LATER):
        time.sleep(1)
        statement = statement.removeprefix(LATER)
    return re.sub(r"<region (\d+) of ([^>]+)>", region, re.sub("<server>", server, statement))


class Shell:
    """A shell that is asked one statement after the other."""

    def __init__(self):
        self.process = subprocess.Popen(SHELL, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENVIRONMENT)

    def answer(self, statement):
        self.process.stdin.write(f"{statement}\n'<<<'\n".encode())
        self.process.stdin.flush()
        lines = []
        for line in self.process.stdout:
            line = line.decode("utf-8", "replace").rstrip("\n")
            if line == '=> "<<<"':
                return lines
            lines.append(line)
        sys.exit(f"the shell ended with: {statement}")


def main():
    statements = [line for line in open(STATEMENTS, encoding="utf-8").read().split("\n") if line]
    shell = Shell()
    json.dump([shell.answer(meant(statement)) for statement in statements], sys.stdout)


main()
