#!/usr/bin/python3
"""The emulated arm64 machine: starts it, and runs programs there.

arm64_machine.py run DIR INST PROG ARGS...

runs PROG under valgrind --tool=dcfg, in the current directory.  DIR has kernel, initial file system and disk (make_machine
in arm64.sh), INST Valgrind.  Each machine begins with the same disk, and ends with its parent process.  It sees some
directories of the host by the same names: INST, and those in which programs run.

A script in the machine does the work.  It shares the directory `control` with the host.  It reads numbers of jobs from a
line to the host, starts the jobs, and answers each with its number and exit status.  A job is a script, too.
"""
import contextlib
import os
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import threading

# One with version 8.0 of the architecture, whose atomic operations are loops of exclusive accesses; one with 8.2, which has
# instructions for them.  libc uses what the processor has.
CPUS = ("cortex-a72", "neoverse-n1")
# Directories that are the machine's own; below others it mounts the host's.
ITS_OWN = ("bin", "boot", "etc", "lib", "run", "sbin", "usr", "var")
CLOSED = ("", "dev", "host", "proc", "sys")
MOUNT = "trans=virtio,version=9p2000.L,msize=262144"

# Times of access stay as they are, so that runs are the same: python3 makes numbers of them, which get longer at the second
# start.  Each line that the host sends is the number of a job.  The machine is switched off when the host hangs up.
AGENT = """
b=/host/busybox
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
$b mount -o remount,noatime /
$b mount -t sysfs sys /sys
$b mount -t tmpfs tmp /tmp
$b mkdir -p /dev/shm /dev/pts
$b mount -t tmpfs shm /dev/shm
$b mount -t devpts pts /dev/pts
%s
exec 3<>$(echo /dev/vport*p1)
echo up >&3
while read -r job <&3; do
   { /bin/sh /host/control/$job 3>&-; echo "$job $?" >&3; } &
done
echo o >/proc/sysrq-trigger
$b sleep 60
"""


# A second line to the host, as a shell in the machine finds it.
OTHER_LINE = "/dev/vport*p2"


class Failed(Exception):
    pass


