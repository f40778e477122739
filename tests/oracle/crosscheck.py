#!/usr/bin/python3
"""Compares a DCFG with Lackey's account of the identical run, exactly.

    crosscheck.py FILE TABLE        TABLE is what lackey_agg made of Lackey's trace
    crosscheck.py --static FILE     no trace (several threads, signals): compares with the code in the ELF files only

The run must have one thread and no signals, because Lackey's trace does not tell where these happened.  The expected
graph is derived here from the trace and the instructions' bytes alone:

- A block begins at the first instruction of the run, after every control transfer, system call and REP instruction, at
  every REP instruction, at every target of a transfer, and wherever two instructions lead to.  It ends before the next
  of these places.
- An edge is a pair (last instruction of a block, next executed instruction), typed by the instruction's class.

Differences are printed by name, at most 20 of each.  Exit status 0: none, 1: some, 2: cannot compare.
"""
import os
import sys
from collections import defaultdict

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import machine_code as code_of
from dcfg_model import START, END, Broken, load

LIMIT = 20
EDGE_OF = {code_of.COND: "DIRECT_CONDITIONAL_BRANCH", code_of.JUMP: "DIRECT_UNCONDITIONAL_BRANCH",
           code_of.IJUMP: "INDIRECT_UNCONDITIONAL_BRANCH", code_of.CALL: "DIRECT_CALL", code_of.ICALL: "INDIRECT_CALL",
           code_of.RET: "RETURN", code_of.SYSCALL: "SYSTEM_CALL_BYPASS", code_of.REP: "REP",
           code_of.PLAIN: "FALL_THROUGH"}


class Differences:
    def __init__(self, images):
        self.count = defaultdict(int)
        self.notes = defaultdict(int)
        self.images = images

    def where(self, addr):
        if isinstance(addr, str):
            return addr
        for im in self.images:
            if im.load <= addr < im.load + im.size:
                best = max(((off, nm) for nm, off, size in im.symbols or ()
                            if off <= addr - im.load < off + size), default=None)
                sym = " %s+%#x" % (best[1], addr - im.load - best[0]) if best else ""
                return "%#x (%s+%#x%s)" % (addr, os.path.basename(im.name), addr - im.load, sym)
        return "%#x" % addr

    def __call__(self, name, text):
        self.count[name] += 1
        if self.count[name] <= LIMIT:
            print("%s: %s" % (name, text))

    def note(self, name):
        self.notes[name] += 1

    def finish(self, path):
        for n, k in sorted(self.count.items()):
            if k > LIMIT:
                print("%s: and %d more" % (n, k - LIMIT))
        for n, k in sorted(self.notes.items()):
            print("note: %s: %d" % (n, k))
        total = sum(self.count.values())
        print("%s: %d difference%s" % (path, total, "" if total == 1 else "s"))
        return 1 if total else 0


class Trace:
    """lackey_agg's table."""

    def __init__(self, path):
        self.insns = {}             # addr -> (len, count)
        self.next = defaultdict(dict)
        self.twice = []
        with open(path) as f:
            for line in f:
                w = line.split()
                if w[0] == "I":
                    a = int(w[1], 16)
                    if a in self.insns:
                        self.twice.append(a)
                    self.insns[a] = (int(w[2]), int(w[3]))
                elif w[0] == "P":
                    self.next[int(w[1], 16)][int(w[3], 16)] = int(w[4])
                elif w[0] == "total":
                    self.total = int(w[1])
                else:
                    setattr(self, w[0], int(w[1], 16))


