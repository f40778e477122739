#!/usr/bin/python3
"""Checks every rule that a DCFG 1.00 file of valgrind-dcfg has to keep.

    dcfg_rules.py [--partial] [--generations] FILE...

One line for each violation, `rule-name: what and where`, the first 20 of each rule, and the number of all at
the end.  Exit status 0 when there is none, 1 when there are some, 2 when a file cannot be read.

--partial       tables may be missing (files written with --symbols=no, --analysis=no, --cfg=no and so on)
--generations   images of different names may overlap (code was unloaded and other code loaded in its place)

This program was written from the format's specification and the project's conventions, not from the tool.
"""
import re
import sys
from bisect import bisect_right
from collections import defaultdict

sys.dont_write_bytecode = True
import os
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import dcfg_graph as graph
from dcfg_model import (START, END, UNKNOWN, VAGUE, CALLS, JUMPS, ZERO_OK, INTRA, Broken, ascending, load)

BRUTE_LIMIT = 16        # routines up to this many nodes have their dominators checked by definition too
LONGEST_INSTR = 15
# Valgrind translates the preamble of a client request and the instruction after it as one unit.
REQUESTS = (19, 20)

# The kind of a block's last instruction, by its out-edges: type -> (kind, the most such edges).
KIND = {"DIRECT_CONDITIONAL_BRANCH": ("conditional", 1), "INDIRECT_CONDITIONAL_BRANCH": ("conditional", None),
        "DIRECT_UNCONDITIONAL_BRANCH": ("jump", 1), "INDIRECT_UNCONDITIONAL_BRANCH": ("indirect jump", None),
        "DIRECT_CALL": ("call", 1), "INDIRECT_CALL": ("indirect call", None), "RETURN": ("return", None),
        "SYSTEM_CALL_BYPASS": ("system call", 1), "REP": ("rep", 1)}
CALL_EDGES = CALLS | {"CALL_BYPASS"}
# Types whose target's place is known from the source.
PLACED = frozenset(["FALL_THROUGH", "SYSTEM_CALL_BYPASS", "REP", "CONTEXT_CHANGE_BYPASS"])


class Violations:
    LIMIT = 20

    def __init__(self, out=None):
        self.count = defaultdict(int)
        self.out = out

    def __call__(self, rule, text):
        self.count[rule] += 1
        if self.out and self.count[rule] <= self.LIMIT:
            print("%s: %s" % (rule, text), file=self.out)

    def finish(self):
        for rule, n in sorted(self.count.items()):
            if self.out and n > self.LIMIT:
                print("%s: and %d more" % (rule, n - self.LIMIT), file=self.out)
        return sum(self.count.values())


def name(n, blocks):
    b = blocks.get(n)
    return "%d (%#x)" % (n, b.start) if b else {START: "START", END: "END", UNKNOWN: "UNKNOWN"}.get(n, str(n))


# ---- images and blocks ------------------------------------------------------------------------------------

def check_images(p, opts, bad):
    spans = sorted(((im.load, im.load + im.size, im) for im in p.images if im.size > 0),
                   key=lambda span: span[:2])
    for im in p.images:
        if im.size <= 0 or im.load < 0 or im.load + im.size > 1 << 64:
            bad("image-range", "image %d at %#x with size %d" % (im.id, im.load, im.size))
    active = []
    for lo, hi, im in sorted(spans, key=lambda s: s[:2]):
        active = [a for a in active if a[1] > lo]
        for _, _, other in active:
            if other.name != im.name and not opts.generations:
                bad("image-overlap", "%s (image %d) and %s (image %d)" % (other.name, other.id, im.name, im.id))
        active.append((lo, hi, im))
    for im in p.images:
        if not opts.partial:
            if p.edges is not None and im.blocks and im.routines is None:
                bad("table-missing", "image %d has no ROUTINES" % im.id)
        check_symbols(im, bad)


def check_symbols(im, bad):
    before = None
    for nm, off, size in im.symbols or ():
        if not nm:
            bad("symbols", "image %d has a symbol without a name at %#x" % (im.id, off))
        if size < 0 or off < 0 or off + size > im.size:
            bad("symbols", "image %d: %s at %#x with size %d is outside" % (im.id, nm, off, size))
        if before is not None and off < before:
            bad("order", "image %d: symbol %s at %#x follows %#x" % (im.id, nm, off, before))
        before = off


