"""Graph algorithms for the checks: reachability, dominators in two ways, natural loops.

They are written to be obviously right, and share nothing with the tool.  Dominators come from the iteration of Cooper,
Harvey and Kennedy ("A Simple, Fast Dominance Algorithm", 2001) over plain dictionaries.  brute_idoms() follows the
definition by deleting one node at a time, and checks the first way on every small routine.
"""


def reachable(roots, succ, without=None):
    seen = set(r for r in roots if r != without)
    todo = list(seen)
    while todo:
        for t in succ.get(todo.pop(), ()):
            if t not in seen and t != without:
                seen.add(t)
                todo.append(t)
    return seen


def first_of(nodes, succ):
    """Return the nodes that no other node reaches; of several that reach each other, the first."""
    def beginning(nodes):
        """Return the nodes that no node before them reaches."""
        seen = set()
        for n in nodes:
            if n not in seen:
                yield n
                seen.add(n)
                todo = [n]
                while todo:
                    new = [t for t in succ.get(todo.pop(), ()) if t not in seen]
                    seen.update(new)
                    todo += new
    return set(beginning(reversed(list(beginning(nodes)))))


def postorder(root, succ):
    out = []
    seen = {root}
    stack = [(root, iter(succ.get(root, ())))]
    while stack:
        n, it = stack[-1]
        for t in it:
            if t not in seen:
                seen.add(t)
                stack.append((t, iter(succ.get(t, ()))))
                break
        else:
            stack.pop()
            out.append(n)
    return out


def idoms(root, succ):
    """Return the immediate dominators of all nodes that ROOT reaches; ROOT has itself."""
    order = postorder(root, succ)
    num = {n: i for i, n in enumerate(order)}
    preds = {n: [] for n in order}
    for n in order:
        for t in succ.get(n, ()):
            preds[t].append(n)
    idom = {root: root}
    order.reverse()
    changed = True
    while changed:
        changed = False
        for n in order:
            if n == root:
                continue
            new = None
            for p in preds[n]:
                if p not in idom:
                    continue
                if new is None:
                    new = p
                    continue
                a, b = p, new
                while a != b:
                    while num[a] < num[b]:
                        a = idom[a]
                    while num[b] < num[a]:
                        b = idom[b]
                new = a
            if idom.get(n) != new:
                idom[n] = new
                changed = True
    return idom


def brute_idoms(root, succ):
    """Return the same by definition: d dominates n if n cannot be reached without d."""
    nodes = reachable([root], succ)
    doms = {n: {n} for n in nodes}
    for d in nodes:
        for n in nodes - reachable([root], succ, d):
            doms[n].add(d)
    out = {root: root}
    for n in nodes - {root}:
        # The immediate dominator is the strict dominator that all others dominate.
        out[n] = max(doms[n] - {n}, key=lambda d: len(doms[d]))
    return out


def depths(idom):
    """Depth of each node in the dominator tree and, for fast ancestor tests, an interval numbering."""
    children = {}
    root = None
    for n, d in idom.items():
        if n == d:
            root = n
        else:
            children.setdefault(d, []).append(n)
    first, last = {}, {}
    clock = 0
    stack = [(root, False)]
    while stack:
        n, done = stack.pop()
        if done:
            last[n] = clock
            continue
        clock += 1
        first[n] = clock
        stack.append((n, True))
        stack.extend((c, False) for c in children.get(n, ()))
    return first, last


def natural_loops(idom, succ):
    """head -> (back edge sources, members), one loop for each head."""
    first, last = depths(idom)
    back = {}
    preds = {}
    for n in idom:
        for t in succ.get(n, ()):
            preds.setdefault(t, []).append(n)
            if first[t] <= first[n] <= last[t]:
                back.setdefault(t, set()).add(n)
    out = {}
    for head, sources in back.items():
        members = {head} | sources
        todo = [s for s in sources if s != head]
        while todo:
            for p in preds.get(todo.pop(), ()):
                if p not in members:
                    members.add(p)
                    todo.append(p)
        out[head] = (sources, members)
    return out


def loop_parents(loops):
    """head -> head of the innermost other loop that contains it, or None."""
    out = {}
    by_node = {}
    for head, (_, members) in sorted(loops.items(), key=lambda l: len(l[1][1])):
        for m in members:
            if m in loops and m != head:
                by_node.setdefault(m, []).append(head)      # smallest first: innermost first
    for head, (_, members) in loops.items():
        out[head] = None
        for outer in by_node.get(head, ()):
            if members <= loops[outer][1]:
                out[head] = outer
                break
    return out
