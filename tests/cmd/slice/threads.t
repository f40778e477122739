#!/usr/bin/python3
"""Threads of a slice: the column, and which values went from one thread to another.  (TAP)

- What orders threads: locks, conditions, semaphores, barriers, atomic accesses, creation and joins, or nothing.
- Two threads without a lock, with one, with one that is waited for, with a condition; three threads; C++'s std::thread; a
  program without symbols; a program with one thread, of which nothing is said.
- The same values in both forms that have them, and lines and threads on the first screen.
"""
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "kit"))
import commandlib
import harness
from harness import record_wet
from slicelib import line_of

# Threads follow each other by a pipe, which is no lock.
TWO = harness.text("slices/threads_two.c")

THREE = harness.text("slices/threads_three.c")

CXX = harness.text("slices/threads_cxx.cc")


# The worker writes, and SIGNAL tells main(), which WAITs.
KINDS = r"""#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>
static int total, flag;
static volatile int word;
static sem_t items;
static pthread_barrier_t both;
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t quick;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn = PTHREAD_COND_INITIALIZER;
static _Atomic int ready, doors[3];
static _Atomic int* door = &ready;
static struct room { int n; _Atomic int open; } rooms[2], *room = &rooms[1];
static int n1 = 1;
static void set(_Atomic int* to) { atomic_store_explicit(to, 1, memory_order_release); }
static int get(_Atomic int* from) { return atomic_load_explicit(from, memory_order_acquire); }
static void* worker(void* arg)
{
   total = 42 * *(int*)arg;     /* WRITES */
   SIGNAL;
   return arg;
}
int main(void)
{
   pthread_t t;
   int n = 3;
   sem_init(&items, 0, 0);
   pthread_barrier_init(&both, NULL, 2);
   pthread_spin_init(&quick, 0);
   pthread_create(&t, NULL, worker, &n);
   WAIT;
   int seen = total;            /* READS */
   return write(1, &seen, sizeof(seen)) != sizeof(seen);        /* TELLS */
}
"""
WAYS = (
    ("semaphore", "sem_post(&items)", "sem_wait(&items)", "ordered by semaphore items"),
    ("barrier", "pthread_barrier_wait(&both)", "pthread_barrier_wait(&both)", "ordered by barrier both"),
    ("rwlock", "pthread_rwlock_wrlock(&table); flag = 1; pthread_rwlock_unlock(&table)",
     "for (int ok = 0; !ok;) { pthread_rwlock_rdlock(&table); ok = flag; pthread_rwlock_unlock(&table); if (!ok) usleep(100); }",
     "ordered by read-write lock table"),
    ("spin", "pthread_spin_lock(&quick); flag = 1; pthread_spin_unlock(&quick)",
     "for (int ok = 0; !ok;) { pthread_spin_lock(&quick); ok = flag; pthread_spin_unlock(&quick); if (!ok) usleep(100); }",
     "ordered by spin lock quick"),
    ("condition", "pthread_mutex_lock(&guard); flag = 1; pthread_cond_signal(&turn); pthread_mutex_unlock(&guard)",
     "pthread_mutex_lock(&guard); while (!flag) pthread_cond_wait(&turn, &guard); pthread_mutex_unlock(&guard)",
     "ordered by mutex guard"),
    ("c11", "atomic_store_explicit(&ready, 1, memory_order_release)",
     "while (!atomic_load_explicit(&ready, memory_order_acquire)) usleep(100)", "ordered by atomic accesses of ready"),
    ("pointer", "atomic_store_explicit(door, 1, memory_order_release)", "while (!*door) usleep(100)", "ordered by atomic accesses of ready"),
    ("passed", "set(&ready)", "while (!get(&ready)) usleep(100)", "ordered by atomic accesses of ready"),
    ("member", "atomic_store_explicit(&room->open, 1, memory_order_release)", "while (!room->open) usleep(100)",
     "ordered by atomic accesses of rooms"),
    ("element", "atomic_store_explicit(&doors[n1], 1, memory_order_release)", "while (!doors[n1]) usleep(100)",
     "ordered by atomic accesses of doors"),
    ("locked", "__sync_fetch_and_add(&word, 1)", "while (__sync_fetch_and_add(&word, 0) == 0) usleep(100)",
     "ordered by atomic accesses of word"),
    ("join", "", "pthread_join(t, NULL)", "ordered by a join"),
    ("futex", "word = 1; syscall(SYS_futex, &word, FUTEX_WAKE, 1, 0, 0, 0)",
     "while (word == 0) syscall(SYS_futex, &word, FUTEX_WAIT, 0, 0, 0, 0)", "unordered: no lock, atomic access or join lies between; both "
     "threads made system calls, which may order them"),
    ("unordered", "word = 1", "while (word == 0) for (volatile int i = 0; i < 100; i++)", "unordered: no lock, atomic access or join lies between"),
)
FREE = "unordered: no lock, atomic access or join lies between"


def check_kinds(tap):
    """Checks the other things that order threads: functions of libc, some in static programs, too; and accesses, in these alone."""
    functions = ("semaphore", "barrier", "rwlock", "spin", "condition", "join")
    static = [("static_" + way[0], *way[1:], "-static") for way in WAYS if way[0] not in ("barrier", "spin")]
    for name, signal, wait, order, *flags in [way for way in WAYS if way[0] in functions] + static:
        text = KINDS.replace("SIGNAL", signal).replace("WAIT;", wait + ";")
        wet = recorded(tap, name, text, *flags)
        if wet:
            status, out, err = listing(wet, name + ".c", text, "--thin")
            said = "%s.c:%d reads what %s.c:%d wrote: written by thread 1 (worker), read by thread 0 (main); %s" % (
                name, line_of(text, "/* READS */"), name, line_of(text, "/* WRITES */"), order)
            tap.ok(status == 0 and said in out, "%s: %s" % (name, order), out + err)


