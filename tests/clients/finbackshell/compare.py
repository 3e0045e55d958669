"""What finback shell prints beside what HBase's shell prints, statement by statement.

compare.py STATEMENTS HBASES_OUTPUT FINBACK ZOOKEEPER

Times and what names a server are masked. Of an error it counts that there is one: finback shell says more of it, which call of
which server failed.
"""

import os
import re
import subprocess
import sys

STATEMENTS, HBASES, FINBACK, ZOOKEEPER = sys.argv[1:5]

MASKS = [
    (r"^Took [\d.]+ seconds", ""),
    (r"^ERROR: .*", "ERROR"),
    # A family's attribute that the release of the shell does not know, and a unit that it does not show.
    (r"INDEX_BLOCK_ENCODING => 'NONE', ", ""),
    (r", METADATA => \{'INDEX_BLOCK_ENCODING' => 'NONE'\}", ""),
    (r"BLOCKSIZE => '(\d+)[^']*'", r"BLOCKSIZE => '\1'"),
    (r"timestamp=20(?!23-)[\d-]+T[\d:.]+", "timestamp=NOW"),
]


def cleaned(lines):
    shown = []
    for line in lines:
        line = line.rstrip()
        for pattern, mask in MASKS:
            line = re.sub(pattern, mask, line)
        # The exception's stack, and what is said of the value of a statement.
        if line.startswith(("=> ", "\tat ", "For usage try", "hbase:0")) or not line:
            continue
        shown.append(line)
    # What comes behind an error is the rest of its message.
    return shown[: shown.index("ERROR") + 1] if "ERROR" in shown else shown


def parts(text, sign):
    found, lines = {}, []
    for line in text.split("\n"):
        begin = re.match(sign, line)
        if begin:
            lines = found.setdefault(int(begin[1]), [])
        else:
            # HBase's shell does not end the line of the time when it goes on in a script.
            lines += re.sub(r"^(Took [\d.]+ seconds)(?=.)", r"\1\n", line).split("\n")
    return {at: cleaned(lines) for at, lines in found.items()}


def main():
    statements = [line for line in open(STATEMENTS, encoding="utf-8").read().split("\n") if line]
    hbases = parts(open(HBASES, encoding="utf-8", errors="replace").read(), r">>> (\d+)$")
    text = "".join(f"'>>> {at}'\n{statement}\n" for at, statement in enumerate(statements))
    done = subprocess.run([FINBACK, "shell", "-D", f"hbase.zookeeper.quorum={ZOOKEEPER}"], input=text.encode(),
                          stdout=subprocess.PIPE, timeout=300, env={**os.environ, "TZ": "UTC"})
    ours = parts(done.stdout.decode("utf-8", "replace"), r'=> ">>> (\d+)"$')
    differ = 0
    for at, statement in enumerate(statements):
        if ours.get(at) != hbases.get(at):
            differ += 1
            print(statement)
            for name, lines in (("HBase", hbases.get(at)), ("finback", ours.get(at))):
                print("\n".join(f"  {name}: {line}" for line in lines or ["(nothing)"]))
    print(f"{len(statements)} statements, {differ} with another output than HBase's shell has")
    return 1 if differ or len(hbases) < len(statements) else 0


sys.exit(main())
