"""Broken files, made from right ones: DCFGs and DCFG-traces with changes that know the format.

Mutator(seed).mutant(text) returns bytes.  The same seed and the same files give the same mutants.
"""
import json
import random

INTEGERS = [0, 1, 2, 3, 4, 5, 7, 63, 64, 255, 256, 65535, 65536, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32,
            (1 << 53) + 1, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, 1 << 64, 10 ** 30, -1, -2, -(1 << 31), -(1 << 63)]
TEXTS = ["", "0", "0x", "0x0", "0x1", "0xffffffffffffffff", "0x10000000000000000", "-1", "07", "0X1F", " 1", "1 ", "START",
         "END", "UNKNOWN", "CALL", "REP", "main", "\u00e9", "\0", "\x7f\x1b[31m", "a" * 300, "_ZN4work3BoxIiE4areaEv",
         "_Z1f1A1BIS_S_ES0_IS1_S1_E", "_RNvC4prog4main", "name@VERSION", "%s%n", "<a>", "(9*A)", "(99999999999*A)", "../x"]
OTHERS = [None, True, False, 1.5, -0.0, 1e300, [], {}, [[]], [{}], {"": []}, [1], [[1], [1]]]
SEQUENCES = ["A", "<a>", "<b>", "(2*A)", "(0*A)", "(3*(2*B))", "(", ")", "<", ">", "*", "(4294967296*<a>)", "()", "(*)", "~",
             "+", "-", "0", "z", "(18446744073709551616*A)", "(1*" * 40 + "A" + ")" * 40]
CODES = ["", "0", "1", "00", "01", "10", "11", "0" * 32, "1" * 33, "2", "x"]


class Place:
    """The place of a value: the list or object, with index or key, and the column of the table."""
    __slots__ = ("into", "at", "column")

    def __init__(self, into, at, column):
        self.into, self.at, self.column = into, at, column

    def get(self):
        return self.into[self.at]

    def set(self, value):
        self.into[self.at] = value


def is_table(value):
    return (isinstance(value, list) and len(value) > 0 and isinstance(value[0], list) and len(value[0]) > 0
            and all(isinstance(c, str) for c in value[0]))


def places(root):
    """Returns every value below the root."""
    found, todo = [], [(root, None)]
    while todo:
        value, column = todo.pop()
        if isinstance(value, dict):
            for key, v in value.items():
                found.append(Place(value, key, key))
                todo.append((v, key))
        elif isinstance(value, list):
            table = is_table(value)
            for i, v in enumerate(value):
                found.append(Place(value, i, column))
                if table and i > 0 and isinstance(v, list):
                    for k, cell in enumerate(v):
                        name = value[0][k] if k < len(value[0]) else None
                        found.append(Place(v, k, name))
                        if isinstance(cell, (list, dict)):
                            todo.append((cell, name))
                elif isinstance(v, (list, dict)):
                    todo.append((v, column))
    return found


