#!/usr/bin/python3
"""The specification's part 3 word for word: how a sequence of edges is decoded, as slowly as it is written there.

Substitutions are made in the text one after another, the bits are a string, and a transition is looked up in a
dictionary with one more bit each time.  It reads no file and checks nothing: it is here so that trace_decode.c, which
does it all in one pass, can be compared with something that is short enough to be right at sight.
"""
import re

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-"
INNERMOST = re.compile(r"\(([0-9]+)\*([^()<>]*)\)")
REFERENCE = re.compile(r"<([^<>]*)>")


def expand(text, dictionary):
    """Expand repetitions and entries (3.7.1.2 and 3.7.1.3).  By the specification, the order of substitutions does not
    matter."""
    while "<" in text:
        text = REFERENCE.sub(lambda m: dictionary[m.group(1)], text)
    while "(" in text:
        text = INNERMOST.sub(lambda m: int(m.group(1)) * m.group(2), text)
    return text


def to_bits(text):
    """Turn characters into bits (3.7.1.1)."""
    return "".join(format(ALPHABET.index(c), "06b") for c in text)


def decode(first, count, text, transitions, dictionary):
    """Decode edges (3.7.2).  TRANSITIONS is {(current edge, code): next edges}.  Return the edges, and the number of
    used bits."""
    bits = to_bits(expand(text, dictionary))
    edges, at = [first], 0
    while len(edges) < count:
        length = 0
        while (edges[-1], bits[at:at + length]) not in transitions:
            length += 1
            if at + length > len(bits):
                raise ValueError("no code word at bit %d" % at)
        edges += transitions[edges[-1], bits[at:at + length]]
        at += length
    return edges[:count], at


def read(trace):
    """Return {thread: [[edges of a chunk]]} of a parsed file with one process."""
    _, dictionary, table, threads = trace["PROCESSES"][1]
    transitions = {(current, code): following for current, code, following in table[1:]}
    return {thread: [decode(first, count, text, transitions, dictionary)[0] for _, _, count, first, text in chunks[1:]]
            for thread, chunks in threads[1:]}
