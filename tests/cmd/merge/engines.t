#!/usr/bin/python3
"""The recipes of docs/fleet.md, taken from the page, on the installed engines: the same bytes each time.  (TAP)

Open MPI with four ranks.  Slurm with one node, whose daemons this test starts.  Dask with a scheduler and two workers over
loopback, one of which is killed during a task.  The page's session, run by readme.t, has xargs.
"""
import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "kit"))
import commandlib
import harness
import tablelib
from commandlib import command

PAGE = os.path.join(harness.SRCDIR, "docs", "fleet.md")
DASK = [harness.PYTHON, "-m"]


def block(language, word):
    """Returns the page's code block that has WORD."""
    found = [b for b in re.findall(r"^```%s\n(.*?)^```" % language, harness.read(PAGE), re.M | re.S) if word in b]
    assert len(found) == 1, (word, found)
    return found[0]


class Place:
    """A directory with eight runs, their names in `list', and the sum of all."""
    def __init__(self, tap):
        self.tap, self.dir = tap, tap.path("fleet")
        os.mkdir(self.dir)
        prog = harness.cc(tap, os.path.join(harness.SRCDIR, "docs", "words.c"), "words")
        runs = [harness.dcfg(tap, "words%d" % k, [prog, "50", str(k)])[0] for k in range(3)]
        self.files = ["rank.%d.json" % k for k in range(8)]
        for k, name in enumerate(self.files):
            with open(runs[k % 3], "rb") as f, open(os.path.join(self.dir, name), "wb") as g:
                g.write(harness.PID.sub(rb"\g<1>%d" % (3000 + k), f.read()))
        harness.write(os.path.join(self.dir, "list"), "\n".join(self.files) + "\n")
        self.bin = commandlib.installed(tap)
        self.env = dict(harness.ENV, PATH=self.bin + ":" + harness.ENV["PATH"], HOME=self.dir)
        self.want = command("merge", "--threads=add", *self.files, cwd=self.dir)[1]

    def right(self, name, text, err=""):
        path = os.path.join(self.dir, name)
        have = open(path).read() if os.path.exists(path) else ""
        self.tap.ok(have == self.want != "", text + ": the bytes of one merge", err)

    def run(self, argv, **env):
        r = subprocess.run(argv, cwd=self.dir, env=dict(self.env, **env), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, timeout=harness.TIMEOUT)
        return r.returncode, r.stdout.decode(errors="replace")


def check_mpi(place):
    if not shutil.which("mpirun"):
        place.tap.skip("mpirun -n 4", "Open MPI is not installed")
        return
    status, out = place.run(["sh", "-c", block("sh", "mpirun")], OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                            OMPI_MCA_rmaps_base_oversubscribe="1")
    place.tap.ok(status == 0 and len([f for f in os.listdir(place.dir) if re.match(r"mpi-\d\.json$", f)]) == 4,
                 "mpirun -n 4", out)
    place.right("mpi.json", "Open MPI", out)


SLURM = """ClusterName=one
SlurmctldHost={host}(127.0.0.1)
AuthType=auth/none
CredType=cred/none
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={port}
SlurmdPort={port2}
StateSaveLocation={dir}/state
SlurmdSpoolDir={dir}/spool
SlurmctldPidFile={dir}/slurmctld.pid
SlurmdPidFile={dir}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
MpiDefault=none
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
"""


def free_ports(n):
    """Returns numbers of ports that nobody has, below those that the kernel gives to any connection."""
    ports, port = [], 20000 + os.getpid() * 7 % 10000
    while len(ports) < n:
        port += 1
        with contextlib.suppress(OSError), socket.socket() as s:
            s.bind(("127.0.0.1", port))
            ports.append(port)
    return ports


