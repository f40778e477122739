"""Shared by the tests of vectors of blocks: a graph's blocks, and the way of each thread through them."""
import json

import commandlib
from commandlib import command


class Graph:
    def __init__(self, path):
        with open(path) as f:
            d = json.load(f)
        data = d["PROCESSES"][1][1]
        self.instrs, self.addr, self.heads, self.rep = {}, {}, set(), set()
        types = {r[0]: r[1] for r in d["EDGE_TYPES"][1:]}
        for im in data["IMAGES"][1:]:
            for b in im[3].get("BASIC_BLOCKS", [[]])[1:]:
                self.instrs[b[0]], self.addr[b[0]] = b[3], int(im[1], 16) + int(b[1], 16)
            for r in im[3].get("ROUTINES", [[]])[1:]:
                self.heads |= {loop[0] for loop in (r[3] if len(r) > 3 else [[]])[1:]}
        self.rep = {e[1] for e in data["EDGES"][1:] if e[1] == e[2] and types[e[3]] == "REP"}
        self.threads = data["INSTR_COUNT_PER_THREAD"]


def ways(g, graph, trace, **more):
    """Returns, by thread, the blocks in order."""
    found, nodes = {}, {str(node): node for node in g.instrs}
    for thread, node in commandlib.columns(command("trace", "--csv", graph, trace, **more)[1], "thread", "to_node_id"):
        if thread not in found:
            found[thread] = []
        if node in nodes:
            found[thread].append(nodes[node])
    return {int(thread): way for thread, way in found.items()}