def check_sizes(p, bad):
    """INSTR_SIZES, which format 1.00 does not have: a digit for each instruction of each block, zeros where unknown."""
    for im in p.images:
        if im.sizes is None:
            continue
        if not re.match(r"[0-9a-z]+\Z", im.sizes) or len(im.sizes) != sum(b.ninstr for b in im.blocks or ()):
            bad("instr-sizes", "image %d has %d sizes, or what is no size" % (im.id, len(im.sizes)))
            continue
        at = 0
        for b in im.blocks:
            sizes = [int(c, 36) for c in im.sizes[at:at + b.ninstr]]
            at += b.ninstr
            if any(sizes) and (0 in sizes or sum(sizes) != b.size or sum(sizes[:-1]) != b.last):
                bad("instr-sizes", "node %s: %s" % (name(b.id, p.blocks), sizes))


def check_blocks(p, bad):
    want = 4
    for im in p.images:
        before = None
        reach = None                # the block with the largest end so far
        for b in im.blocks or ():
            if b.id != want:
                bad("block-ids", "node %d where %d is expected" % (b.id, want))
            want = b.id + 1
            if before is not None and b.start <= before:
                bad("block-order", "node %s follows %#x" % (name(b.id, p.blocks), before))
            before = b.start
            if b.start < im.load or b.start + b.size > im.load + im.size:
                bad("block-image", "node %s with size %d is outside image %d" % (name(b.id, p.blocks), b.size, im.id))
            tail = b.size - b.last
            if (b.ninstr < 1 or not 0 <= b.last < b.size or (b.ninstr == 1) != (b.last == 0)
                    or b.last > (b.ninstr - 1) * max(REQUESTS) or b.last < b.ninstr - 1
                    or tail > LONGEST_INSTR and tail not in REQUESTS):
                bad("block-shape", "node %s: SIZE %d, NUM_INSTRS %d, LAST_INSTR_OFFSET %d"
                    % (name(b.id, p.blocks), b.size, b.ninstr, b.last))
            if reach and b.start < reach.start + reach.size:
                # Only instructions may overlap, so one of the two blocks must begin inside an instruction of the other.
                # Without the code, two violations can be seen: a block that begins where an instruction of a
                # one-instruction block begins, and two blocks that end in the same instruction.
                if b.start + b.size == reach.start + reach.size and b.last and reach.last \
                        and b.start + b.last == reach.start + reach.last:
                    bad("block-overlap", "nodes %s and %s end in the same instruction"
                        % (name(reach.id, p.blocks), name(b.id, p.blocks)))
                elif b.start == reach.start + reach.last:
                    bad("block-overlap", "node %s is the last instruction of node %s"
                        % (name(b.id, p.blocks), name(reach.id, p.blocks)))
            if reach is None or b.start + b.size > reach.start + reach.size:
                reach = b


def check_source(im, bad):
    rows = im.source
    if not rows:
        return
    covered = []                        # disjoint intervals that blocks cover
    overlapping = False
    starts, ends = {}, {}
    for b in im.blocks or ():
        lo, hi = b.start - im.load, b.start - im.load + b.size
        starts[lo] = ends[hi] = b
        if covered and lo <= covered[-1][1]:
            overlapping = overlapping or lo < covered[-1][1]
            covered[-1][1] = max(covered[-1][1], hi)
        else:
            covered.append([lo, hi])
    lows = [c[0] for c in covered]
    block_lows = sorted(starts)
    before = None
    for fid, line, off, size, n in rows:
        where = "image %d: line %d at %#x, SIZE %d, NUM_INSTRS %d" % (im.id, line, off, size, n)
        if size < 1 or n < 1 or n > size or line < 0 or off + size > im.size:
            bad("source-shape", where)
            continue
        if before is not None and (off < before[2] or not overlapping and off < before[2] + before[3]):
            bad("source-order", where + ": follows %#x, SIZE %d" % (before[2], before[3]))
        before = (fid, line, off, size)
        if im.blocks is None:
            continue
        i = bisect_right(lows, off) - 1
        if i < 0 or off + size > covered[i][1]:
            bad("source-executed", where + ": covers what was not executed")
        elif not overlapping and off in starts and off + size in ends:
            total = 0
            k = bisect_right(block_lows, off) - 1
            while k < len(block_lows) and block_lows[k] < off + size:
                total += starts[block_lows[k]].ninstr
                k += 1
            if total != n:
                bad("source-instrs", where + ": the blocks have %d instructions" % total)