class Mutator:
    def __init__(self, seed):
        self.r = random.Random(seed)

    # ---- values --------------------------------------------------------------------------------------------------

    def other_number(self, n):
        return self.r.choice([n + 1, n - 1, -n, 2 * n, n ^ 1, self.r.choice(INTEGERS), self.r.randrange(30)])

    def other_value(self, value, column, same):
        """Returns another value for VALUE; SAME: values of the same column."""
        r = self.r
        if same and r.random() < 0.5:
            return json.loads(json.dumps(r.choice(same)))
        if column == "EDGE_ID_SEQUENCE" and r.random() < 0.8:
            return self.other_sequence(value if isinstance(value, str) else "")
        if column == "TRANSITION_CODE" and r.random() < 0.8:
            return r.choice(CODES)
        if r.random() < 0.08:
            return json.loads(json.dumps(r.choice(OTHERS)))
        if isinstance(value, bool) or value is None:
            return r.choice(INTEGERS)
        if isinstance(value, int):
            n = self.other_number(value)
            return hex(n) if n >= 0 and r.random() < 0.05 else n
        if isinstance(value, str):
            if value.startswith("0x") and r.random() < 0.7:
                n = self.other_number(int(value, 16) if value[2:].isalnum() and value[2:].isascii()
                                      and all(c in "0123456789abcdefABCDEF" for c in value[2:]) else 0)
                return hex(n) if n >= 0 else n
            return r.choice(TEXTS)
        return r.choice(INTEGERS + OTHERS[:6])

    def other_sequence(self, text):
        r = self.r
        i = r.randrange(len(text) + 1)
        kind = r.randrange(5)
        if kind == 0:
            return text[:i] + r.choice(SEQUENCES) + text[i:]
        if kind == 1:
            return text[:i] + text[i + 1:]
        if kind == 2:
            return text[:i] + r.choice("ABCDabcd0189+-") + text[i + 1:]
        if kind == 3:
            return "(%d*%s)" % (r.choice([0, 1, 2, 3, 1 << 40]), text)
        return text[:i] + text

    # ---- changes of the tree -------------------------------------------------------------------------------------

    def change_value(self, all_places):
        p = self.r.choice(all_places)
        same = [q.get() for q in self.r.sample(all_places, min(60, len(all_places))) if q.column == p.column]
        p.set(self.other_value(p.get(), p.column, same))

    def delete(self, all_places):
        p = self.r.choice(all_places)
        if p.at in p.into if isinstance(p.into, dict) else True:
            del p.into[p.at]

    def repeat(self, all_places):
        p = self.r.choice([q for q in all_places if isinstance(q.into, list)] or all_places)
        if isinstance(p.into, list):
            n = self.r.choice([1, 1, 1, 2, 50])
            copies = [json.loads(json.dumps(p.get())) for _ in range(n)]
            i = self.r.choice([p.at, len(p.into)])
            p.into[i:i] = copies
        else:
            p.into[self.r.choice(TEXTS)] = json.loads(json.dumps(p.get()))

    def swap(self, all_places):
        """Exchanges neighbours, or two values of a column, or any two, neither inside the other."""
        r = self.r
        p = r.choice(all_places)
        if isinstance(p.into, list) and r.random() < 0.5:
            i = r.randrange(len(p.into))
            p.into[p.at], p.into[i] = p.into[i], p.into[p.at]
            return
        q = r.choice([x for x in r.sample(all_places, min(100, len(all_places))) if x.column == p.column] or [p])
        a, b = json.loads(json.dumps([p.get(), q.get()]))
        p.set(b)
        q.set(a)

    def move(self, all_places):
        r = self.r
        a, b = r.choice(all_places), r.choice(all_places)
        value = json.loads(json.dumps(a.get()))
        b.set(value)

    def columns(self, all_places):
        """Changes a table's columns: another order, another name, one more, one less, with the rows or without."""
        r = self.r
        tables = [p.get() for p in all_places if is_table(p.get())]
        if not tables:
            return
        t = r.choice(tables)
        rows = [row for row in t if isinstance(row, list)]
        i, k = r.randrange(len(t[0])), r.randrange(len(t[0]))
        kind = r.randrange(6)
        if kind == 0:
            for row in rows if r.random() < 0.7 else rows[:1]:
                if max(i, k) < len(row):
                    row[i], row[k] = row[k], row[i]
        elif kind == 1:
            t[0][i] = r.choice(t[0] + TEXTS)
        elif kind == 2:
            for row in rows if r.random() < 0.7 else rows[:1]:
                if i < len(row):
                    del row[i]
        elif kind == 3:
            for row in rows if r.random() < 0.7 else rows[:1]:
                row.insert(i, "EXTRA" if row is t[0] else r.choice([0, 1, "x"]))
        elif kind == 4:
            r.choice(rows).append(r.choice([0, 1, 7, "x", None]))
        else:
            other = r.choice(tables)
            t[:], other[:] = json.loads(json.dumps([other, t]))

    def nest(self, all_places):
        value = depth = self.r.choice([5, 100, 400, 700])
        for _ in range(depth):
            value = [value] if self.r.random() < 0.9 else {"k": value}
        self.r.choice(all_places).set(value)

    def dictionary(self, all_places):
        """Changes entries of the dictionary, which may name each other, and uses of them."""
        r = self.r
        for p in all_places:
            if p.at == "STRING_DICTIONARY" or p.column == "STRING_DICTIONARY":
                entries = p.get()
                if isinstance(entries, dict):
                    for _ in range(r.choice([1, 2, 5, 60])):
                        key = r.choice(["a", "b", "c", "", "+", "." if r.random() < 0.1 else "ab", str(r.randrange(99))])
                        entries[key] = "".join(r.choice(SEQUENCES + ["<%d>" % r.randrange(99)])
                                               for _ in range(r.randrange(4)))

    CHANGES = [(change_value, 12), (delete, 4), (repeat, 4), (swap, 4), (move, 2), (columns, 3), (nest, 0.3),
               (dictionary, 0.7)]

    # ---- changes of the text -------------------------------------------------------------------------------------

    def scramble(self, text):
        r = self.r
        i, k = sorted((r.randrange(len(text) + 1), r.randrange(len(text) + 1)))
        kind = r.randrange(7)
        if kind == 0:
            return text[:i]
        if kind == 1:
            return text[:i] + bytes([r.randrange(256)]) + text[i + 1:]
        if kind == 2:
            return text[:i] + text[i + 1:]
        if kind == 3:
            return text[:i] + text[i:k] + text[i:]
        if kind == 4:
            return text[:i] + r.choice([b"\xff", b"\xed\xa0\x80", b"\\u0000", b"\\ud800", b"\0", b"/**/", b" " * 1000]) + text[i:]
        if kind == 5:           # a key twice
            quoted = text.find(b'"', i)
            return text[:quoted] + b'"PROCESS_ID":1,' + text[quoted:] if quoted >= 0 else text
        return text + r.choice([b"{}", b"x", text[:100], b"\n\n"])

    # ---- a file --------------------------------------------------------------------------------------------------

    def mutant(self, text):
        try:
            return self.changed(json.loads(text))
        except (ValueError, RecursionError):
            return self.scramble(text)

    def changed(self, root):
        r = self.r
        if r.random() < 0.04:
            raise ValueError
        for _ in range(r.choice([1, 1, 1, 1, 1, 1, 2, 2, 3, 5, 9])):
            found = places(root)
            if not found:
                break
            changes, weights = zip(*self.CHANGES)
            r.choices(changes, weights)[0](self, found)
        data = json.dumps(root, separators=r.choice([(",", ":"), (", ", ": ")]), ensure_ascii=r.random() < 0.8,
                          indent=1 if r.random() < 0.02 else None)
        data = data.encode("utf-8", "surrogatepass")
        return self.scramble(data) if r.random() < 0.02 else data