def recorded(tap, name, text, *flags, suffix=".c", strip=False):
    prog = harness.compiled(tap, name + suffix, text, "-O0", "-pthread", *flags)
    if prog and strip:
        subprocess.run(["strip", prog], check=True)
    return prog and record_wet(tap, name, [prog])


def listing(wet, name, text, *opts):
    return commandlib.command("slice", "--at=%s:%d" % (name, line_of(text, "/* TELLS */")), "--of=seen", *opts, wet)


def row_has(out, place, thread):
    return re.search(r"^ *\d+ +[\d,]+ +\S+%% +%s +%s\b" % (re.escape(thread), re.escape(place)), out, re.M) is not None


def check_two(tap, name, flags, order):
    wet = recorded(tap, name, TWO, *flags)
    if not wet:
        return
    status, out, err = listing(wet, name + ".c", TWO)
    places = {m: "%s.c:%d" % (name, line_of(TWO, "/* %s */" % m)) for m in ("WRITES", "READS", "GIVES", "TELLS")}
    screen = "\n".join(out.splitlines()[:24])
    said = "%s reads what %s wrote: written by thread 1 (worker), read by thread 0 (main); %s" % (places["READS"], places["WRITES"], order)
    tap.ok(status == 0 and not err and said in screen, name + ": who wrote and who read, on the first screen", out + err)
    tap.ok(row_has(screen, places["WRITES"], "1") and row_has(screen, places["READS"], "0"), name + ": lines with their threads", out)
    given = "%s wrote: written by thread 0 (main), read by thread 1 (worker); ordered by the creation of thread 1" % places["GIVES"]
    tap.ok(given in out, name + ": what the thread was given was written before it began", out)
    crossings = [line for line in out.splitlines() if "written by thread" in line]
    status, source, err = listing(wet, name + ".c", TWO, "--as=source")
    tap.ok(status == 0 and [line for line in source.splitlines() if "written by thread" in line] == crossings
           and row_has(source, str(line_of(TWO, "/* WRITES */")), "1") and row_has(source, str(line_of(TWO, "/* READS */")), "0"),
           name + ": the same in the source", source + err)


def check_three(tap):
    wet = recorded(tap, "three", THREE, "-static")
    if not wet:
        return
    status, out, err = listing(wet, "three.c", THREE)
    at = {m: "three.c:%d" % line_of(THREE, "/* %s */" % m) for m in ("DOUBLES", "ADDS", "READS")}
    for row in ("%s reads what %s wrote: written by thread 1 (adder), read by thread 0 (main); ordered by mutex guard"
                % (at["READS"], at["ADDS"]),
                "%s reads what %s wrote: written by thread 2 (doubler), read by thread 1 (adder); %s"
                % (at["ADDS"], at["DOUBLES"], FREE)):
        tap.ok(status == 0 and row in "\n".join(out.splitlines()[:24]), "three threads: " + row.split("; ")[1], out + err)
    tap.ok(row_has(out, at["DOUBLES"], "2") and row_has(out, at["ADDS"], "1"), "three threads: lines with their threads", out)
    status, out, err = commandlib.command("slice", "--forward", "--at=" + at["DOUBLES"], wet)
    tap.ok(status == 0 and row_has(out, at["ADDS"], "1") and row_has(out, at["READS"], "0"), "three threads: forward, too", out + err)


def check_cxx(tap):
    wet = recorded(tap, "account", CXX, "-lstdc++", suffix=".cpp")
    if not wet:
        return
    status, out, err = listing(wet, "account.cpp", CXX, "--thin")
    said = "account.cpp:%d reads what account.cpp:%d wrote: written by thread 1 (bank::deposit), read by thread 0 (main); " \
           "ordered by a join" % (line_of(CXX, "/* READS */"), line_of(CXX, "/* WRITES */"))
    tap.ok(status == 0 and said in out, "std::thread: its function, and that it was waited for", out + err)


def check_without(tap):
    wet = recorded(tap, "bare", TWO, "-DLOCKED=0", "-DHELD=0", strip=True)
    if wet:
        status, out, err = commandlib.command("slice", "--syscall=write", "--thin", wet)
        tap.ok(status == 0 and re.search(r"^bare\+0x\w+ reads what bare\+0x\w+ wrote: written by thread 1, read by thread 0; unordered", out,
                                         re.M), "a program without symbols: instructions", out + err)
    wet = recorded(tap, "alone", "int main(int argc, char **argv) {\n   int seen = argc * 3;\n   return seen == 7;  /* TELLS */\n}\n", "-static")
    if wet:
        texts = [listing(wet, "alone.c", "\n\n/* TELLS */", *opts)[1] for opts in ((), ("--as=source",))]
        tap.ok(all("seen = argc" in t and "written by thread" not in t and "share   line" in t for t in texts), "one thread: nothing is said of it", texts)


def main():
    tap = harness.Tap("slice_threads")
    free, ordered = FREE, "ordered by mutex guard"
    check_two(tap, "race", ["-DLOCKED=0", "-DHELD=0"], free)
    check_two(tap, "locked", ["-DLOCKED=1", "-DHELD=0", "-DREADERS=guard", "-static"], ordered)
    check_two(tap, "waited", ["-DLOCKED=1", "-DHELD=1", "-DREADERS=guard", "-static"], ordered)
    check_two(tap, "mistaken", ["-DLOCKED=1", "-DHELD=0", "-DREADERS=other", "-static"], free)
    check_three(tap)
    check_kinds(tap)
    check_cxx(tap)
    check_without(tap)
    tap.done()


main()