# ---- edges ------------------------------------------------------------------------------------------------

class Adjacency:
    def __init__(self, p):
        self.out = defaultdict(list)
        self.into = defaultdict(list)
        for e in p.edges:
            self.out[e.src].append(e)
            self.into[e.dst].append(e)


def check_edges_alone(p, bad):
    threads = len(p.per_thread)
    pairs = set()

    def where():                # only for messages
        return "edge %d %s -> %s %s" % (e.id, name(e.src, p.blocks), name(e.dst, p.blocks), e.type)

    for e in p.edges:
        if len(e.counts) != threads:
            bad("thread-count", where() + ": %d counts, %d threads" % (len(e.counts), threads))
        if e.counts and min(e.counts) < 0:
            bad("edge-count", where() + ": a negative count")
        if (e.src, e.dst) in pairs:
            bad("edge-parallel", where())
        pairs.add((e.src, e.dst))
        if e.total == 0 and e.type not in ZERO_OK:
            bad("edge-zero", where())
        if e.type in VAGUE:
            bad("edge-type-vague", where())
        if (e.src == START) != (e.type == "ENTRY") or (e.dst == END) != (e.type == "EXIT") \
                or e.src not in p.blocks and e.src != START or e.dst not in p.blocks and e.dst != END \
                or e.src == START and e.dst == END:
            bad("edge-ends", where())


def check_flow(p, adj, bad):
    """Conservation, by thread: what enters a node leaves it, START emits and END absorbs one for each thread."""
    threads = range(len(p.per_thread))
    executed = [0] * len(p.per_thread)
    for b in p.blocks.values():
        ins = [e.counts for e in adj.into.get(b.id, ())]
        outs = [e.counts for e in adj.out.get(b.id, ())]
        inflow = [sum(c) for c in zip(*ins)] or [0 for _ in threads]
        outflow = [sum(c) for c in zip(*outs)] or [0 for _ in threads]
        if inflow != outflow:
            for t in threads:
                if inflow[t] != outflow[t]:
                    bad("conservation", "node %s thread %d: %d in, %d out"
                        % (name(b.id, p.blocks), t, inflow[t], outflow[t]))
        if b.count < 1:
            bad("block-executed", "node %s has COUNT %d" % (name(b.id, p.blocks), b.count))
        if b.count != sum(inflow):
            bad("block-count", "node %s has COUNT %d, edges bring %d" % (name(b.id, p.blocks), b.count, sum(inflow)))
        for t in threads:
            executed[t] += b.ninstr * inflow[t]
    for t in threads:
        ran = 1 if executed[t] else 0
        for node, edges, word in ((START, adj.out[START], "ENTRY"), (END, adj.into[END], "EXIT")):
            n = sum(e.counts[t] for e in edges)
            if n != ran:
                bad("entry-exit", "thread %d has %d %s traversals" % (t, n, word))
        if p.per_thread[t] != executed[t]:
            bad("instr-count-thread", "thread %d: %d given, %d by blocks" % (t, p.per_thread[t], executed[t]))
    if sum(p.per_thread) != p.instr_count:
        bad("instr-count", "%d given, threads sum to %d" % (p.instr_count, sum(p.per_thread)))


def after(e, p):
    """Does the edge lead to the block that starts where its source ends?"""
    s, t = p.blocks[e.src], p.blocks[e.dst]
    end = s.start + s.size
    # A block of an old generation was the last of it to run if it goes on in the next one.
    return t.start == end and (t.image is s.image or not end < s.image.load + s.image.size
                               or t.image.load < s.image.load + s.image.size and s.image.load < t.image.load + t.image.size)


