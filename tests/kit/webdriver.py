"""Chromium, controlled by chromedriver: the part of HTTP that the WebDriver protocol needs, and nothing else.

installed() tells whether both are there.
"""
import base64
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

import harness

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"]
DARK = ["--force-dark-mode", "--blink-settings=preferredColorScheme=0"]
SCRIPTLESS = ["--blink-settings=scriptEnabled=false"]
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"enter": "\ue007", "tab": "\ue004"}


def installed():
    return all(shutil.which(x) for x in ("chromium", "chromedriver"))


class Browser:
    def __init__(self, size=(1400, 900), dark=False, scripts=True):
        self.profile = tempfile.TemporaryDirectory(prefix="chromium.", ignore_cleanup_errors=True)
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                       text=True)
        # No proxy: the server is on this machine.
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        self.base = ""
        for line in self.driver.stdout:
            m = re.search(r"started successfully on port (\d+)", line)
            if m:
                self.base = "http://127.0.0.1:%s/session" % m.group(1)
                break
        options = {"binary": shutil.which("chromium"), "args": FLAGS + ["--user-data-dir=" + self.profile.name, "--window-size=%d,%d" % size]
                   + DARK * dark + SCRIPTLESS * (not scripts)}
        session = self.ask("POST", "", {"capabilities": {"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": options,
                                                                         "timeouts": {"script": 1000 * harness.TIMEOUT},
                                                                         "goog:loggingPrefs": {"browser": "ALL"}}}})
        self.base += "/" + session["sessionId"]

    def ask(self, method, path, body=None):
        request = urllib.request.Request(self.base + path, method=method, headers={"Content-Type": "application/json"},
                                         data=None if body is None else json.dumps(body).encode())
        try:
            with self.opener.open(request, timeout=harness.TIMEOUT) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as e:
            raise RuntimeError(json.load(e)["value"]["message"]) from None

    def resize(self, width, height):
        """Sets the size of what the page has, also below that of the smallest window."""
        self.ask("POST", "/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}})

    def go(self, url):
        self.ask("POST", "/url", {"url": url})

    def back(self):
        self.ask("POST", "/back", {})

    def run(self, script, *args):
        """Runs a function's body in the page, and returns its result."""
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(args)})

    def find(self, selector):
        return self.ask("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        self.ask("POST", "/element/%s/click" % self.find(selector), {})

    def text(self, selector):
        """The text of an element as it is shown, also without scripts."""
        return self.ask("GET", "/element/%s/text" % self.find(selector))

    def press(self, *keys):
        """Presses keys, for the focused element."""
        actions = [{"type": t, "value": KEYS.get(k, k)} for k in keys for t in ("keyDown", "keyUp")]
        self.ask("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def errors(self):
        return [e["message"] for e in self.ask("POST", "/se/log", {"type": "browser"}) if e["level"] != "DEBUG"]

    def screenshot(self, path):
        with open(path, "wb") as f:
            f.write(base64.b64decode(self.ask("GET", "/screenshot")))

    def close(self):
        try:
            self.ask("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()
            self.driver.stdout.close()
            # Chromium's last processes may still write there.
            end = time.monotonic() + harness.TIMEOUT
            while os.path.exists(self.profile.name) and time.monotonic() < end:
                self.profile.cleanup()
