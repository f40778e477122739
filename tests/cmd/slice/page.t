#!/usr/bin/python3
"""dcfg slice --as=html: the page's data, and the page in a browser.  (TAP)

- The data: what dcfg slice --as=json says of the same slice; sources as they are, whatever is in them.
- Tables of executions: those of dcfg why --table.
- Its content security policy: hashes of its scripts and styles, and nothing else.
- Chromium, where it is installed, opens the page from a file: lines, cards, instances, links, keys, searching, libraries, threads.
  Cards have names, types, values and call stacks. Sources and their names are shown as text. The page makes no requests.
- A slice of more than 100,000 instances.

SLICE_PICTURE=FILE has the picture of docs/slice.md made, too.
"""
import json
import os
import shutil
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "kit"))
import commandlib
import harness
import pagelib
import slicelib
import webdriver

# A name and a text that would have an effect if they were taken for a part of the page.
NAME = "odd <i>&\"'.c"
SOURCE = b"""#include <stdio.h>

static int table[6] = { 3, 1, 4, 1, 5, 9 };
/* </script><script>document.title = "no"</script><img src=x onerror="document.title='no'"> &lt; \\ \xff\xc0\xaf */
static int largest(const int *t, int n)
{
    int best = t[0]; /* <!-- <script> */
    for (int i = 1; i < n; i++)
        if (t[i] > best)
            best = t[i];
    return best;
}

static int sum(const int *t, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += t[i];
    return s;
}

int main(void)
{
    int a, b;
    a = sum(table, 6);
    b = largest(table, 6);
    printf("%d\\n", a);
    printf("%d\\n", b);
    return 0;
}
"""
WHERE = ("best > 3 && i != 5", "best<4", "i >= 4 && i <= 5", "i == 9", "t[...]==9")       # conditions on line 9
WANTED = 28                             # the line of the last printf
LONG = """#include <stdio.h>
int main(void)
{
    unsigned s = 1;
    for (unsigned i = 0; i < 12000; i++)
        s = s * 3 + i;
    printf("%u\\n", s);
    return 0;
}
"""


def recorded(tap, name, source):
    """Records a program with this source; returns (path of the trace, whether that worked)."""
    path = tap.path(name)
    harness.write(path, source)
    prog = harness.cc(tap, path, "prog", "-static", "-O0")
    wet = tap.path("prog.wet")
    graph, _, why = harness.dcfg(tap, "prog", [prog], ["--wet=yes", "--wet-out-file=" + wet])
    tap.ok(graph and os.path.exists(wet), "%s is recorded" % ("a program" if name == NAME else "a long program"), why)
    return wet


def recorded_program(tap, name):
    """Records a program of tests/progs/slice."""
    return recorded(tap, name, harness.read(os.path.join(slicelib.PROGS, name), "rb"))


def take_picture(tap, to):
    """Writes the page of docs/slice.md's session to file TO, if requested."""
    if to is None:
        return
    shutil.copy(os.path.join(harness.SRCDIR, "docs", "price.c"), ".")
    prog, wet = harness.cc(tap, "price.c", "price", "-O0", "-fdebug-prefix-map=%s=." % os.getcwd()), tap.path("price.wet")
    harness.dcfg(tap, "price", [prog], ["--wet=yes", "--wet-out-file=" + wet])
    path, _ = page_of(tap, wet, "price.html", "--at=price.c:21", "--of=price")
    b = pagelib.Page(size=(1200, 760))
    try:
        b.go("file://" + path)
        b.screenshot(to)
    finally:
        b.close()


def page_of(tap, wet, name, *opts):
    out = tap.path(name)
    status, text, err = commandlib.command("slice", "--as=html", "-o", out, *opts, wet)
    tap.ok(status == 0 and text == "" and os.path.exists(out), "a page: " + " ".join(opts), text + err)
    with open(out, encoding="utf-8") as f:
        return out, f.read()


# ---- without a browser -----------------------------------------------------------------------------------------------