def check_edge_places(p, adj, bad):
    starts = {}
    for b in p.blocks.values():
        starts[(id(b.image), b.start)] = b

    def here():                 # only for messages
        return name(b.id, p.blocks)

    def where():
        return "edge %d %s -> %s" % (e.id, here(), name(e.dst, p.blocks))

    def check_kinds():          # a single edge is not too many
        targets = defaultdict(set)          # addresses: the same one may hold a block of each generation
        limit = {}
        for e in outs:
            if e.type in KIND:
                targets[KIND[e.type][0]].add(p.blocks[e.dst].start if e.dst in p.blocks else e.dst)
                limit[KIND[e.type][0]] = KIND[e.type][1]
        kinds = {k: len(t) for k, t in targets.items()}
        falls = {p.blocks[e.dst].start if e.dst in p.blocks else e.dst for e in outs if e.type == "FALL_THROUGH"}
        if len(kinds) > 1:
            bad("out-edges", "node %s ends as %s" % (here(), " and ".join(sorted(kinds))))
        for k, n in kinds.items():
            if limit[k] is not None and n > limit[k]:
                bad("out-edges", "node %s: %s with %d targets" % (here(), k, n))
        if len(falls) > 1 or falls and kinds and not set(kinds) <= {"conditional", "rep"}:
            bad("out-edges", "node %s: FALL_THROUGH %d times after %s" % (here(), len(falls), " ".join(kinds) or "no jump"))

    def check_calls():          # blocks with a call, or the bypass of one
        counted = {e.dst: e for e in outs if e.total}
        calls = [e for e in outs if e.type in CALLS and e.total]
        site = starts.get((id(b.image), b.start + b.size))
        returned = site and any(e.type == "RETURN" and e.total for e in adj.into.get(site.id, ()))
        bypasses = [e for e in outs if e.type == "CALL_BYPASS"]
        for e in bypasses:
            if e.total:
                bad("call-bypass-count", "node %s -> %s" % (here(), name(e.dst, p.blocks)))
            if not calls or site is None or e.dst != site.id or not returned:
                bad("call-bypass", "node %s -> %s without a call that returned there" % (here(), name(e.dst, p.blocks)))
        if calls and returned and site.id not in counted and not bypasses:
            bad("call-bypass-missing", "node %s -> %s" % (here(), name(site.id, p.blocks)))

    for b in p.blocks.values():
        outs = adj.out.get(b.id, ())
        types = {e.type for e in outs}
        if len(outs) > 1:
            check_kinds()
        if not CALL_EDGES.isdisjoint(types):
            check_calls()
        if PLACED.isdisjoint(types):
            continue
        for e in outs:
            if e.src not in p.blocks or e.dst not in p.blocks:
                continue
            if e.type == "FALL_THROUGH" and not after(e, p):
                bad("fall-through", where())
            elif e.type == "SYSTEM_CALL_BYPASS" and not after(e, p):
                bad("system-call-bypass", where())
            elif e.type == "REP" and (e.src != e.dst or b.ninstr != 1):
                bad("rep", where())
            elif e.type == "CONTEXT_CHANGE_BYPASS":
                if e.total:
                    bad("context-bypass", where() + " is counted")
                if not any(x.type == "CONTEXT_CHANGE" for x in outs) \
                        or not any(x.type == "CONTEXT_CHANGE_RETURN" for x in adj.into.get(e.dst, ())):
                    bad("context-bypass", where() + " without a handler that returned there")


# ---- routines and loops -----------------------------------------------------------------------------------

def symbol_finder(im):
    table = sorted({(off, size) for _, off, size in im.symbols or ()})
    starts = [t[0] for t in table]

    def find(off):
        """The start of the function that holds this offset, or None."""
        i = bisect_right(starts, off) - 1
        while i >= 0 and starts[i] + table[i][1] <= off:
            if not i or starts[i - 1] + table[i - 1][1] <= off:
                return None
            i -= 1
        return starts[i] if i >= 0 else None
    return find, set(starts)


