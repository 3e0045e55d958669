#!/usr/bin/env python3
"""Folds the samples of a server into stacks that fit into a picture.

    perf record -e cpu-clock -F 4000 -g -p PID -o perf.data
    perf script -i perf.data | inferno-collapse-perf | benches/flame/fold.py | inferno-flamegraph --title TITLE > flame.svg

Under the name of a thread stand what the kernel does, by system call and some levels below it, and what Finback and its
libraries do, by crate and function: the binary has no frame pointers, so a function's callers are not known.
"""

import re
import sys
from collections import Counter

KERNEL_LEVELS = 5
NOISE = re.compile(r"::h[0-9a-f]{16}|\.isra\.\d+|\.part\.\d+|\.constprop\.\d+|_\[k\]")
COPIES = ("memmove", "memcpy", "memset")


def crate_of(function):
    if any(copy in function for copy in COPIES):
        return "copies"
    if "malloc" in function or "_rjem" in function or "dallocx" in function:
        return "allocator"
    named = re.search(r"(finback_\w+|tokio|prost|bytes|parking_lot\w*|futures_\w+|arc_swap|crc_fast)(?=::|<)", function)
    return named.group(1) if named else "others"


def folded(frames):
    thread = frames[0]
    if "do_syscall_64" in frames:
        call = frames[frames.index("do_syscall_64") + 1 :]
        if not call:
            return [thread, "kernel"]
        call[0] = call[0].removeprefix("__x64_sys_").removeprefix("do_").removeprefix("ksys_")
        return [thread, "kernel", *call[: KERNEL_LEVELS + 1]]
    for i, frame in enumerate(frames):
        if frame.startswith(("asm_exc", "asm_sysvec", "entry_")):
            return [thread, "kernel", *frames[i : i + KERNEL_LEVELS]]
    function = frames[-1]
    if function == "[unknown]" or len(frames) == 1:
        return [thread, "others"]
    return [thread, crate_of(function), function]


def main():
    samples = Counter()
    for line in sys.stdin:
        stack, _, count = line.rstrip("\n").rpartition(" ")
        samples[";".join(folded(NOISE.sub("", stack).split(";")))] += int(count)
    for stack, count in sorted(samples.items()):
        print(stack, count)


if __name__ == "__main__":
    main()