def check_data(tap, wet, page, opts):
    data = pagelib.data_of(page)
    pagelib.check_policy(tap, page)
    n, inputs = len(data["instr"]), sum(data["count"])
    lengths = {k: len(data[k]) for k in ("instance", "distance", "thread", "value", "count", "wrote", "result", "caller")}
    columns = {k: len(data[k]) for k in ("port", "back", "name", "type", "shown", "use", "on")}
    tap.ok(n > 10 and set(lengths.values()) == {n} and set(columns.values()) == {inputs},
           "the data's columns have a row for each instance or input", lengths)
    s = slicelib.Slice(data)
    bad = [i for i in range(n) for k in s.inputs[i] if not 0 <= k < i]
    reached, todo = set(data["criterion"]), list(data["criterion"])
    while todo:
        for k in s.inputs[todo.pop()]:
            if k not in reached:
                reached.add(k)
                todo.append(k)
    tap.ok(not bad and len(reached) == n, "all that is in it can be reached from the criterion", bad[:5])
    file = next((f for f in data["files"] if f["source"] and os.path.basename(f["name"]) == NAME), None)
    want = SOURCE.decode(errors="replace").splitlines()
    tap.ok(file and file["text"] == [[1, want]] and file["last"] == len(want), "the source is in it, byte for byte",
           file and file["text"])
    lines = s.lines(NAME)
    tap.ok({7, 8, 9, 10, 11, 26, WANTED} <= lines and not lines & {16, 17, 18, 19, 27} and lines <= s.executed(NAME),
           "of the two sums it has the one that is printed there", sorted(lines))
    status, text, err = commandlib.command("slice", "--as=json", *opts, wet)
    told = json.loads(text) if status == 0 else {}
    nodes = sorted(("0x%x" % a, i) for a, i in s.nodes)
    tap.ok(sorted((x["address"], x["instance"]) for x in told.get("nodes", [])) == nodes,
           "--as=json has the same instances", err or text[:300])


def table_of(wet, place, *opts):
    return json.loads(commandlib.command("why", wet, place, "--table", "--json", *opts)[1])


def check_tables(tap, wet, data):
    """Tables of executions are those of dcfg why --table, and their links lead to instances of these."""
    s, wrong, numbers = slicelib.Slice(data), [], 0
    ran = {x["line"]: x for x in data["tables"] if os.path.basename(data["files"][x["file"]]["name"]) == NAME}
    tap.ok({8, 9, 10} <= set(ran) and not {26, WANTED} & set(ran), "lines that ran more than once have tables", sorted(ran))
    for line, x in ran.items():
        rows = table_of(wet, "%s:%d" % (NAME, line))
        want = [[row.get(c) for row in rows] for c in x["columns"]]
        got = [[v[0] if isinstance(v, list) else v for v in column] for column in x["values"]]
        links = [i for i in x["shown"] if i >= 0]
        numbers += len(links)
        if want != got or len(x["thread"]) != len(rows) or any(s.places[data["instr"][i]][1] != line for i in links) or links != sorted(links):
            wrong.append((line, want, got, x["shown"]))
    tap.ok(not wrong and numbers > 10, "tables are those of dcfg why --table, with links", wrong)


# ---- in a browser ----------------------------------------------------------------------------------------------------

CHOSEN = "return Array.from(document.querySelectorAll('#list > li.chosen li.chosen-instance code b')).map(e => e.textContent)"
SHOWN = "return Array.from(document.querySelectorAll('#source tr.in')).map(e => +e.id.split('-')[1])"


