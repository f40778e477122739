#!/usr/bin/python3
"""Calls the programs of tests/oracle without starting a Python for each: most of them take less time than the start and
their imports do (Capstone's alone a third of a second).

A worker is a Python that has imported the programs it was asked for, and forks for each call.  So a call leaves nothing
behind in memory or in the modules' variables.  Each worker answers one call at a time.  A thread that finds no idle worker
starts one, so there are as many as there are calls at once.

Lines of JSON, to a worker: [program, [argument...], directory]; from it: [exit status, output].
"""
import gc
import importlib
import json
import os
import subprocess
import sys
import threading
import traceback

PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "oracle")

_idle = []
_lock = threading.Lock()


def call(python, program, args):
    """Returns (exit status, output) of a program of tests/oracle, whose function main() gets the arguments."""
    with _lock:
        worker = _idle.pop() if _idle else None
    if worker is None:
        worker = subprocess.Popen([python, os.path.abspath(__file__)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    worker.stdin.write(json.dumps([program, [str(a) for a in args], os.getcwd()]).encode() + b"\n")
    worker.stdin.flush()
    line = worker.stdout.readline()
    if not line:
        return 2, "%s: the worker ended with status %d" % (program, worker.wait())
    with _lock:
        _idle.append(worker)
    return tuple(json.loads(line.decode()))


# ---- the worker ------------------------------------------------------------------------------------------------------

def run(main, args, out):
    """Runs in the child: does not return."""
    os.dup2(out, 1)
    os.dup2(out, 2)
    # The child's end frees the memory.
    gc.disable()
    try:
        status = main(args)
    except SystemExit as e:
        status = e.code
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status or 0)


def answer(program, args, directory):
    # Import before the fork, so that the next call finds it.
    main = importlib.import_module(os.path.splitext(program)[0]).main
    here, there = os.pipe()
    child = os.fork()
    if child == 0:
        os.chdir(directory)
        run(main, args, there)
    os.close(there)
    with open(here, "rb") as f:
        text = f.read().decode(errors="replace")
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), text


def work():
    sys.dont_write_bytecode = True
    sys.path.insert(0, PROGRAMS)
    for line in sys.stdin:
        print(json.dumps(answer(*json.loads(line))), flush=True)


if __name__ == "__main__":
    work()
