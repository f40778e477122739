#!/usr/bin/python3
"""The index of a whole execution trace.  (TAP)

- Slices with an index and without one, of random questions: threads, signals, handlers that are left, memory that moves,
  32 bits, windows of a run; with several chunks each.  DCFG_SLOW=1: 10,000 questions.
- dcfg why makes FILE.idx, says so once, and uses it; --index=no; where it is put if that cannot be written.
- An index of another file, an old one, a cut one, one with any byte changed: the answer is the same, and it is made anew.
"""
import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import commandlib
import harness
import slicelib

LIB = os.path.join(os.path.dirname(harness.VALGRIND), os.pardir, "lib")
SLOW = os.environ.get("DCFG_SLOW") == "1"

# Each of its rounds has threads, signals, a longjmp over frames, a deep recursion, and memory that is moved.
ROUNDS = r"""#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static volatile long ticks;
static long sums[3], total;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static jmp_buf out;
static void on_signal(int number) { ticks += number; }
static long fib(long n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static void deep(int n) { if (n == 0) longjmp(out, 1); deep(n - 1); }
static void* work(void* arg)
{
   long k = (long)arg, a[30];
   for (int round = 0; round < 30; round++) {
      for (int i = 0; i < 30; i++)
         a[i] = (i * 7919 + round * k) % 101;
      sums[k] += a[k + round % 10] + fib(8 + k);
      if (round % 7 == 0) {
         pthread_mutex_lock(&guard);
         total += sums[k];
         pthread_mutex_unlock(&guard);
      }
      if (round % 11 == 0)
         raise(SIGUSR1);
   }
   return NULL;
}
int main(int argc, char** argv)
{
   int rounds = argc > 1 ? atoi(argv[1]) : 1;
   signal(SIGUSR1, on_signal);
   for (int r = 0; r < rounds; r++) {
      pthread_t t[3];
      char* p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      for (long i = 0; i < 3; i++)
         pthread_create(&t[i], NULL, work, (void*)i);
      for (int i = 0; i < 3; i++)
         pthread_join(t[i], NULL);
      if (!setjmp(out))
         deep(20);
      raise(SIGUSR1);
      strcpy(p, "hello");
      p = mremap(p, 8192, 65536, MREMAP_MAYMOVE);
      total += p[1] + p[9000];
      munmap(p, 65536);
      if (write(1, &total, sizeof(total)) != sizeof(total))
         return 1;
   }
   return total == 0;
}
"""
SMALL = """static int price = 50;
static int add(int a, int b) { return a + b; }
int main(void)
{
   for (int i = 0; i < 40; i++)
      price = add(price, i % 3);
   price = price - 2;
   return price == 0;
}
"""


def compile_text(tap, name, text, *flags):
    source = tap.path(name + ".c")
    with open(source, "w") as f:
        f.write(text)
    return harness.cc(tap, source, name, *flags)