def expected(trace, code, diff):
    """Return the expected (blocks, edges).

        blocks: start -> (size, number of instructions, offset of the last, count); edges: (start, start) ->
        (set of allowed types, count)."""
    kind = {}
    for a, (length, _) in trace.insns.items():
        k, seen_length, _ = code.kind(a, length)
        if k != code_of.UNSEEN and seen_length != length:
            diff("disassembly", "%s: %d bytes were executed, the file has an instruction of %d"
                 % (diff.where(a), length, seen_length))
            k = code_of.UNSEEN
        if k == code_of.UNSEEN:
            diff.note("instructions without code to look at")
        kind[a] = k

    leaders = {trace.first}
    preds = defaultdict(int)
    straight = {}                   # a plain instruction's only successor
    for a, nexts in trace.next.items():
        end = a + trace.insns[a][0]
        on = kind[a] == code_of.PLAIN or kind[a] == code_of.UNSEEN and list(nexts) == [end]
        if kind[a] == code_of.PLAIN and list(nexts) != [end]:
            diff("unexpected-transfer", "%s goes to %s" % (diff.where(a), " ".join(map(diff.where, nexts))))
            on = False
        for b in nexts:
            preds[b] += 1
            if not on:
                leaders.add(b)
        if on:
            straight[a] = end
    leaders.update(b for b, n in preds.items() if n > 1)
    leaders.update(a for a, k in kind.items() if k == code_of.REP)

    blocks, ends = {}, {}
    reached = 0
    for start in leaders:
        a, n = start, 1
        while a in straight and straight[a] not in leaders:
            a = straight[a]
            n += 1
            if trace.insns[a][1] != trace.insns[start][1]:
                diff("lackey-count", "%s ran %d times, %s before it %d times"
                     % (diff.where(a), trace.insns[a][1], diff.where(start), trace.insns[start][1]))
        blocks[start] = (a + trace.insns[a][0] - start, n, a - start, trace.insns[start][1])
        ends[start] = a
        reached += n
    if reached != len(trace.insns):
        diff("oracle", "%d instructions in blocks, %d executed" % (reached, len(trace.insns)))

    edges = {("START", trace.first): ({"ENTRY"}, 1)}
    for start, a in ends.items():
        end = start + blocks[start][0]
        for b, n in trace.next.get(a, {}).items():
            k = kind[a]
            if k == code_of.UNSEEN:
                types = set(EDGE_OF.values())
            elif k == code_of.COND and b == end:
                types = {"FALL_THROUGH"}
                rel = code.kind(a, trace.insns[a][0])[2]
                if rel == trace.insns[a][0]:
                    types.add("DIRECT_CONDITIONAL_BRANCH")      # taken or not, it goes to the same place
            elif k == code_of.REP:
                types = {"REP" if b == a else "FALL_THROUGH"}
            else:
                types = {EDGE_OF[k]}
            edges[start, b] = (types, n)
        if a == trace.last:
            edges[start, "END"] = ({"EXIT"}, 1)
    entered_by_return = {b for (s, b), (types, _) in edges.items() if types == {"RETURN"}}
    for start, a in ends.items():
        end = start + blocks[start][0]
        if kind[a] in (code_of.CALL, code_of.ICALL) and end in entered_by_return and (start, end) not in edges:
            edges[start, end] = ({"CALL_BYPASS"}, 0)
    unseen = {s for s, a in ends.items() if kind[a] == code_of.UNSEEN}
    return blocks, edges, unseen


def compare(p, trace, diff):
    code = code_of.Code([(im.name, im.load, im.size) for im in p.images])
    blocks, edges, unseen = expected(trace, code, diff)
    if p.instr_count != trace.total:
        diff("total", "INSTR_COUNT is %d, Lackey counted %d" % (p.instr_count, trace.total))
    got = {}
    for b in p.blocks.values():
        if b.start in got:
            diff("block-twice", diff.where(b.start))
        got[b.start] = (b.size, b.ninstr, b.last, b.count)
    for s in sorted(set(got) | set(blocks)):
        if s not in got:
            diff("block-missing", "%s %s" % (diff.where(s), "SIZE %d NUM_INSTRS %d LAST %d COUNT %d" % blocks[s]))
        elif s not in blocks:
            what = "inside a block" if s in trace.insns else "never executed"
            diff("block-extra", "%s %s: %s" % (diff.where(s), "SIZE %d NUM_INSTRS %d LAST %d COUNT %d" % got[s], what))
        elif got[s] != blocks[s]:
            for word, i in (("size", 0), ("instrs", 1), ("last", 2), ("count", 3)):
                if got[s][i] != blocks[s][i]:
                    diff("block-" + word, "%s has %d, should have %d" % (diff.where(s), got[s][i], blocks[s][i]))

    node = {START: "START", END: "END"}
    node.update((b.id, b.start) for b in p.blocks.values())
    have = {}
    for e in p.edges:
        have[node.get(e.src, "?"), node.get(e.dst, "?")] = (e.type, e.total)
    def where(pair):                # only for differences: finding names takes longer than the comparison
        return "%s -> %s" % tuple(map(diff.where, pair))

    for pair in sorted(set(have) | set(edges), key=str):
        if pair not in have:
            diff("edge-missing", "%s %s %d" % (where(pair), "/".join(sorted(edges[pair][0])), edges[pair][1]))
        elif pair not in edges:
            if pair[0] in unseen and have[pair][1] == 0:
                diff.note("bypass edges from unseen code")
            else:
                diff("edge-extra", "%s %s %d" % ((where(pair),) + have[pair]))
        else:
            if have[pair][1] != edges[pair][1]:
                diff("edge-count", "%s %s has %d, should have %d"
                     % (where(pair), have[pair][0], have[pair][1], edges[pair][1]))
            if have[pair][0] not in edges[pair][0]:
                diff("edge-type", "%s is %s, should be %s"
                     % (where(pair), have[pair][0], "/".join(sorted(edges[pair][0]))))