def check_source(tap, b, data):
    at = b.run("return document.querySelector('#source tr.chosen').id")
    tap.ok(at.endswith("-%d" % WANTED), "the page opens on the program's line that is nearest to the criterion", at)
    title = b.run("return document.title")
    tap.ok(title == "%s: %s" % (data["title"], data["asked"]) and b.run("return document.querySelectorAll('img').length") == 0,
           "what a source contains is text", title)
    text = b.run("return document.querySelector('#source table').textContent")
    tap.ok("(cannot be read)" not in text and "return best;" in text, "the source is shown", text[:300])
    summary = b.run("return document.getElementById('summary').textContent")
    tap.ok(data["notes"] and all(" Not followed: %s." % x in summary for x in data["notes"]),
           "what was not followed is said, each in a sentence", summary)
    s = slicelib.Slice(data)
    braces = {k + 1 for k, line in enumerate(SOURCE.decode(errors="replace").splitlines()) if line.strip() in ("{", "}")}
    tap.ok(b.run(SHOWN) == sorted(s.lines(NAME) - braces), "with the lines of the slice, but those of a brace alone", b.run(SHOWN))
    shades = b.run("return Array.from(document.querySelectorAll('#source tr.in')).map(e => [+e.cells[1].textContent,"
                   " +e.style.getPropertyValue('--heat')])")
    shades.sort()
    tap.ok(len(shades) > 3 and all(x[1] >= y[1] for x, y in zip(shades, shades[1:])) and shades[0][1] > shades[-1][1],
           "which are paler the farther they are", shades)
    b.click("#all")
    tap.ok(b.run("return Array.from(document.querySelectorAll('#source tr td:last-child')).map(e => e.textContent)")
           == SOURCE.decode(errors="replace").splitlines(), "and all lines, if that is wanted")
    b.click("#all")
    b.run("document.getElementById('all').focus()")


def check_links(tap, b, data):
    s = slicelib.Slice(data)
    name = lambda i: "0x%x#%d" % s.nodes[i]
    b.click("#source tr.in td:first-child a[href$='-10']")
    count = b.run("return document.querySelectorAll('#list > li').length")
    tap.ok(b.run("return location.hash").endswith("-10") and count == 3, "a click on a line shows its executions", count)
    inputs = b.texts("#list > li:last-child ul.inputs > li")
    tap.ok(len(inputs) >= 2 and inputs[0].startswith("t[...] = 9 int") and ":9 in largest" in inputs[-1],
           "with the inputs as C has them, and last what let it run", inputs)
    made = b.texts("#list > li .made")
    tap.ok(made == ["best = 4 int", "best = 5 int", "best = 9 int"], "and what each made, with its type", made)
    stacks = b.texts("#list > li:first-child .stack")
    tap.ok(stacks[-1].startswith("call stack: largest \u2190 main %s:26" % NAME), "and its call stack", stacks)
    b.click("#code")
    count = b.run("return document.querySelectorAll('#list > li ol > li').length")
    tap.ok(count == sum(s.places[x][1] == 10 for x in data["instr"]), "and its instances, behind a switch", count)
    i = next(k for k in range(len(s.nodes)) if s.places[data["instr"][k]][1] == 10 and s.inputs[k])
    b.click("#e%d ul a" % i)
    here = b.run("return location.hash")
    tap.ok(here == "#i%d" % s.inputs[i][0] and b.run(CHOSEN) == [name(s.inputs[i][0])], "a link leads to an input",
           "%s %s" % (here, b.run(CHOSEN)))
    b.press("enter")
    b.back()
    tap.ok(b.run("return location.hash").endswith("-10"), "and the browser back")
    b.press("j")
    after = b.run("return location.hash")
    b.press("k")
    tap.ok(after.endswith("-11") and b.run("return location.hash").endswith("-10"), "j and k go to lines", after)
    b.press("n")
    one = b.run(CHOSEN)
    b.press("n")
    two = b.run(CHOSEN)
    b.press("p")
    tap.ok(len(one) == len(two) == 1 and one != two and b.run(CHOSEN) == one, "n and p to instances", "%s %s" % (one, two))
    b.press("c")
    tap.ok(b.run(CHOSEN) == [name(data["criterion"][0])], "c to the criterion", b.run(CHOSEN))
    b.click("#code")
    b.press("n")
    b.press("p")
    tap.ok(b.run("return document.querySelectorAll('#list > li.chosen').length") == 1, "without them n and p go to executions")
    b.press("/")
    found = search(b, "BEST = 4")
    tap.ok(len(found) == 1 and found[0].split(":")[1].startswith("10  best = 4  best = t[i]"), "a search finds a value", found)
    found = search(b, "BEST = T")
    tap.ok([int(f.split(":")[1].split()[0]) for f in found] in ([10, 7], [7, 10]), "and lines of the slice", found)
    b.press("enter")
    tap.ok(b.run("return location.hash").rpartition("-")[2] in ("7", "10") and b.run("return document.querySelectorAll('#found a').length") == 0,
           "and Enter goes to the first one", b.run("return location.hash"))
    b.run("document.querySelector('#source tr.in a').focus()")
    b.press("enter")
    tap.ok(b.run("return document.querySelectorAll('#source tr.chosen').length") == 1
           and b.run("return document.activeElement.closest('tr.in') !== null"), "a line is opened with Enter")
    said = b.run("return document.getElementById('said').textContent")
    tap.ok(NAME in said and b.run("return document.querySelectorAll('[role=status][aria-live]').length") == 1,
           "what is shown is told to who cannot see it", said)