def check_slurm(place):
    tap = place.tap
    programs = [shutil.which(p, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin") for p in ("slurmctld", "slurmd", "sbatch", "srun")]
    if not all(programs):
        tap.skip("sbatch and srun", "Slurm is not installed")
        return
    if os.getuid() != 0:
        tap.skip("sbatch and srun", "slurmd runs as root only")
        return
    home = tap.path("slurm")
    for d in (home, home + "/state", home + "/spool"):
        os.mkdir(d)
    port, port2 = free_ports(2)
    conf = os.path.join(home, "slurm.conf")
    harness.write(conf, SLURM.format(host=socket.gethostname().split(".")[0], user="root", port=port, port2=port2, dir=home))
    env = dict(place.env, SLURM_CONF=conf)
    daemons = []
    try:
        for argv in ([programs[0], "-D", "-c"], [programs[1], "-D"]):
            with open(os.path.join(home, os.path.basename(argv[0]) + ".log"), "w") as log:
                daemons.append(subprocess.Popen(argv, env=env, stdout=log, stderr=log))
        harness.write(os.path.join(place.dir, "job.sh"), block("sh", "srun"))
        # sbatch --wait ends after the job; until the controller listens, it tries again by itself.
        status, out = place.run([programs[2], "--wait", "--export=ALL", "job.sh"], SLURM_CONF=conf)
        said = "".join(open(os.path.join(place.dir, f)).read() for f in os.listdir(place.dir) if re.match(r"slurm-\d+\.out$", f))
        if "invalid" in out.lower() and "plugin" in out.lower() or any(d.poll() is not None for d in daemons):
            tap.skip("sbatch and srun", "no Slurm of one node can be set up here")
            return
        tap.ok(status == 0 and len([f for f in os.listdir(place.dir) if re.match(r"slurm-\d\.json$", f)]) == 4,
               "sbatch, and srun with four tasks", out + said)
        place.right("slurm.json", "Slurm", out + said)
    finally:
        for d in reversed(daemons):
            d.terminate()
            d.wait()


# A dcfg for Dask: the first one to get list 3 stops there, and says which worker it belongs to.
STOPPING = """#!/bin/sh
case " $* " in
*' -o dask-3.json '*) if mkdir first 2>/dev/null; then echo $PPID $$ >victim; exec cat fifo; fi ;;
esac
exec %s/dcfg "$@"
"""


def check_dask(place):
    tap = place.tap
    if subprocess.run([harness.PYTHON, "-c", "import distributed, pandas, dask.dataframe"], stderr=subprocess.DEVNULL).returncode:
        tap.skip("Dask with a worker that is killed", "python3-distributed or python3-pandas is not installed")
        return
    stop = tap.path("stop")
    os.mkdir(stop)
    os.chmod(harness.write(os.path.join(stop, "dcfg"), STOPPING % place.bin), 0o755)
    os.mkfifo(os.path.join(place.dir, "fifo"))
    os.mkfifo(os.path.join(place.dir, "victim"))
    env = dict(place.env, PATH=stop + ":" + place.env["PATH"], PYTHONPATH=place.dir)
    harness.write(os.path.join(place.dir, "recipe.py"), block("python", "client.submit"))
    started = []

    def start(*argv):
        log = open(tap.path("dask%d.log" % len(started)), "w")
        started.append(subprocess.Popen(DASK + list(argv), cwd=place.dir, env=env, stdout=log, stderr=log))
        return started[-1]
    try:
        port = free_ports(1)[0]
        address = "tcp://127.0.0.1:%d" % port
        start("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard")
        for k in range(2):
            start("distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard",
                  "--local-directory", tap.path("worker%d" % k))
        client = subprocess.Popen([harness.PYTHON, "recipe.py", address], cwd=place.dir, env=env, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT)
        with open(os.path.join(place.dir, "victim")) as f:          # until a worker has come to list 3
            worker, child = map(int, f.read().split())
        tap.ok(worker in [p.pid for p in started[1:]], "a worker is in the middle of a task", worker)
        os.kill(worker, signal.SIGKILL)
        os.kill(child, signal.SIGKILL)
        out = client.communicate(timeout=harness.TIMEOUT)[0].decode(errors="replace")
        tap.ok(client.returncode == 0, "Dask, with a worker that was killed", out[-2000:])
        place.right("dask.json", "Dask", out[-2000:])
    finally:
        for p in reversed(started):
            p.kill()
            p.wait()
    # Its data frames, with the types that the page names.
    command("export", "--tables=tables", *place.files, cwd=place.dir)
    status, out = place.run([harness.PYTHON, "-c", block("python", "read_csv")])
    most = max(json.loads(command("report", "--json", f, cwd=place.dir)[1])["processes"][0]["instructions"] for f in place.files)
    name = out.split()[-1] if out.split() else ""
    tap.ok(status == 0 and name + ".json" in place.files and json.loads(command(
        "report", "--json", name + ".json", cwd=place.dir)[1])["processes"][0]["instructions"] == most, "Dask reads the tables", out[-2000:])


def check_duckdb(place):
    """The page's other statement, to Parquet."""
    env = tablelib.duckdb(place.tap)
    if not env:
        return
    command("export", "--tables=tables", *place.files, cwd=place.dir)
    with open(os.path.join(place.dir, "copy.sql"), "w") as f:
        f.write(block("sql", "COPY") + "SELECT count(*) AS n, count(DISTINCT run) AS runs FROM 'functions.parquet';\n")
    status, out = place.run(["node", os.path.join(harness.HERE, "duck.js"), "copy.sql"], NODE_PATH=env["NODE_PATH"])
    rows = tablelib.read(os.path.join(place.dir, "tables"), "functions")["functions"]
    place.tap.ok(status == 0 and json.loads(out) == [{"n": str(len(rows)), "runs": "8"}], "Parquet by one COPY", out)


def main():
    tap = harness.Tap("fleet_engines")
    place = Place(tap)
    check_mpi(place)
    check_slurm(place)
    check_dask(place)
    check_duckdb(place)
    tap.done()


main()
