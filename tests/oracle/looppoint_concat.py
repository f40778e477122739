#!/usr/bin/python3
"""Concatenated vectors of threads, as LoopPoint's gen-concat-vectors makes them of PREFIX.T.K.bb and PREFIX.global.bb.

    looppoint_concat.py PREFIX

Vectors that end at the same global number of instructions are one slice; block ids of thread K are raised by K times the
greatest id.  The global file has each slice's marker, and unfiltered count.
"""
import os
import re
import sys


def thread_vectors(path):
    """{global end of a slice: [(block, instructions)]} of a thread's file."""
    found, end = {}, 0
    with open(path) as f:
        for line in f:
            if line.startswith("# Slice ending") and "global" in line:
                end = int(line.split()[-1])
            elif line[0] == "T":
                found[end] = [(int(a), int(n)) for a, n in re.findall(r":(\d+):(\d+)", line)]
    return found


def markers(path):
    """({global end: (marker, unfiltered)}, the marker behind the last slice)."""
    found, marker, end = {}, "", None
    with open(path) as f:
        for line in f:
            if line.startswith("S:"):
                marker = line
            elif line.startswith("# Slice ending at global"):
                end = int(line.split()[-1])
                found[end], marker = (marker, end), ""
            elif line.startswith("# Unfiltered count"):
                found[end] = found[end][0], int(line.split()[-1])
    return found, marker


def concatenate(prefix):
    """Lines of the vectors; KeyError if threads and the global file do not have the same slices."""
    threads = []
    while os.path.exists("%s.T.%d.bb" % (prefix, len(threads))):
        threads.append(thread_vectors("%s.T.%d.bb" % (prefix, len(threads))))
    greatest = max((block for t in threads for v in t.values() for block, _ in v), default=0)
    places, last = markers(prefix + ".global.bb")
    for end in sorted(set().union(*threads)):
        marker, unfiltered = places[end]
        pairs = [":%d:%d " % (block + k * greatest, n) for k, t in enumerate(threads) for block, n in t.get(end, [])]
        yield "%s# Slice ending at global %d\n# Unfiltered count %d\nT%s\n" % (marker, end, unfiltered, "".join(pairs))
    yield last


def main(args):
    try:
        print("".join(concatenate(args[0])), end="")
    except KeyError as e:
        print("no slice of the global file ends at %s" % e)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
