#!/usr/bin/python3
"""Prints a DCFG as lines of plain numbers, which the C programs here read fast.

    trace_table.py DCFG > TABLE

    P PID THREADS                           the process
    S START END                             its special nodes
    I N                                     one for each thread, in order: its instructions
    N ID ADDR SIZE INSTRS                   a block, ADDR in hex
    E ID SOURCE TARGET TYPE COUNT...        an edge, a count for each thread
"""
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from dcfg_model import read_bytes


def number(v):
    return int(v, 0) if isinstance(v, str) else v


def rows(table):
    """Each row by its header: the DCFG's order of columns is not this program's business."""
    for row in table[1:]:
        yield dict(zip(table[0], row))


def write(path, out):
    d = json.loads(read_bytes(path).decode("utf-8"))
    kinds = {r["EDGE_TYPE_ID"]: r["EDGE_TYPE"] for r in rows(d["EDGE_TYPES"])}
    special = {r["NODE_NAME"]: r["NODE_ID"] for r in rows(d["SPECIAL_NODES"])}
    for process in rows(d["PROCESSES"]):
        p = process["PROCESS_DATA"]
        out.write("P %d %d\n" % (process["PROCESS_ID"], len(p["INSTR_COUNT_PER_THREAD"])))
        out.write("S %d %d\n" % (special["START"], special["END"]))
        for n in p["INSTR_COUNT_PER_THREAD"]:
            out.write("I %d\n" % n)
        for image in rows(p["IMAGES"]):
            load = number(image["LOAD_ADDR"])
            for b in rows(image["IMAGE_DATA"].get("BASIC_BLOCKS", [[]])):
                out.write("N %d %x %d %d\n" % (b["NODE_ID"], load + number(b["ADDR_OFFSET"]), b["SIZE"],
                                               b["NUM_INSTRS"]))
        for e in rows(p["EDGES"]):
            out.write("E %d %d %d %s %s\n" % (e["EDGE_ID"], e["SOURCE_NODE_ID"], e["TARGET_NODE_ID"],
                                              kinds[e["EDGE_TYPE_ID"]], " ".join(map(str, e["COUNT_PER_THREAD"]))))


if __name__ == "__main__":
    write(sys.argv[1], sys.stdout)
