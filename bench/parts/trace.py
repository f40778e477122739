"""The DCFG and its trace, and how small that is."""
import os
import shutil
import subprocess

from measure import ENV, fail, geometric_mean, layout, say, spread
from part import Part, Turn, mean, out_file, said
from parts.graph import DCFG, NONE
from programs import KERNELS, REAL

REFERENCES = {"xz -6": ("xz", "-6", "-T1", "-c"), "bzip2 -9": ("bzip2", "-9", "-c")}


def read(log, files):
    edges, threads, ms = said(log, r"dcfg: wrote .*: ([\d,]+) edges of ([\d,]+) threads?,",
                              r"dcfg: (\d+) ms to write the DCFG-trace$")
    return {"edges": edges, "threads": threads, "ms": ms, "bytes": os.path.getsize(files["trace"])}


TRACED = Turn("traced", options=("--trace=yes",), files=("dcfg", "trace"), read=read)


def bits(result):
    """Returns the bits of an edge in the trace."""
    return 8 * result.number(TRACED, "bytes") / result.number(TRACED, "edges")


class Costs(Part):
    TURNS = (NONE, DCFG, TRACED)
    PROGRAMS = KERNELS + REAL

    def __init__(self, bench):
        super().__init__(bench)
        self.others = {}                    # bytes by REFERENCES, by programs
        if bench.references:
            for program in ["cc", "wc"] + [argv[0] for argv in REFERENCES.values()]:
                if not shutil.which(program, path=ENV["PATH"]):
                    fail("--references: %s is not installed" % program)
            self.decoder = os.path.join(bench.scratch, "trace_decode")
            subprocess.run(["cc", "-O2", os.path.join(bench.srcdir, "tests", "oracle", "trace_decode.c"), "-o",
                            self.decoder], check=True, env=ENV)

    def after(self, result, last):
        """Compresses the edge ids of the last trace, thread after thread, with each of REFERENCES."""
        if not self.bench.references or not last:
            return
        say("%s: %s" % (result.name, ", ".join(REFERENCES)))
        threads, edges = (result.number(TRACED, name) for name in ("threads", "edges"))
        raw, sizes = compress_ids(self.decoder, out_file(self.bench.scratch, TRACED.name, "trace"), threads,
                                  self.bench.scratch)
        if raw != 4 * edges:
            fail("%s: %d bytes of edge ids, but %d edges" % (result.name, raw, edges))
        self.others[result.name] = sizes

    def table(self, results):
        rows = [["", "traced", "", "", "", "bits/", "trace"] + ["ids, bytes"] * len(REFERENCES)
                + ["encode", "peak MB", "more than"],
                ["program", "s", "traced/none", "/dcfg", "edges", "edge", "bytes"] + list(REFERENCES)
                + ["ms", "traced", "dcfg"]]
        for r in results:
            others = self.others.get(r.name, {})
            rows.append([r.name, "%.2f" % r.median(TRACED), spread(r.ratios(TRACED, NONE)),
                         "%.2f" % r.ratio(TRACED, DCFG), "%d" % r.number(TRACED, "edges"), "%.3f" % bits(r),
                         "%d" % r.number(TRACED, "bytes")]
                        + [str(others.get(name, "-")) for name in REFERENCES]
                        + ["%d" % r.number(TRACED, "ms"), "%.0f" % (r.median(TRACED, "peak") / 1e6),
                           "%.0f" % (r.extra_peak(TRACED, DCFG) / 1e6)])
        return layout(rows)

    def summary(self, results):
        xz = "xz -6"
        larger = [r.name for r in results
                  if self.others.get(r.name) and r.number(TRACED, "bytes") > self.others[r.name][xz]]
        most = max(results, key=lambda r: r.extra_peak(TRACED, DCFG))
        rows = [["geometric mean", "", "target"],
                ["traced/none", "%.2f" % mean(results, TRACED, NONE), "at most 3.00"],
                ["traced/none, elapsed time", "%.2f" % mean(results, TRACED, NONE, "wall"), ""],
                ["bits an edge", "%.3f" % geometric_mean(bits(r) for r in results), "at most 0.60"],
                ["programs with a trace larger than %s's" % xz, "%d" % len(larger) if self.others else "-", "none"],
                ["largest extra memory, MB, %s" % most.name, "%.0f" % (most.extra_peak(TRACED, DCFG) / 1e6),
                 "at most 256"]]
        return layout(rows) + ("\nlarger than %s's: %s" % (xz, ", ".join(larger)) if larger else "")


def compress_ids(decoder, trace, threads, scratch):
    """Returns the size of the raw edge ids, and after each of REFERENCES.  Nothing is stored: the decoder's files are links
    to one pipe, and each compressor gets a copy.
    """
    prefix = os.path.join(scratch, "ids")
    links = ["%s.%d" % (prefix, thread) for thread in range(threads)]
    read_end, write_end = os.pipe()
    try:
        for link in links:
            if os.path.lexists(link):
                os.unlink(link)
            os.symlink("/dev/fd/%d" % write_end, link)
        with open(trace, "rb") as f:
            decoding = subprocess.Popen([decoder, "--out=" + prefix], stdin=f, stdout=subprocess.PIPE,
                                        pass_fds=[write_end], env=ENV)
        os.close(write_end)
        compressors, counters = [], {}
        for name, argv in REFERENCES.items():
            compressors.append(subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENV))
            counters[name] = subprocess.Popen(["wc", "-c"], stdin=compressors[-1].stdout, stdout=subprocess.PIPE,
                                              env=ENV)
            compressors[-1].stdout.close()
        raw = 0
        with open(read_end, "rb", buffering=0) as ids:
            while some := ids.read(1 << 16):
                raw += len(some)
                for compressor in compressors:
                    compressor.stdin.write(some)
        for compressor in compressors:
            compressor.stdin.close()
        sizes = {name: int(counter.communicate()[0]) for name, counter in counters.items()}
        said_by = decoding.communicate()[0].decode(errors="replace")
        if decoding.returncode != 0:
            fail("%s cannot be decoded:\n%s" % (trace, said_by))
        if any(process.wait() != 0 for process in compressors):
            fail("a compressor failed")
        return raw, sizes
    finally:
        for link in links:
            if os.path.islink(link):
                os.unlink(link)
