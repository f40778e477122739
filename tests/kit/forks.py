"""Runs a program that forks for each run (dcfg_sanitized --forks; tests/lib/command_alone.c has the protocol): what a process
does, writes and ends with is what a started program does, without the time that the sanitizers' start takes.

Each process of the pool does one run at a time.  A thread that finds no idle one starts one.
"""
import atexit
import os
import select
import socket
import struct
import subprocess
import threading
import time

# Who starts the program anew, because these variables are read at the start of a process.
AT_START = ("LD_", "ASAN_", "UBSAN_", "LSAN_", "GLIBC_", "MALLOC_")

_idle = {}
_lock = threading.Lock()


class Forking:
    """A process that forks for each run."""
    def __init__(self, program, env):
        self.socket, other = socket.socketpair()
        self.process = subprocess.Popen([program, "--forks"], stdin=other, env=env)
        other.close()

    def run(self, words, env, cwd, fds):
        """Starts a run.  FDS are its descriptors 0, 1 and 2."""
        texts = [cwd, *words, *("%s=%s" % pair for pair in env.items())]
        data = b"".join(os.fsencode(t) + b"\0" for t in texts)
        socket.send_fds(self.socket, [struct.pack("=II", len(data), len(words))], fds)
        self.socket.sendall(data)

    def status(self):
        """Returns how the run ended, as Popen.returncode has it."""
        answer = self.socket.recv(4, socket.MSG_WAITALL)
        if len(answer) != 4:
            raise RuntimeError("the process that forks has ended with status %s" % self.process.wait())
        return os.waitstatus_to_exitcode(struct.unpack("=i", answer)[0])

    def end(self):
        """Ends the process, and with it the run."""
        self.socket.close()
        self.process.kill()
        self.process.wait()


def collect(fds, timeout):
    """Returns what comes from pipes, up to the end of each."""
    texts, left, end = {fd: [] for fd in fds}, set(fds), time.monotonic() + timeout
    poll = select.poll()
    for fd in fds:
        poll.register(fd, select.POLLIN)
    while left:
        ready = poll.poll(max(0, end - time.monotonic()) * 1000)
        if not ready:
            return None
        for fd, _ in ready:
            data = os.read(fd, 1 << 16)
            texts[fd].append(data)
            if not data:
                poll.unregister(fd)
                left.remove(fd)
    return [b"".join(texts[fd]) for fd in fds]


def run(argv, start, timeout, env, cwd=None, stdin=0):
    """Does as subprocess.run() does with pipes for the outputs.  START is the environment of a new process."""
    with _lock:
        idle = _idle.setdefault(argv[0], [])
        process = idle.pop() if idle else None
    process = process or Forking(argv[0], start)
    pipes = os.pipe(), os.pipe()
    null = os.open(os.devnull, os.O_RDWR) if stdin == subprocess.DEVNULL else None
    try:
        try:
            process.run(argv, env, os.path.abspath(cwd or "."),
                        [null if null is not None else stdin if isinstance(stdin, int) else stdin.fileno(), pipes[0][1], pipes[1][1]])
        finally:
            for fd in (pipes[0][1], pipes[1][1], null):
                if fd is not None:
                    os.close(fd)
        texts = collect([pipes[0][0], pipes[1][0]], timeout)
        if texts is None:
            process.end()
            raise subprocess.TimeoutExpired(argv, timeout)
        status = process.status()
    finally:
        os.close(pipes[0][0])
        os.close(pipes[1][0])
    with _lock:
        idle.append(process)
    return subprocess.CompletedProcess(argv, status, *texts)


def end():
    """Ends the processes of the pool, so that their processor time is counted."""
    for idle in _idle.values():
        for process in idle:
            process.socket.close()
            process.process.wait()


atexit.register(end)


def can_run(env, start, more):
    """Returns whether a run with this environment and these arguments of subprocess.run() needs no new start."""
    return set(more) <= {"cwd", "stdin"} and all(value == start.get(name) for name, value in env.items() if name.startswith(AT_START))
