"""Runs a program that forks for each run: dcfg_sanitized --forks, of which tests/lib/command_alone.c has the protocol.  Each run
does, writes and ends with what a started program would, without the time that the sanitizers' start takes.

Each process of the pool does one run at a time.  A thread that finds no idle one starts one.
"""
import atexit
import contextlib
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


def collect(pipes, timeout):
    """Returns what comes from each of the pipes, {name: descriptor}, up to its end; None if that does not come in time."""
    names, texts, end = {fd: name for name, fd in pipes.items()}, {name: [] for name in pipes}, time.monotonic() + timeout
    poll = select.poll()
    for fd in names:
        poll.register(fd, select.POLLIN)
    while names:
        ready = poll.poll(max(0, end - time.monotonic()) * 1000)
        if not ready:
            return None
        for fd, _ in ready:
            data = os.read(fd, 1 << 16)
            texts[names[fd]].append(data)
            if not data:
                poll.unregister(fd)
                del names[fd]
    return {name: b"".join(parts) for name, parts in texts.items()}


def run(argv, start, timeout, env, **streams):
    """Does as subprocess.run() does with pipes for the outputs.  START is the environment of a new process; STREAMS has other files
    in place of pipes and of the standard input, and the directory.
    """
    with _lock:
        idle = _idle.setdefault(argv[0], [])
        process = idle.pop() if idle else None
    process = process or Forking(argv[0], start)
    with contextlib.ExitStack() as theirs, contextlib.ExitStack() as ours:
        def descriptor(name, usual):
            stream = streams.get(name, usual)
            if stream == subprocess.PIPE:
                here, stream = os.pipe()
                ours.callback(os.close, here)
                theirs.callback(os.close, stream)
                pipes[name] = here
            elif stream == subprocess.DEVNULL:
                stream = os.open(os.devnull, os.O_RDWR)
                theirs.callback(os.close, stream)
            return stream if isinstance(stream, int) else stream.fileno()
        pipes = {}
        with theirs:
            process.run(argv, env, os.path.abspath(streams.get("cwd") or "."),
                        [descriptor("stdin", 0), descriptor("stdout", subprocess.PIPE), descriptor("stderr", subprocess.PIPE)])
        texts = collect(pipes, timeout)
    if texts is None:
        process.end()
        raise subprocess.TimeoutExpired(argv, timeout)
    status = process.status()
    with _lock:
        idle.append(process)
    return subprocess.CompletedProcess(argv, status, texts.get("stdout"), texts.get("stderr"))


def end():
    """Ends the processes of the pool, so that their processor time is counted."""
    for idle in _idle.values():
        for process in idle:
            process.socket.close()
            process.process.wait()


atexit.register(end)


def can_run(env, start, more):
    """Returns whether a run with this environment and these arguments of subprocess.run() needs no new start."""
    return set(more) <= {"cwd", "stdin", "stdout", "stderr"} and subprocess.STDOUT not in more.values() \
        and more.get("stdin") != subprocess.PIPE and all(value == start.get(name) for name, value in env.items() if name.startswith(AT_START))
