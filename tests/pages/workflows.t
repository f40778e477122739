#!/usr/bin/python3
"""The workflows of docs/ci.md do what the page says.  (TAP)

The page has a whole workflow for GitHub and one for GitLab.  Their shell steps are run as they stand, by sh -e, in a clone
of a repository that has a branch with a change; only the steps that install packages are left out.  A change of a comment
passes; one that makes find() slower does not.
"""
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import commandlib
import harness

PAGE = os.path.join(harness.SRCDIR, "docs", "ci.md")
CHANGES = {"comment": ("struct word {", "struct word {   /* of a list */"),
           "slower": ("   w = calloc(1", "   for (w = *bucket; w; w = w->next)\n      if (strcmp(w->text, s) == 0)\n         return w;\n   w = calloc(1")}


def block(title):
    """Returns the lines of the YAML block behind a heading."""
    return re.search(r"^## %s\n.*?^```yaml\n(.*?)^```" % title, harness.read(PAGE), re.M | re.S).group(1).splitlines()


def indent(line):
    return len(line) - len(line.lstrip())


def below(lines, at):
    """Returns the lines behind line AT that are indented more than it."""
    found = []
    for line in lines[at + 1:]:
        if indent(line) <= indent(lines[at]):
            break
        found.append(line)
    return found


def github_steps():
    """Returns names and scripts of the steps that run something."""
    lines = block("GitHub")
    steps = []
    for i, line in enumerate(lines):
        if line.strip() == "run: |":
            script = below(lines, i)
            steps.append((lines[i - 1].split("name: ")[1], "".join(s[indent(script[0]):] + "\n" for s in script)))
    return steps


def gitlab_script(key):
    lines = block("GitLab")
    return "".join(line.strip()[2:] + "\n" for line in below(lines, lines.index("  " + key + ":")))


def git(place, *args):
    subprocess.run(["git", "-c", "user.name=me", "-c", "user.email=me@localhost", *args], cwd=place, check=True, env=ENV,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def shell(place, script, **env):
    """Returns the status of a script, and its output."""
    r = subprocess.run(["sh", "-e", "-c", script], cwd=place, env=dict(ENV, **env), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, timeout=harness.TIMEOUT)
    return r.returncode, r.stdout.decode(errors="replace")


def changed(place, change):
    path = os.path.join(place, "words.c")
    text = harness.read(path)
    assert text.count(CHANGES[change][0]) == 1
    harness.write(path, text.replace(*CHANGES[change]))


def check_github(tap, change, status):
    """One pull request."""
    upstream, clone, summary = (tap.path("%s.%s" % (change, name)) for name in ("upstream", "clone", "summary"))
    os.mkdir(upstream)
    shutil.copy(os.path.join(harness.SRCDIR, "docs", "words.c"), upstream)
    git(upstream, "init", "-q", "-b", "main")
    git(upstream, "add", "words.c")
    git(upstream, "commit", "-q", "-m", "words")
    git(upstream, "checkout", "-q", "-b", "change")
    changed(upstream, change)
    git(upstream, "commit", "-q", "-a", "-m", "a change")
    git(tap.dir, "clone", "-q", upstream, clone)
    commit = subprocess.run(["git", "-C", upstream, "rev-parse", "change"], stdout=subprocess.PIPE, check=True,
                            universal_newlines=True).stdout.strip()
    env = {"GITHUB_BASE_REF": "main", "GITHUB_SHA": commit, "GITHUB_WORKSPACE": clone, "GITHUB_STEP_SUMMARY": summary}
    steps = github_steps()
    tap.ok([name for name, _ in steps] == ["Install", "Count the branch", "Count the change"]
           and all(line.startswith("apt-get ") for line in steps[0][1].splitlines()), "GitHub: the steps", steps)
    for i, (name, script) in enumerate(steps[1:], 1):
        got, said = shell(clone, script, **env)
        want = status if i == 2 else 0
        tap.ok(got == want, "GitHub, %s: %s ends with %d" % (change, name, want), "%d\n%s" % (got, said))
    errors = re.findall(r"^::error .*", said, re.M)
    table = harness.read(summary)
    if status == 0:
        tap.ok(not errors and "within the limits" in table and "(the same, limit 1%)" in said, "GitHub: passes", said + table)
    else:
        tap.ok(errors and re.match(r"::error title=dcfg gate,file=words\.c,line=\d+::words: the program grew from ", errors[0])
               and re.search(r"^\| words \|.*\| beyond the limits \|$", table, re.M), "GitHub: marks the line, and has a summary",
               said + table)


def check_gitlab(tap):
    """A baseline in the repository."""
    place = tap.path("gitlab")
    os.makedirs(os.path.join(place, "ci"))
    shutil.copy(os.path.join(harness.SRCDIR, "docs", "words.c"), place)
    script = gitlab_script("script")
    tap.ok(len(script.splitlines()) == 4 and all(line.startswith("apt-get ") for line in gitlab_script("before_script").splitlines()),
           "GitLab: the scripts", script)
    status, said = shell(place, script)
    tap.ok(status == 2 and "ci/words.gate: cannot open" in said, "GitLab: without a baseline", said)
    os.rename(os.path.join(place, "new.gate"), os.path.join(place, "ci", "words.gate"))
    for change, want, words in (("comment", 0, "words: within the limits"), ("slower", 1, "beyond: find grew from ")):
        changed(place, change)
        status, said = shell(place, script)
        tap.ok(status == want and words in said and os.path.exists(os.path.join(place, "new.gate")),
               "GitLab, %s: ends with %d" % (change, want), "%d\n%s" % (status, said))
    os.replace(os.path.join(place, "new.gate"), os.path.join(place, "ci", "words.gate"))
    status, said = shell(place, script)
    tap.ok(status == 0, "GitLab: an accepted growth", said)


def main():
    tap = harness.Tap("workflows")
    ENV["PATH"] = commandlib.installed(tap) + ":" + harness.ENV["PATH"]
    ENV["HOME"] = tap.dir
    if shutil.which("git"):
        check_github(tap, "comment", 0)
        check_github(tap, "slower", 1)
    else:
        tap.skip("GitHub", "no git")
    check_gitlab(tap)
    tap.done()


ENV = dict(harness.ENV)
main()