def wanted_entries(p):
    """(nodes that must be entries, nodes that may be)."""
    must, may = set(), set()
    finders = {id(im): symbol_finder(im) for im in p.images}
    for e in p.edges:
        t = p.blocks.get(e.dst)
        s = p.blocks.get(e.src)
        if t is None:
            continue
        if e.type in ("ENTRY", "CONTEXT_CHANGE") or e.type in CALLS:
            must.add(e.dst)
        elif e.type in INTRA and s is not None and s.image is not t.image:
            must.add(e.dst)
        elif e.type == "EXCLUDED_CODE_BYPASS":
            if t.image.symbols is None:
                may.add(e.dst)
                continue
            homes = [finders[id(t.image)][0](b.start - t.image.load) for b in (s, t)]
            if homes[0] != homes[1]:
                (may if None in homes else must).add(e.dst)
        elif e.type in JUMPS:
            if t.image.symbols is None:
                may.add(e.dst)          # written without symbols: which jumps cross functions cannot be seen
                continue
            find, starts = finders[id(t.image)]
            off = t.start - t.image.load
            if off in starts:
                home = {find(s.start - t.image.load), find(s.start + s.last - t.image.load)}
                if None not in home and off not in home:
                    must.add(e.dst)
                elif home != {off}:
                    may.add(e.dst)
    return must, may


def check_routines(p, adj, bad):
    owner = {}
    for im in p.images:
        before = 0
        for r in im.routines or ():
            if r.entry < before:
                bad("order", "routine %d follows %d" % (r.entry, before))
            before = r.entry
            if not ascending(r.order):
                bad("order", "routine %d: NODES not ascending" % r.entry)
            if not ascending(r.exits):
                bad("order", "routine %d: EXIT_NODE_IDS not ascending" % r.entry)
            for n in r.order:
                b = p.blocks.get(n)
                if b is None or b.image is not im:
                    bad("routine-image", "routine %d: node %d is not of its image" % (r.entry, n))
                elif n in owner:
                    bad("routine-one", "node %d is in the routines %d and %d" % (n, owner[n].entry, r.entry))
                owner[n] = r
            if r.idom.get(r.entry) != r.entry:
                bad("routine-entry", "routine %d: the entry's dominator is %s" % (r.entry, r.idom.get(r.entry)))
    for b in p.blocks.values():
        if b.id not in owner and b.image.routines is not None:
            bad("routine-one", "node %s is in no routine" % name(b.id, p.blocks))

    succ = {}
    for n in p.blocks:
        succ[n] = [e.dst for e in adj.out.get(n, ()) if e.type in INTRA and e.dst in p.blocks]
    for im in p.images:
        for r in im.routines or ():
            check_routine(p, adj, r, succ, owner, bad)
    if all(im.routines is not None for im in p.images if im.blocks):
        check_division(p, adj, succ, owner, bad)


def check_routine(p, adj, r, succ, owner, bad):
    here = "routine %s" % name(r.entry, p.blocks)
    inside = {n: [t for t in succ.get(n, ()) if owner.get(t) is r] for n in r.idom}
    found = graph.idoms(r.entry, inside) if r.entry in r.idom else {}
    for n in r.order:
        if n not in found:
            bad("routine-reach", "%s: node %s is not reached" % (here, name(n, p.blocks)))
        elif r.idom[n] != found[n] and n != r.entry:
            bad("routine-idom", "%s: node %s has %d, not %d" % (here, name(n, p.blocks), r.idom[n], found[n]))
    if len(found) <= BRUTE_LIMIT and found and graph.brute_idoms(r.entry, inside) != found:
        bad("oracle", "%s: the two dominator algorithms disagree" % here)

    exits = sorted(n for n in r.idom
                   if any(e.total and owner.get(e.dst) is not r for e in adj.out.get(n, ())))
    if sorted(set(r.exits)) != exits:
        bad("routine-exits", "%s has %s, should have %s" % (here, sorted(set(r.exits)), exits))

    loops = graph.natural_loops(found, inside) if found else {}
    parents = graph.loop_parents(loops)
    if r.columns == 4 and not r.loops:
        bad("loops-omitted", "%s has an empty LOOPS" % here)
    if len({l.head for l in r.loops}) != len(r.loops):
        bad("loop-heads", "%s: two loops with one head" % here)
    if not ascending([l.head for l in r.loops]) and len({l.head for l in r.loops}) == len(r.loops):
        bad("order", "%s: loops not ascending" % here)
    for head in set(loops) - {l.head for l in r.loops}:
        bad("loop-missing", "%s: no loop with head %s" % (here, name(head, p.blocks)))
    for l in r.loops:
        where = "%s loop %s" % (here, name(l.head, p.blocks))
        if l.head not in loops:
            bad("loop-false", where)
            continue
        sources, members = loops[l.head]
        if sorted(set(l.sources)) != sorted(sources):
            bad("loop-back-edges", "%s has %s, should have %s" % (where, l.sources, sorted(sources)))
        if sorted(set(l.nodes)) != sorted(members):
            bad("loop-members", "%s has %d nodes, should have %d; differ in %s"
                % (where, len(l.nodes), len(members), sorted(set(l.nodes) ^ members)[:10]))
        if not ascending(l.sources) or not ascending(l.nodes):
            bad("order", "%s: ids not ascending" % where)
        if l.parent != parents[l.head]:
            bad("loop-parent", "%s has %s, should have %s" % (where, l.parent, parents[l.head]))
        elif (l.columns == 4) != (l.parent is not None):
            bad("loop-columns", "%s has %d columns" % (where, l.columns))


