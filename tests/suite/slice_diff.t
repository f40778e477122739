#!/usr/bin/python3
"""dcfg slice --diff: the differences of the slices of two runs, compared with the slices.  (TAP)"""
import collections
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import commandlib
import harness
import slicelib

SOURCE = """#include <stdio.h>
static int half(int x)
{
    return x / 2;
}
int main(int argc, char **argv)
{
    int sum = 0;
    for (int i = 0; i < 3 * argc; i++)
        sum += i;
    if (argc > 1)
        sum += half(argv[1][0]);
    else
        sum = sum * 7;
    printf("%d\\n", sum);
    return 0;
}
"""
AT = "--at=both.c:15"


def counts(s):
    """Returns instances by line of the source, and by address in the program with the code."""
    lines, codes = collections.Counter(), collections.Counter()
    for x in s.data["instr"]:
        if s.places[x][0] == "both.c":
            lines["both.c:%d" % s.places[x][1]] += 1
            codes[s.addr[x], s.data["code"][x]] += 1
    return lines, codes


def main():
    tap = harness.Tap("slice_diff")
    path = tap.path("both.c")
    with open(path, "w") as f:
        f.write(SOURCE)
    prog = harness.cc(tap, path, "both", "-O0")
    runs = [slicelib.record(tap, "run%d" % k, [prog] + ["x"] * k)[0] for k in range(2)]
    slices = [slicelib.slice_of(tap, wet, AT)[0] for wet in runs]
    if not all(slices):
        tap.ok(False, "slices")
        tap.done()
    (lines_a, codes_a), (lines_b, codes_b) = map(counts, slices)
    status, text, err = commandlib.command("slice", "--diff", "--json", AT, *runs)
    told = json.loads(text) if status == 1 else {"lines": [], "instructions": []}
    have = {r["source"]: (r["change"], r["a"], r["b"]) for r in told["lines"] if r["source"].startswith("both.c:")}
    word = lambda a, b: "new" if a == 0 else "gone" if b == 0 else "changed"
    want = {k: (word(lines_a[k], lines_b[k]), lines_a[k], lines_b[k]) for k in lines_a | lines_b if lines_a[k] != lines_b[k]}
    tap.ok(status == 1 and err == "" and have == want, "lines that are in one only, or as often", "%s\n%s\n%s" % (have, want, err))
    tap.ok(have.get("both.c:12", "")[:1] == ("new",) and have.get("both.c:14", "")[:1] == ("gone",)
           and have.get("both.c:10", "")[:1] == ("changed",), "new, gone and changed ones", have)
    want = sorted((word(codes_a[k], codes_b[k]), codes_a[k], codes_b[k], k[1])
                  for k in codes_a | codes_b if codes_a[k] != codes_b[k])
    have = sorted((r["change"], r["a"], r["b"], r["code"]) for r in told["instructions"] if r["source"].startswith("both.c:"))
    tap.ok(have == want and want, "and instructions with their code", "%s\n%s" % (have, want))
    for form, row in ("--csv", r"^(\w+),(\d+),(\d+),both\.c:\d+,0x\w+,both,\"?(.*?)\"?$"), \
                     ("--markdown", r"^\| `(\w+)` \| (\d+) \| (\d+) \| `both\.c:\d+` \| 0x\w+ \| `both` \| `(.*)` \|$"), \
                     ("--top=0", r"^(\w+) +(\d+) +(\d+)  both\.c:\d+ +0x\w+  both +(.*)$"):
        text = commandlib.command("slice", "--diff", form, AT, *runs)[1]
        have = sorted((change, int(a), int(b), code) for change, a, b, code in re.findall(row, text, re.M))
        tap.ok(have == want, "the same with " + form, "%s\n%s\n%s" % (have, want, text[-3000:]))
    status, text, _ = commandlib.command("slice", "--diff", AT, *runs)
    heads = re.findall(r"^(Lines|Instructions): \d+ new, \d+ gone, \d+ changed, of [\d,]+, in instances$", text, re.M)
    tap.ok(status == 1 and heads == ["Lines", "Instructions"] and re.search(r"^new +0 +\d+ +both\.c:12 +sum \+= half", text, re.M),
           "for people with the source", text)
    for rows in told.values():
        own = [r.get("image", "both") == "both" and (r["source"] == "" or r["source"].startswith("both.c:")) for r in rows]
        tap.ok(own == sorted(own, reverse=True) and any(own), "the program stands before libraries", rows[:5])
    status, text, _ = commandlib.command("slice", "--diff", AT, runs[0], runs[0])
    tap.ok(status == 0 and "0 new, 0 gone, 0 changed" in text, "a slice does not differ from itself", text)
    os.mkdir(tap.path("other"))
    with open(tap.path("other/both.c"), "w") as f:
        f.write(SOURCE.replace("i++", "i += 2"))
    other = harness.cc(tap, tap.path("other/both.c"), "other/both", "-O0")
    wet = other and slicelib.record(tap, "elsewhere", [other])[0]
    if wet:
        text = commandlib.command("slice", "--diff", "--json", AT, runs[0], wet)[1]
        rows = {(r["source"], r["change"]) for r in json.loads(text)["lines"] if r["source"].startswith("both.c:")}
        tap.ok(rows == {("both.c:9", "changed"), ("both.c:10", "changed")}, "programs that were built in two places", rows)
    tap.done()


if __name__ == "__main__":
    main()