def check_rows(tap, b, asked):
    """The table of a line's executions: all rows, those that a condition chooses, links to cards, and what is no condition."""
    b.click("#source tr.in td:first-child a[href$='-9']")
    rows = asked[""]
    head = b.texts("#executions th")
    tap.ok(head[0] == "execution" and set(head[1:]) == {c for r in rows for c in r if c not in ("execution", "thread")}
           and len(b.texts("#executions tbody tr")) == len(rows) == 5, "a line has a table of all its executions", head)
    numbers = "#executions tbody td:first-child"
    ask = "const w = document.querySelector('#executions input'); w.value = arguments[0]; w.dispatchEvent(new Event('input'))"
    for where in WHERE:
        b.run(ask, where)
        want = [str(r["execution"]) for r in asked[where]]
        tap.ok(b.texts(numbers) == want and b.texts("#executions [role=status]") == ["%d of 5" % len(want)], "where " + where, b.texts(numbers))
    b.run(ask, "worst < 3")
    told = b.texts("#executions [role=status]")[0]
    tap.ok(b.texts(numbers) == [] and "worst" in told and "best" in told, "what is no condition is said, with the names", told)
    b.run(ask, "best > 3 && i == 4")
    b.click(numbers + " a")
    tap.ok(b.run("return location.hash").startswith("#i") and b.texts("#executions tr.chosen td:first-child") == ["3"]
           and "best = 4" in b.texts("#list > li.chosen ul.inputs")[0], "an execution leads to its card", b.texts("#list > li.chosen"))


def check_gap(tap, b):
    before = b.run("return document.querySelectorAll('#source tr').length")
    b.click("#source tr.gap button")
    tap.ok(b.run("return document.querySelectorAll('#source tr').length") > before, "a gap opens")


def search(b, words):
    b.run("const w = document.getElementById('words'); w.value = arguments[0]; w.dispatchEvent(new Event('input'))", words)
    return b.texts("#found a")


def check_libraries(tap, b, data):
    lines = [f["own"] and f["source"] for f in data["files"]]
    names = {os.path.basename(data["images"][data["image"][x]]["name"]) for x in data["instr"] if not lines[data["file"][x]]}
    shown = b.texts("#libraries summary b")
    tap.ok(set(shown) == names and len(shown) == len(names), "each library is one card", "%s %s" % (shown, names))
    b.click("#libraries summary")
    tap.ok(b.until("return document.querySelectorAll('#libraries details[open] tbody tr').length") > 0, "with its functions")
    b.click("#libraries summary")


def check_keys(tap, b):
    b.press("?")
    keys = b.texts("dialog[open] dt")
    tap.ok({"j", "k", "n", "p", "c", "i", "/", "?"} <= set(keys), "? lists the keys", keys)
    b.press("enter")
    tap.ok(b.texts("dialog") == [], "and Enter closes the list")


