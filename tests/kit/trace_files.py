"""Made-up DCFGs and traces, for oracle/trace_rules.t and lackey_path.t."""
import array
import sys

TOP = ["MAJOR_VERSION", "MINOR_VERSION", "PROCESSES"]
PROCESSES = ["PROCESS_ID", "STRING_DICTIONARY", "TRANSITION_TABLE", "THREAD_DATA"]
TRANSITIONS = ["CURRENT_EDGE_ID", "TRANSITION_CODE", "NEXT_EDGE_IDS"]
THREADS = ["THREAD_ID", "TRACE_DATA"]
CHUNKS = ["PRECEDING_INSTR_COUNT", "INSTR_COUNT", "EDGE_COUNT", "FIRST_EDGE_ID", "EDGE_ID_SEQUENCE"]

# A small graph: nodes with their numbers of instructions, edges with source and target; and the edges of its threads.
NODES = {4: 3, 5: 2, 6: 1}
EDGES = {1: (1, 4), 2: (4, 5), 3: (5, 5), 4: (5, 4), 5: (5, 6), 6: (6, 2), 7: (4, 6)}
WALK = [1, 2] + 4 * (5 * [3] + [4, 2, 4, 2]) + [3, 3, 5, 6]
THREAD_EDGES = {0: WALK, 1: [1, 2, 5, 6], 3: [1, 2] + 90 * [3] + [5, 6]}


def trace_file(pid, dictionary, transitions, threads):
    return {"MAJOR_VERSION": 1, "MINOR_VERSION": 0, "PROCESSES": [
        PROCESSES, [pid, dictionary, [TRANSITIONS] + [list(r) for r in transitions],
                    [THREADS] + [[t, [CHUNKS] + [list(c) for c in chunks]] for t, chunks in threads]]]}


def dcfg_file(pid, nodes, edges, threads):
    """Return the part of a DCFG that is read here.  NODES is {id: instructions}, EDGES {id: (source, target)}, THREADS
    {thread: its edges}; a thread that is not named did not run."""
    n = max(threads) + 1
    count = {e: [0] * n for e in edges}
    for t, ids in threads.items():
        for e in ids:
            count[e][t] += 1
    ran = [sum(nodes.get(edges[e][0], 0) for e in threads.get(t, ())) for t in range(n)]
    blocks = [["NODE_ID", "ADDR_OFFSET", "SIZE", "NUM_INSTRS", "LAST_INSTR_OFFSET", "COUNT"]]
    blocks += [[k, hex(64 * k), 2 * v, v, 2 * v - 2, 1] for k, v in sorted(nodes.items())]
    return {"MAJOR_VERSION": 1, "MINOR_VERSION": 0, "FILE_NAMES": [["FILE_NAME_ID", "FILE_NAME"], [1, "/bin/prog"]],
            "EDGE_TYPES": [["EDGE_TYPE_ID", "EDGE_TYPE"], [1, "BRANCH"]],
            "SPECIAL_NODES": [["NODE_ID", "NODE_NAME"], [1, "START"], [2, "END"], [3, "UNKNOWN"]],
            "PROCESSES": [["PROCESS_ID", "PROCESS_DATA"], [pid, {
                "INSTR_COUNT_PER_THREAD": ran, "INSTR_COUNT": sum(ran),
                "IMAGES": [["IMAGE_ID", "LOAD_ADDR", "SIZE", "IMAGE_DATA"],
                           [1, "0x400000", 0x100000, {"FILE_NAME_ID": 1, "BASIC_BLOCKS": blocks}]],
                "EDGES": [["EDGE_ID", "SOURCE_NODE_ID", "TARGET_NODE_ID", "EDGE_TYPE_ID", "COUNT_PER_THREAD"]]
                + [[e, s, t, 1, count[e]] for e, (s, t) in sorted(edges.items())]}]]}


def good_dcfg():
    return dcfg_file(4711, NODES, EDGES, THREAD_EDGES)


def read_ids(path):
    a = array.array("I")
    with open(path, "rb") as f:
        a.frombytes(f.read())
    if sys.byteorder == "big":
        a.byteswap()
    return a