class Machine:
    """with Machine(...) as m: m.run(...) from any thread.

    m.other_line is a socket for tests; a program in the machine has its other end as OTHER_LINE.
    """

    def __init__(self, directory, shared=(), read_only=(), cpu=CPUS[0]):
        mounts, devices = [], []
        for k, path in enumerate(list(shared) + list(read_only)):
            own = os.path.abspath(path)
            top = own.split("/")[1]
            if top in CLOSED or top in ITS_OWN and os.path.exists(os.path.join(directory, "root") + own):
                raise Failed("%s cannot be shared with the emulated machine, which has such a directory itself" % path)
            mounts.append("$b mkdir -p {0} && $b mount -t 9p -o {1},{2} share{3} {0}".format(
                shlex.quote(own), MOUNT, "ro,cache=loose" if path in read_only else "cache=mmap", k))
            devices += share("share%d" % k, own)
        self.control = tempfile.mkdtemp(prefix="arm64-machine.")
        self.log = os.path.join(self.control, "console")
        self.lock = threading.Lock()
        self.answers, self.jobs, self.ended = {}, 0, False
        self.line, there = socket.socketpair()
        self.other_line, other = socket.socketpair()
        with open(os.path.join(self.control, "agent"), "w") as f:
            f.write(AGENT % "\n".join(mounts))
        self.qemu = subprocess.Popen(
            ["qemu-system-aarch64", "-M", "virt", "-cpu", cpu, "-smp", "2", "-m", "1536", "-no-reboot",
             "-display", "none", "-nodefaults", "-serial", "file:" + self.log,
             "-global", "virtio-mmio.force-legacy=false",
             "-kernel", os.path.join(directory, "kernel"), "-initrd", os.path.join(directory, "initrd"),
             "-append", "console=ttyAMA0 quiet panic=-1",
             "-drive", "if=none,id=disk,format=raw,snapshot=on,file=%s" % os.path.join(directory, "disk"),
             "-device", "virtio-blk-device,drive=disk",
             "-device", "virtio-serial-device", "-chardev", "socket,id=line,fd=%d" % there.fileno(),
             "-device", "virtserialport,chardev=line",
             "-chardev", "socket,id=other,fd=%d" % other.fileno(), "-device", "virtserialport,chardev=other"]
            + share("control", self.control) + devices,
            pass_fds=[there.fileno(), other.fileno()], stdin=subprocess.DEVNULL)
        there.close()
        other.close()
        self.up = self.expect("up")
        threading.Thread(target=self.listen, daemon=True).start()

    def expect(self, name):
        with self.lock:
            event = threading.Event()
            self.answers[name] = [event, None]
            if self.ended:
                event.set()
        return event

    def listen(self):
        """Reads the machine's lines until it hangs up."""
        with self.line.makefile("r") as lines:
            for line in lines:
                name, _, status = line.strip().partition(" ")
                with self.lock:
                    answer = self.answers[name]
                answer[1] = status
                answer[0].set()
        with self.lock:
            self.ended = True
            for event, _ in self.answers.values():
                event.set()

    def wait(self, name, event, timeout=None):
        if not event.wait(timeout):
            raise Failed("no answer in %d s" % timeout)
        with self.lock:
            status = self.answers.pop(name)[1]
        if status is None:
            with open(self.log, errors="replace") as f:
                raise Failed("the emulated machine has ended:\n" + f.read()[-2000:])
        return status

    def run(self, argv, cwd="/", env=None, out="/dev/null", err="/dev/null", timeout=None):
        """Returns the program's exit status, as a shell gives it.  env: the whole environment."""
        with self.lock:
            self.jobs += 1
            name = str(self.jobs)
        self.up.wait()
        words = ["cd", cwd, "&&", "exec"]
        if env is not None:
            words += ["env", "-i"] + ["%s=%s" % item for item in env.items()]
        words = [w if w == "&&" else shlex.quote(w) for w in words + list(argv)]
        with open(os.path.join(self.control, name), "w") as f:
            f.write("%s </dev/null >%s 2>%s\n" % (" ".join(words), shlex.quote(out), shlex.quote(err)))
        event = self.expect(name)
        with contextlib.suppress(BrokenPipeError):        # wait() says it
            self.line.sendall(name.encode() + b"\n")
        return int(self.wait(name, event, timeout))

    def close(self):
        """Switches it off; nothing of it is kept."""
        self.qemu.kill()
        self.qemu.wait()
        shutil.rmtree(self.control, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def share(tag, path):
    return ["-fsdev", "local,id=%s,path=%s,security_model=none" % (tag, path.replace(",", ",,")),
            "-device", "virtio-9p-device,fsdev=%s,mount_tag=%s" % (tag, tag)]


def valgrind(inst, *words):
    return [os.path.join(inst, "bin", "valgrind")] + list(words)


def main(argv):
    if len(argv) < 4 or argv[0] != "run":
        print(__doc__.strip(), file=sys.stderr)
        return 2
    directory, inst, cwd = argv[1], argv[2], os.getcwd()    # a real path
    # The output comes through files, so it is seen while the program runs.
    with tempfile.TemporaryDirectory(prefix="arm64-output.") as said, Machine(directory, [cwd, said], [inst]) as m:
        paths = [os.path.join(said, name) for name in ("out", "err")]
        shown = []
        for fd, path in enumerate(paths, 1):
            open(path, "w").close()
            shown.append(subprocess.Popen(["tail", "-n", "+1", "-f", "--pid=%d" % m.qemu.pid, path], stdout=fd))
        status = m.run(valgrind(inst, "--tool=dcfg") + argv[3:], cwd, out=paths[0], err=paths[1])
        m.close()
        for p in shown:
            p.wait()
    return status


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Failed as failure:
        sys.exit("dev: %s" % failure)
