"""Tables that dcfg export --tables writes, and DuckDB for Node.js."""
import csv
import glob
import gzip
import os
import shutil
import subprocess

import harness

TABLES = {
    "runs": "run process threads instructions", "images": "run process image path load_addr size instructions",
    "functions": "run process image addr name size instructions blocks calls",
    "blocks": "run process image addr size instrs executions function_addr",
    "edges": "run process image addr to_image to_addr type traversals",
    "loops": "run process image addr function_addr blocks entries iterations instructions",
    "lines": "run process image file line instructions"}
TEXTS = ("run", "image", "to_image", "path", "name", "file", "type")


def read(directory, *names):
    """Returns all rows of these tables, or of all, with numbers as numbers."""
    tables = {}
    for name in names or TABLES:
        tables[name] = []
        for path in sorted(glob.glob(os.path.join(directory, name, "job=*", "*.csv.gz"))):
            with gzip.open(path, "rt", newline="") as f:
                rows = csv.reader(f)
                head = next(rows)
                assert head == TABLES[name].split(), (name, head)
                kinds = [str if k in TEXTS else int for k in head]
                tables[name] += [{k: kind(v) for k, kind, v in zip(head, kinds, row)} for row in rows]
    return tables


def duckdb(tap):
    """Returns the environment in which Node.js finds DuckDB; None if it does not."""
    env = dict(harness.ENV)
    env["NODE_PATH"] = os.environ.get("NODE_PATH") or os.path.join(os.environ.get("BUILDDIR", "."), os.pardir, "npm", "node_modules")
    node = shutil.which("node")
    if not node or subprocess.run([node, "-e", 'require("@duckdb/node-api")'], env=env, stderr=subprocess.DEVNULL).returncode:
        tap.skip("the questions of docs/fleet.sql", "@duckdb/node-api is not installed")
        return None
    return env
