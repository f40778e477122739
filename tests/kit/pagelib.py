"""Shared by the tests of pages for browsers: a page's data and policy, and a browser that waits for the page.

cmd/page/ makes the frame of each page.  The head of the C file that writes a page describes its data.
"""
import base64
import gzip
import hashlib
import json
import os
import re
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness
import webdriver

DATA = re.compile(r'<script type="application/gzip" id="data">([A-Za-z0-9+/=]*)</script>')


def data_of(page):
    """Returns the data in a page; None if there is not exactly one such element."""
    found = DATA.findall(page)
    return json.loads(gzip.decompress(base64.b64decode(found[0], validate=True))) if len(found) == 1 else None


def check_policy(tap, page):
    """The content security policy has the hashes of the page's scripts and styles, and nothing else."""
    scripts, styles = (re.findall("<%s>(.*?)</%s>" % (x, x), page, re.S) for x in ("script", "style"))
    text = page.replace("http://www.w3.org/2000/svg", "")       # a name, not an address to load from
    tap.ok(page.count("</script") == page.count("<script") == 1 + len(scripts) and "http:" not in text
           and "https:" not in text, "the page has its data, and no address of another one")
    policy = dict(x.strip().split(" ", 1) for x in re.search('Security-Policy" content="([^"]*)"', page).group(1).split(";"))
    hashes = lambda texts: ["'sha256-%s'" % base64.b64encode(hashlib.sha256(t.encode()).digest()).decode() for t in texts]
    tap.ok(policy == {"default-src": "'none'", "base-uri": "'none'", "form-action": "'none'", "img-src": "data:",
                      "script-src": " ".join(hashes(scripts)), "style-src": " ".join(hashes(styles))},
           "its policy allows its own scripts and styles by their hashes, and nothing else", policy)


class Page(webdriver.Browser):
    def run(self, script, *args):
        """Waits until the page shows its address's contents: a browser tells the page of a new one later."""
        end = time.monotonic() + harness.TIMEOUT
        while time.monotonic() < end and not super().run("return document.documentElement.dataset.at === location.hash"):
            pass
        return super().run(script, *args)

    def go(self, url):
        """Goes to a page that is made when its data is unpacked."""
        super().go(url)
        self.run("return 0")

    def back(self):
        """Goes back, to another address.  The driver does not wait for one of the same page."""
        before, end = super().run("return location.href"), time.monotonic() + harness.TIMEOUT
        super().back()
        while time.monotonic() < end and super().run("return location.href") == before:
            pass

    def texts(self, selector):
        return self.run("return Array.from(document.querySelectorAll(arguments[0])).map(e => e.textContent)", selector)

    def until(self, script, *args):
        """Returns SCRIPT's value as soon as it is true; its last value if it never is."""
        end = time.monotonic() + harness.TIMEOUT
        found = self.run(script, *args)
        while not found and time.monotonic() < end:
            found = self.run(script, *args)
        return found

    def check_accessible(self, tap, what):
        """axe-core finds nothing serious, if AXE names its axe.min.js: `npm install axe-core' has it."""
        if not os.environ.get("AXE"):
            tap.skip("accessibility of " + what, "AXE names no axe.min.js")
            return
        with open(os.environ["AXE"], encoding="utf-8") as f:
            self.run(f.read() + "; window.axe = axe; window.found = null; axe.run({ resultTypes: ['violations'] }).then(r => {"
                     " window.found = r.violations.map(v => [v.id, v.impact, v.nodes[0].html.slice(0, 200), v.nodes[0].any.map(a => a.message).join()]); })")
        self.until("return window.found !== null")
        serious = [v for v in self.run("return window.found") if v[1] in ("serious", "critical")]
        tap.ok(serious == [], "axe-core finds nothing serious in " + what, serious)

    def requests(self):
        return self.run("return performance.getEntriesByType('resource').map(e => e.name)")