def static(p, diff):
    """Check each block against the code in the files: instructions, class of the last, direct targets, maximality."""
    code = code_of.Code([(im.name, im.load, im.size) for im in p.images])
    outs, ins = defaultdict(list), defaultdict(list)
    for e in p.edges:
        outs[e.src].append(e)
        ins[e.dst].append(e)
    for b in p.blocks.values():
        a, n, kind, rel, last = b.start, 0, None, None, 0
        while a < b.start + b.size:
            kind, length, rel = code.at(a)
            if kind == code_of.UNSEEN:
                break
            n += 1
            last = a - b.start
            a += length
            if a < b.start + b.size and kind != code_of.PLAIN or kind == code_of.REP and n > 1:
                diff("block-passes", "%s has a %s at %+d" % (diff.where(b.start), kind, last))
                break
        if kind == code_of.UNSEEN:
            diff.note("blocks without code to look at")
            continue
        if (n, last, a - b.start) != (b.ninstr, b.last, b.size):
            diff("block-code", "%s: NUM_INSTRS %d, LAST %d, SIZE %d; the code has %d, %d, %d"
                 % (diff.where(b.start), b.ninstr, b.last, b.size, n, last, a - b.start))
            continue
        flow = [e for e in outs[b.id] if e.type in EDGE_OF.values()]
        for e in flow:
            ok = e.type == EDGE_OF[kind] or kind in (code_of.COND, code_of.REP) and e.type == "FALL_THROUGH" \
                or kind == code_of.SYSCALL and e.type.startswith("CONTEXT_CHANGE")
            if not ok:
                diff("edge-type", "%s -> %d is %s after a %s" % (diff.where(b.start), e.dst, e.type, kind))
            target = p.blocks.get(e.dst)
            if rel is not None and e.type != "FALL_THROUGH" and target and target.start != b.start + last + rel:
                diff.note("direct transfers that Valgrind redirected")
        if kind == code_of.PLAIN and len(outs[b.id]) == 1 and flow and len(ins[flow[0].dst]) == 1:
            t = p.blocks[flow[0].dst]
            if code.at(t.start)[0] != code_of.REP:
                diff("block-not-maximal", "%s and %s are one" % (diff.where(b.start), diff.where(t.start)))


def main(argv):
    if len(argv) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    try:
        path = argv[1] if argv[0] == "--static" else argv[0]
        p = load(path, lambda rule, text: None)[0]
        diff = Differences(p.images)
        if p.edges is None:
            raise Broken("no edges")
        if argv[0] == "--static":
            static(p, diff)
            return diff.finish(path)
        trace = Trace(argv[1])
        if len(p.per_thread) != 1:
            raise Broken("more than one thread")
        if trace.twice:
            raise Broken("code changed while it ran, at %#x" % trace.twice[0])
    except (Broken, OSError, EOFError, IndexError, AttributeError) as e:
        print("cannot compare: %s" % e)
        return 2
    compare(p, trace, diff)
    return diff.finish(path)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