def check_threads(tap, b, path):
    b.go("file://" + path)
    b.click("#source tr.in td:first-child a[href$='-54']")
    crossing = b.texts("#list > li:first-child li.crossing")
    tap.ok(len(crossing) == 1 and crossing[0].startswith("strips[i].sum = 2784 long int")
           and crossing[0].endswith("written by thread 1 (add_up), read by thread 0 (main)"), "a value that crosses threads says so", crossing)
    first = b.texts("#crossings li")
    tap.ok(first and "pixels.c:54 reads what pixels.c:35 wrote" in first[0], "and stands above all cards", first)
    tap.ok(b.texts("#list .head .badge") == ["thread 0 (main)"] * 4, "each card has its thread", b.texts("#list .head .badge"))


SKIPPED = b"""#include <stdio.h>
static int price = 60, member;
int main(int argc, char** argv)
{
   member = argc > 1;
   if (member)
      price = price - 6;
   printf("%d\\n", price);
   return 0;
}
"""


def check_omitted(tap, b, wet):
    """A card of its own has the stores that did not run, as in the listing."""
    path, page = page_of(tap, wet, "skipped.html", "--at=skipped.c:8", "--of=price", "--omitted")
    listed = commandlib.command("slice", "--at=skipped.c:8", "--of=price", "--omitted", wet)[1]
    told = pagelib.data_of(page)["omitted"]
    b.go("file://" + path)
    shown = b.texts("#omitted p")
    tap.ok(len(told) == 1 and told[0] in listed.splitlines() and shown == told, "a store that did not run has a card", "%s %s" % (told, shown))


def check_browser(tap, asked, path, page, threads, skipped, long_path, n):
    b = pagelib.Page()
    try:
        b.go("file://" + path)
        data = pagelib.data_of(page)
        check_source(tap, b, data)
        check_links(tap, b, data)
        check_rows(tap, b, asked)
        check_gap(tap, b)
        check_libraries(tap, b, data)
        check_keys(tap, b)
        errors, asked = b.errors(), b.requests()
        tap.ok(errors == [] and asked == [], "without an error, or a request", errors or asked)
        b.check_accessible(tap, "the page")
        check_threads(tap, b, threads)
        check_omitted(tap, b, skipped)
        b.go("file://" + long_path)
        b.click("#source tr.in td:first-child a[href$='-6']")
        shown = b.run("return document.querySelectorAll('*').length")
        tap.ok(b.run("return document.querySelectorAll('#list > li').length") == 100 and shown < 5000,
               "of %d instances only what is seen is made into elements" % n, shown)
        b.click("#pager button:last-child")
        tap.ok(b.run("return document.querySelector('#pager input').value") == "2"
               and b.run("return document.querySelector('#list').start") == 101 and b.errors() == [],
               "the next ones are a click away", b.errors())
    finally:
        b.close()


def main():
    tap = harness.Tap("slice_page")
    wet = recorded(tap, NAME, SOURCE)
    opts = ["--at=%s:%d" % (NAME, WANTED)]
    path, page = page_of(tap, wet, "slice.html", *opts)
    check_data(tap, wet, page, opts)
    check_tables(tap, wet, pagelib.data_of(page))
    # The program is made anew for the next recording.
    asked = {w: table_of(wet, NAME + ":9", *(["--where", w] if w else [])) for w in ("", *WHERE)}
    threads, _ = page_of(tap, recorded_program(tap, "pixels.c"), "pixels.html", "--output=brightness 5", "--computed")
    long_path, long_page = page_of(tap, recorded(tap, "long.c", LONG.encode()), "long.html", "--at=long.c:7")
    n = len(pagelib.data_of(long_page)["instr"])
    tap.ok(n > 100000 and len(long_page) < 40 * n, "%d instances are %d bytes" % (n, len(long_page)))
    if webdriver.installed():
        check_browser(tap, asked, path, page, threads, recorded(tap, "skipped.c", SKIPPED), long_path, n)
        take_picture(tap, os.environ.get("SLICE_PICTURE"))
    else:
        tap.skip("in a browser", "chromium or chromedriver is not installed")
    tap.done()


main()
