"""What finback shell prints beside what HBase's shell prints, statement by statement.

compare.py STATEMENTS HBASES_OUTPUT ANSWERS

ANSWERS is what answers.py wrote. Times and names of servers and regions are masked. Of an error it counts that there is one:
finback shell says more of it, which call of which server failed.
"""

import json
import re
import sys

STATEMENTS, HBASES, ANSWERS = sys.argv[1:4]

MASKS = [
    (r"^Took [\d.]+ seconds", ""),
    (r"^ERROR: .*", "ERROR"),
    # A family's attribute that the release of the shell does not know, and units that it does not show.
    (r"INDEX_BLOCK_ENCODING => 'NONE', ", ""),
    (r", METADATA => \{'INDEX_BLOCK_ENCODING' => 'NONE'\}", ""),
    (r"'INDEX_BLOCK_ENCODING' => 'NONE', |, 'INDEX_BLOCK_ENCODING' => 'NONE'", ""),
    (r"(BLOCKSIZE|MAX_FILESIZE) => '(\d+)[^']*'", r"\1 => '\2'"),
    (r"(evictedBlocks|maxCacheSize)=\d+", r"\1=N"),
    (r"TimeStampStarted=\d+", "TimeStampStarted=NOW"),
    (r"timestamp=20(?!23-)[\d-]+T[\d:.]+", "timestamp=NOW"),
    (r"\(20\d\d-\d\d-\d\d \d\d:\d\d:\d\d \+0000\)", "(NOW)"),
    (r"\b(localhost|127\.0\.0\.1|[\w.-]+),\d+,\d{13}\b", "SERVER"),
    (r"\b(localhost|127\.0\.0\.1):\d+\b", "ADDRESS"),
    (r",\d{13}\.[0-9a-f]{32}\.", ",REGION."),
    (r"\b[0-9a-f]{32}\b", "REGION"),
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
        # How often regions are seen while they change is a matter of time. That all of them have changed is said at the end.
        progress = re.fullmatch(r"(\d+)/(\d+) regions updated\.", line)
        if progress and progress[1] != progress[2]:
            continue
        shown.append(line)
    # What comes behind an error is the rest of its message.
    return shown[: shown.index("ERROR") + 1] if "ERROR" in shown else shown


def parts(text):
    """What HBase's shell wrote, by the numbers of the statements."""
    found, lines = {}, []
    for line in text.split("\n"):
        begin = re.match(r">>> (\d+)$", line)
        if begin:
            lines = found.setdefault(int(begin[1]), [])
        else:
            # HBase's shell does not end the line of the time when it goes on in a script.
            lines += re.sub(r"^(Took [\d.]+ seconds)(?=.)", r"\1\n", line).split("\n")
    return {at: cleaned(lines) for at, lines in found.items()}


def in_order(statement, lines):
    """HBase lists snapshots as its file system does, local ones in none; this server by their names."""
    return sorted(lines) if lines and re.match(r"list_(table_)?snapshots\b", statement) else lines


def main():
    statements = [line for line in open(STATEMENTS, encoding="utf-8").read().split("\n") if line]
    hbases = parts(open(HBASES, encoding="utf-8", errors="replace").read())
    answers, differ = json.load(open(ANSWERS, encoding="utf-8")), 0
    for at, (statement, answer) in enumerate(zip(statements, answers, strict=True)):
        ours = cleaned(answer)
        if in_order(statement, ours) != in_order(statement, hbases.get(at)):
            differ += 1
            print(statement)
            for name, lines in (("HBase", hbases.get(at)), ("finback", ours)):
                print("\n".join(f"  {name}: {line}" for line in lines or ["(nothing)"]), flush=True)
    print(f"{len(statements)} statements, {differ} with another output than HBase's shell has")
    return 1 if differ or len(hbases) < len(statements) else 0


sys.exit(main())
