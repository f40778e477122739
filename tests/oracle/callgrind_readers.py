"""How programs read a profile in Callgrind's format, in the few lines that matter: KCachegrind, gprof2dot, speedscope.

Each function below takes a file and follows the loader of one program.  Error says where that program would stop or
complain.  The rules come from the programs' behaviour; none of their code is here.
"""
import collections
import re


class Error(Exception):
    pass


def lines(path):
    """Yields (number, key, value) of each line with "=", and (number, None, fields) of each line of cost."""
    with open(path, errors="surrogateescape") as f:
        for number, line in enumerate(f, 1):
            line = line.rstrip("\n")
            m = re.match(r"(\w+)=(.*)$", line)
            if m:
                yield number, m[1], m[2]
            elif re.match(r"[0-9+*-]", line):
                yield number, None, line.split()
            elif re.match(r"(positions|events):", line):
                yield number, line.split(":")[0], line.split()[1:]


def split(value):
    """Returns the number and the name of "(3) name", "(3)" or "name"; what is missing is None."""
    m = re.match(r"\s*\((\d+)\)\s*(.*)$", value)
    return (m[1], m[2] or None) if m else (None, value.strip())


class Cost:
    """A function as a program shows it."""

    def __init__(self):
        self.self = self.called = self.inclusive = 0


def kcachegrind(path):
    """Returns {(object, file, name): Cost}.  A number stands for the function that had it first, with the object and the
    file of that line.  fi= and fe= do not move a function to another file."""
    files, objects, functions = {}, {}, {}
    costs = collections.defaultdict(Cost)
    now = dict.fromkeys(("ob", "fl", "file", "fn", "cob", "cfile", "cfn"))
    kind = "self"

    def named(table, number, what, make=lambda name: name):
        n, name = split(what)
        if n is None:
            return make(name)
        if name is not None:
            if n in table and table[n][0] != name:
                raise Error("%s:%d: number %s is redefined" % (path, number, n))
            table[n] = (name, make(name))
        if n not in table:
            raise Error("%s:%d: number %s is not defined" % (path, number, n))
        return table[n][1]

    for number, key, value in lines(path):
        if key == "positions":
            columns = len(value)
            files, objects, functions = {}, {}, {}
        elif key in ("ob", "cob"):
            now[key] = named(objects, number, value)
        elif key in ("fl", "fi", "fe"):
            now["file"] = named(files, number, value)
            if key == "fl":
                now["fl"] = now["file"]
        elif key in ("cfi", "cfl"):
            now["cfile"] = named(files, number, value)
        elif key == "jfi":
            named(files, number, value)
        elif key == "fn":
            now["file"] = now["fl"]
            now["fn"] = named(functions, number, value, lambda name: (now["ob"], now["fl"], name))
        elif key == "cfn":
            now["cfn"] = named(functions, number, value,
                               lambda name: (now["cob"] or now["ob"], now["cfile"] or now["file"], name))
        elif key in ("calls", "jump", "jcnd"):
            kind = key
            if key == "calls":
                costs[now["cfn"]].called += int(value.split()[0])
        elif key is None:
            cost = int(value[columns]) if len(value) > columns else 0
            caller = costs[now["fn"]]
            if kind == "self":
                caller.self += cost
            if kind == "self" or (kind == "calls" and now["cfn"] != now["fn"]):
                caller.inclusive += cost
            if kind == "calls":
                now["cob"] = now["cfile"] = None
            kind = "self"
        elif key != "events":
            raise Error("%s:%d: %s= is not known" % (path, number, key))
    return dict(costs)


def gprof2dot(path):
    """Returns {name: Cost}, with own costs alone.  It joins functions of one name."""
    costs = collections.defaultdict(Cost)
    table, now, kind = {}, {}, "self"
    for number, key, value in lines(path):
        if key == "positions":
            columns = len(value)
        elif key in ("ob", "fl", "fi", "fe", "fn", "cob", "cfl", "cfi", "cfn", "jfi"):
            n, name = split(value)
            sort = key.lstrip("cj")[0] + ("n" if key.endswith("fn") else "")
            if n is not None and name is not None:
                table[sort, n] = name
            now[key] = table.get((sort, n), "") if n is not None else name
        elif key in ("calls", "jump", "jcnd"):
            kind = key if key == "calls" else "self"
            if key == "calls":
                costs[now["cfn"]].called += int(value.split()[0])
        elif key is None:
            if len(value) > columns and kind == "self":
                costs[now["fn"]].self += int(value[columns])
            kind = "self"
        elif key != "events":
            raise Error("%s:%d: KeyError: %r" % (path, number, key))
    return dict(costs)


def speedscope(path):
    """Returns the cost of all functions, and the functions that are called but have no lines, as (file, name).  It takes
    one column of positions, and reads lines of jumps as costs: both are wrong for a file with addresses or jumps."""
    saved, now, own, called = {}, {}, collections.Counter(), set()
    kind = "self"
    for number, key, value in lines(path):
        if key in ("fl", "fi", "fe", "fn", "cfi", "cfl", "cfn"):
            n, name = split(value)
            sort = "fn" if key.endswith("fn") else "file"
            if n is not None and name is not None:
                if (sort, n) in saved:
                    raise Error("%s:%d: number %s is redefined" % (path, number, n))
                saved[sort, n] = name
            if n is not None and (sort, n) not in saved:
                raise Error("%s:%d: number %s is not defined" % (path, number, n))
            now[key if key != "cfl" else "cfi"] = saved[sort, n] if n is not None else name
        elif key == "calls":
            kind = "call"
        elif key is None:
            if kind == "call":
                called.add((now.get("cfi") or now["fl"], now["cfn"]))
                now["cfi"] = None
            own[now["fl"], now["fn"]] += int(value[1]) if kind == "self" else 0
            kind = "self"
    return sum(own.values()), called - set(own)