def comparer(tap):
    """Compiles the program that compares slices with and without an index."""
    env = dict(os.environ, PKG_CONFIG_PATH=os.path.join(LIB, "pkgconfig"))
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "libdcfg"], stdout=subprocess.PIPE, env=env)
    prog = tap.path("index_same")
    r = subprocess.run(["cc", "-O1", "-o", prog, os.path.join(harness.ORACLE, "index_same.c"),
                        *flags.stdout.decode().split(), "-Wl,-rpath," + os.path.abspath(LIB)],
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return prog if tap.ok(r.returncode == 0, "the program that compares is compiled", r.stdout.decode()) else None


def check_same(tap):
    prog = comparer(tap)
    flags = ["-g", "-O0", "-pthread"]
    runs = [("rounds", flags, "2", ()), ("window", flags, "6", ("--wet-ring=1M",)),
            ("values", ["-g", "-O2", "-pthread"], "3", ("--wet-ring=1M", "--wet-values=yes"))]
    if harness.lacks_x86():
        tap.skip("slices of 32-bit programs with an index", harness.lacks_x86())
    else:
        runs.append(("bits32", flags + ["-m32"], "6", ("--wet-ring=1M",)))
    for name, flags, rounds, opts in runs:
        built = compile_text(tap, name, ROUNDS, *flags)
        wet = slicelib.record_wet(tap, name, [built, rounds], opts) if built and prog else None
        if wet is None:
            continue
        r = subprocess.run([prog, wet, wet + ".idx", "2500" if SLOW else "25", "7"], stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT)
        out = r.stdout.decode(errors="replace")
        tap.ok(r.returncode == 0 and " 0 differ" in out, name + ": slices are the same with an index", out)


def why(wet, *opts, env=None):
    return commandlib.command("why", *opts, wet, "small.c:7", **({"env": env} if env else {}))


def check_files(tap, wet):
    index = wet + ".idx"
    plain = why(wet, "--index=no")
    tap.ok(plain[0] == 0 and "price" in plain[1] and not plain[2] and not os.path.exists(index),
           "--index=no makes none", plain)
    made = why(wet)
    tap.ok(made[:2] == plain[:2] and "made %s: " % index in made[2] and " instructions, 1 thread, " in made[2]
           and made[2].count("\n") == 1, "an index is made, which is said in a line", made)
    tap.ok(why(wet) == plain, "and used", why(wet))
    sliced = [commandlib.command("slice", *more, "--at=small.c:7", wet) for more in ([], ["--index=no"])]
    tap.ok(sliced[0] == sliced[1] and sliced[0][0] == 0, "dcfg slice says the same with it", sliced)
    tap.ok(commandlib.command("why", "--index=maybe", wet, "small.c:7")[0] == 2, "--index is yes or no")
    tap.ok(not [n for n in os.listdir(tap.dir) if ".tmp-" in n], "nothing else is left", os.listdir(tap.dir))


def check_wrong(tap, wet, other):
    """Indexes of other traces."""
    index, plain = wet + ".idx", why(wet, "--index=no")
    with open(index, "rb") as f:
        good = f.read()
    with open(other + ".idx", "rb") as f:
        foreign = f.read()
    cases = {"of another trace": foreign, "cut": good[:-1], "empty": b"", "longer": good + b"\0", "no index": b"x" * 5000}
    for what, data in cases.items():
        with open(index, "wb") as f:
            f.write(data)
        told = commandlib.command("slice", "--at=small.c:7", wet)
        tap.ok(told[0] == 0 and "not used" in told[2], what + ": dcfg slice does not use it", told[2])
        again = why(wet)
        with open(index, "rb") as f:
            tap.ok(again[:2] == plain[:2] and "made anew" in again[2] and f.read() == good,
                   what + ": it is made anew", again)
    os.utime(wet, (1, 1))
    again = why(wet)
    tap.ok(again[:2] == plain[:2] and "has changed" in again[2], "an older one is made anew", again)


def check_flips(tap, wet):
    """Changes each byte: the answer stays the same, and the index is found to be bad."""
    prog = os.path.join(tap.dir, "flip")
    source = os.path.join(tap.dir, "flip.c")
    with open(source, "w") as f:
        f.write(FLIP)
    env = dict(os.environ, PKG_CONFIG_PATH=os.path.join(LIB, "pkgconfig"))
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "libdcfg"], stdout=subprocess.PIPE, env=env)
    r = subprocess.run(["cc", "-O1", "-o", prog, source, *flags.stdout.decode().split(),
                        "-Wl,-rpath," + os.path.abspath(LIB)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if not tap.ok(r.returncode == 0, "the program that changes bytes is compiled", r.stdout.decode()):
        return
    r = subprocess.run([prog, wet, wet + ".idx"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    tap.ok(r.returncode == 0, "an index with any byte changed is refused", r.stdout.decode(errors="replace"))


FLIP = r"""#include <dcfg_slice.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char** argv)
{
   DcfgError err;
   DcfgWet*  w = argc == 3 ? dcfg_wet_open(argv[1], NULL, &err) : NULL;
   int       fd = argc == 3 ? open(argv[2], O_RDWR) : -1;
   off_t     size = lseek(fd, 0, SEEK_END);
   long      taken = 0;
   if (w == NULL || fd < 0 || !dcfg_slice_use_index(w, dup(fd), &err))
      return 2;
   for (off_t at = 0; at < size; at++) {
      unsigned char byte, other;
      if (pread(fd, &byte, 1, at) != 1)
         return 2;
      other = byte ^ (unsigned char)(1 + at % 255);
      if (pwrite(fd, &other, 1, at) != 1)
         return 2;
      if (dcfg_slice_use_index(w, dup(fd), &err) && ++taken < 10)
         printf("byte %ld\n", (long)at);
      if (pwrite(fd, &byte, 1, at) != 1)
         return 2;
   }
   printf("%ld of %ld\n", taken, (long)size);
   return taken > 0 || !dcfg_slice_use_index(w, dup(fd), &err);
}
"""


def check_places(tap, wet):
    """A directory that cannot be written: a directory with the index's name has the same effect, for root too."""
    index, cache = wet + ".idx", tap.path("cache")
    plain = why(wet, "--index=no")
    if os.path.exists(index):
        os.unlink(index)
    os.mkdir(index)
    env = dict(os.environ, XDG_CACHE_HOME=cache)
    made = why(wet, env=env)
    inside = os.listdir(os.path.join(cache, "dcfg")) if os.path.isdir(os.path.join(cache, "dcfg")) else []
    tap.ok(made[:2] == plain[:2] and "made %s/dcfg/" % cache in made[2] and len(inside) == 1, "the cache has it else",
           (made, inside))
    again = why(wet, env=env)
    tap.ok(again[:2] == plain[:2] and "made" not in again[2], "and it is used from there", again)
    with open(tap.path("file"), "w"):
        pass
    made = why(wet, env=dict(os.environ, XDG_CACHE_HOME=tap.path("file")))
    tap.ok(made[:2] == plain[:2] and "an index without a name" in made[2], "else it has no name", made)
    os.rmdir(index)


def main():
    tap = harness.Tap("slice_index")
    small = compile_text(tap, "small", SMALL, "-g", "-O0")
    wet = slicelib.record_wet(tap, "small", [small], ("--wet-values=yes",)) if small else None
    other = slicelib.record_wet(tap, "other", [small, "x"], ("--wet-values=yes",)) if small else None
    if wet and other:
        why(other)
        check_files(tap, wet)
        check_wrong(tap, wet, other)
        check_flips(tap, wet)
        check_places(tap, wet)
    check_same(tap)
    tap.done()


if __name__ == "__main__":
    main()
