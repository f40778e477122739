#!/usr/bin/python3
"""The text of report, disasm and dot is about the program first: its file, files beside it, code that it made.  (TAP)

The last line has the rest, whose numbers are those of the file; --all, a selection, CSV and JSON have everything.
"""
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
from commandlib import command, table

MAIN = r"""
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
int beside(int n);
static int here(int n) { volatile int s = 0; for (int i = 0; i < n; i++) s += i; return s; }
int main(void)
{
   static const unsigned char code[] = { %s };
   unsigned char* made = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   int sum = here(50) + beside(50);
   memcpy(made, code, sizeof(code));
   __builtin___clear_cache((char*)made, (char*)made + sizeof(code));
   for (int i = 0; i < 100; i++)
      sum += ((int (*)(void))made)();
   /* Most of what runs is the C library's. */
   for (int i = 0; i < 3000; i++)
      free(malloc((size_t)(sum & 15) + 8));
   return 0;
}
"""
BESIDE = "int beside(int n) { volatile int s = 0; for (int i = 0; i < n; i++) s += i; return s; }\n"
# A thread that begins in the C library.
STRANGER = r"""
#include <pthread.h>
#include <stdio.h>
int main(void)
{
   pthread_t t;
   pthread_create(&t, NULL, (void* (*)(void*))puts, "said");
   return pthread_join(t, NULL);
}
"""
# A function that returns 1.
CODE = {"x86_64": "0xb8, 1, 0, 0, 0, 0xc3", "aarch64": "0x20, 0, 0x80, 0x52, 0xc0, 3, 0x5f, 0xd6"}
REST = re.compile(r"^\+ ([\d,]+) routines? in ([\d,]+) librar(?:y|ies): <?([\d.]+)% of instructions; --all$")


def record(tap):
    for name, text in ("own.c", MAIN % CODE[os.uname().machine]), ("beside.c", BESIDE):
        harness.written(tap, name, text)
    lib = harness.cc(tap, tap.path("beside.c"), "libbeside.so", "-shared", "-fPIC")
    prog = lib and harness.cc(tap, tap.path("own.c"), "own", "-L" + tap.dir, "-Wl,-rpath," + tap.dir, lib, "-O0")
    return harness.dcfg(tap, "own", [prog])[0] if prog else None


def check(tap, path):
    out = command("report", "--routines", "--top=0", path)[1]
    rest = REST.match(out.splitlines()[-1])
    tap.ok(rest, "the last line has the rest", out[-300:])
    tap.ok(all(re.search(r"\b%s\b" % name, out) for name in ("here", "main", "beside")) and "libc.so" not in out,
           "report shows the program, and what lies beside it", out)
    rows = table(command("report", "--csv", "--routines", "--top=0", path)[1])
    others = [r for r in rows if r["image"] not in ("own", "libbeside.so", "[anon]")]
    total = sum(int(r["instructions"]) for r in rows)
    share = 100 * sum(int(r["instructions"]) for r in others) / total
    tap.ok(rest and int(rest[1].replace(",", "")) == len(others) and int(rest[2]) == len({r["image"] for r in others})
           and abs(float(rest[3]) - share) <= 0.06, "its numbers are those of the table", (rest and rest[0], len(others), share))
    tap.ok(len(rows) > len(others) + 3, "CSV has all")
    tap.ok("[anon]" in out, "code that the program made is its own", out)
    whole = command("report", "--routines", "--top=0", "--all", path)[1]
    tap.ok("libc.so" in whole and not REST.search(whole.splitlines()[-1]), "--all has libraries, and no such line", whole[-200:])
    picked = command("report", "--routines", "--top=0", "--image=libc.so", path)[1]
    tap.ok("libc.so" in picked and not REST.search(picked.splitlines()[-1]), "nor has a selection", picked[-200:])
    images = command("report", "--images", path)[1]
    tap.ok("libc.so" in images and not REST.search(images.splitlines()[-1]), "images are all there", images)
    callers = command("report", "--callees=main", path)[1]
    tap.ok("libc.so" in callers and not REST.search(callers.splitlines()[-1]), "so are callees", callers)
    n = len(json.loads(command("report", "--json", "--routines", "--top=0", path)[1])["processes"][0]["routines"])
    tap.ok(n == len(rows), "JSON has all", (n, len(rows)))
    listed = command("disasm", path)[1]
    tap.ok(REST.match(listed.splitlines()[-1]) and "malloc+" not in listed, "disasm lists the program", listed[-300:])
    tap.ok(not REST.match(command("disasm", "--all", path)[1].splitlines()[-1]), "disasm --all lists everything")
    said = command("dot", path)[2], command("dot", "--all", path)[2]
    tap.ok("drawing main," in said[0] and "drawing main," not in said[1], "dot draws the program's hottest routine", said)


def check_stranger(tap):
    """A thread that executed nothing of the program."""
    prog = harness.compiled(tap, "stranger.c", STRANGER, "-pthread")
    path = prog and harness.dcfg(tap, "stranger", [prog])[0]
    if not path:
        return
    status, out, err = command("dot", "--thread=1", path)
    tap.ok((status, out, err) == (2, "", "dcfg dot: thread 1 executed no routine of the program: --all draws the hottest "
                                         "of the libraries\n"), "dot of a thread that only ran libraries", err)
    status, out, err = command("dot", "--thread=1", "--all", path)
    tap.ok(status == 0 and out.startswith("digraph") and "drawing " in err, "--all draws it", err)


def main():
    tap = harness.Tap("command_own")
    path = record(tap)
    if path:
        check(tap, path)
    check_stranger(tap)
    tap.done()


main()