def check_division(p, adj, succ, owner, bad):
    """The routines must be the children of a virtual root above all entries, with all that each dominates."""
    must, may = wanted_entries(p)
    entries = {r.entry for im in p.images for r in im.routines or ()}
    for n in sorted(must - entries):
        bad("routine-division", "node %s is an entry by its edges, but no routine's" % name(n, p.blocks))
    roots = must | (may & entries)
    # Targets of returns only hang below the root, except those that another such node reaches.
    reached = graph.reachable(roots, succ)
    left = graph.first_of([n for n in sorted(p.blocks) if n not in reached
                           and any(e.total and e.type not in INTRA for e in adj.into.get(n, ()))], succ)
    for n in sorted(left - entries):
        bad("routine-division", "node %s is an entry, for nothing but returns lead there, but no routine's"
            % name(n, p.blocks))
    odd = entries - reached - graph.reachable(left, succ)
    for n in sorted(odd):
        bad("routine-division", "nothing makes node %s an entry" % name(n, p.blocks))
    must, left = must | left, left | odd
    tree = dict(succ)
    tree[0] = sorted(roots | left)
    idom = graph.idoms(0, tree)
    children = {n for n, d in idom.items() if d == 0 and n != 0}
    for n in sorted((children - entries) - must):
        bad("routine-division", "node %s is reached by two routines, but is no entry" % name(n, p.blocks))
    for n in sorted((entries - children) - must):
        bad("routine-division", "node %s is an entry without need" % name(n, p.blocks))
    if children == entries:
        for n, d in idom.items():
            if n and d and owner.get(n) is not owner.get(d):
                bad("routine-division", "node %s is not in the routine of its dominator" % name(n, p.blocks))


# ---- all of it --------------------------------------------------------------------------------------------

class Options:
    partial = generations = False


def check_process(p, opts, bad):
    check_images(p, opts, bad)
    check_blocks(p, bad)
    check_sizes(p, bad)
    for im in p.images:
        check_source(im, bad)
    if p.edges is None:
        if not opts.partial:
            bad("table-missing", "no EDGES")
        return
    check_edges_alone(p, bad)
    if any(bad.count[r] for r in ("edge-ends", "thread-count", "id-unique")):
        return                  # other violations would only repeat these
    adj = Adjacency(p)
    check_flow(p, adj, bad)
    check_edge_places(p, adj, bad)
    check_routines(p, adj, bad)


def check_file(path, opts=Options, bad=None):
    bad = bad or Violations()
    return check_processes(load(path, bad), opts, bad)


def check_processes(processes, opts, bad):
    for p in processes:
        check_process(p, opts, bad)
    return bad


def main(argv):
    opts = Options()
    files = []
    for a in argv:
        if a == "--partial":
            opts.partial = True
        elif a == "--generations":
            opts.generations = True
        elif a.startswith("-"):
            print(__doc__.strip(), file=sys.stderr)
            return 2
        else:
            files.append(a)
    status = 0 if files else 2
    for f in files:
        bad = Violations(sys.stdout)
        try:
            check_file(f, opts, bad)
        except (Broken, OSError, EOFError) as e:
            print("unreadable: %s: %s" % (f, e))
            status = 2
            continue
        n = bad.finish()
        print("%s: %d violation%s" % (f, n, "" if n == 1 else "s"))
        status = max(status, 1 if n else 0)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
