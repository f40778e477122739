#!/usr/bin/python3
"""Prints a DCFG as a listing that does not depend on identifiers or load addresses, for expected files.

    dcfg_print.py [--image NAME] FILE       only what belongs to the image whose file name ends in /NAME

Nodes are written relative to the symbol before them, whatever its size, else to the image.  After the listing come
the violations of dcfg_rules.py, so that an expected file with "rules kept" also says that there are none.
"""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import dcfg_rules
from dcfg_model import START, END, Broken, load


def namer(p):
    def node(n):
        b = p.blocks.get(n)
        if b is None:
            return {START: "START", END: "END"}.get(n, "?%d" % n)
        off = b.start - b.image.load
        before = [(o, nm) for nm, o, _ in b.image.symbols or () if o <= off]
        if before:
            o, nm = max(before)
            return nm if off == o else "%s+%#x" % (nm, off - o)
        return "%s+%#x" % (os.path.basename(b.image.name), off)
    return node


def numbers(counts):
    return " ".join(map(str, counts))


def listing(p, only, out):
    node = namer(p)
    images = [im for im in p.images if not only or os.path.basename(im.name) == only]
    mine = {b.id for im in images for b in im.blocks or ()}
    out("instructions %s" % numbers(p.per_thread))
    for im in images:
        out("image %s" % os.path.basename(im.name))
        for b in im.blocks or ():
            out("block %s size %d instrs %d last %d count %d" % (node(b.id), b.size, b.ninstr, b.last, b.count))
    key = {n: (b.image.id, b.start) for n, b in p.blocks.items()}
    key.update({START: (-1, 0), END: (1 << 40, 0)})
    for e in sorted(p.edges or (), key=lambda e: (key.get(e.src, (0, 0)), key.get(e.dst, (0, 0)))):
        if not only or e.src in mine or e.dst in mine:
            out("edge %s -> %s %s %s" % (node(e.src), node(e.dst), e.type, numbers(e.counts)))
    for im in images:
        for r in im.routines or ():
            out("routine %s exits %s" % (node(r.entry), " ".join(map(node, r.exits)) or "none"))
            for n in r.order:
                if n != r.entry:
                    out("  %s below %s" % (node(n), node(r.idom[n])))
            for l in r.loops:
                out("  loop %s from %s has %s%s" % (node(l.head), " ".join(map(node, l.sources)),
                    " ".join(map(node, l.nodes)), " in %s" % node(l.parent) if l.parent else ""))


def main(argv):
    only = None
    if len(argv) == 3 and argv[0] == "--image":
        only = argv[1]
        argv = argv[2:]
    if len(argv) != 1:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    bad = dcfg_rules.Violations(sys.stdout)
    try:
        for p in load(argv[0], bad):
            listing(p, only, print)
            dcfg_rules.check_process(p, dcfg_rules.Options, bad)
    except (Broken, OSError, EOFError) as e:
        print("unreadable: %s" % e)
        return 2
    n = bad.finish()
    print("%d violations" % n if n else "rules kept")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
