"""Chromium without a window, told what to do through a pipe (its DevTools protocol); nothing but Python's own library."""

import base64
import json
import os
import select
import subprocess
import time

ANSWER_LIMIT_S = 90
LOAD_LIMIT_S = 60


class Browser:
    """A Chromium with one tab."""

    def __init__(self, program, directory):
        to_browser, our_end = os.pipe()
        self.from_browser, its_end = os.pipe()
        self.to_browser = our_end

        def descriptors():
            # Where it expects them. Copied from higher numbers: the one must not close the other.
            high = [os.dup2(fd, 100 + at) for at, fd in enumerate((to_browser, its_end))]
            for at, fd in enumerate(high):
                os.dup2(fd, 3 + at)

        options = ["--headless=new", "--remote-debugging-pipe", f"--user-data-dir={directory}", "--no-first-run",
                   "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking", "--hide-scrollbars",
                   "--disable-extensions", "--disable-component-update", "--window-size=1280,900"]
        if os.geteuid() == 0:
            # Its sandbox does not work for root; it sees nothing but our server.
            options.append("--no-sandbox")
        self.process = subprocess.Popen([program, *options, "about:blank"], preexec_fn=descriptors, close_fds=False,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(its_end)
        self.buffer, self.last_id, self.events, self.session = b"", 0, [], None
        target = self._first_page()
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")

    def _first_page(self):
        """Its tab, which may come a little after the browser answers."""
        limit = time.monotonic() + LOAD_LIMIT_S
        while time.monotonic() < limit:
            for one in self.call("Target.getTargets")["targetInfos"]:
                if one["type"] == "page":
                    return one
            time.sleep(0.05)
        raise RuntimeError(f"the browser has no page after {LOAD_LIMIT_S} s")

    def close(self):
        self.process.kill()
        self.process.wait()

    def _message(self, limit):
        while b"\0" not in self.buffer:
            left = limit - time.monotonic()
            if left <= 0 or not select.select([self.from_browser], [], [], left)[0]:
                return None
            read = os.read(self.from_browser, 1 << 16)
            if not read:
                raise RuntimeError("the browser has ended")
            self.buffer += read
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        """Calls a method of the protocol, and keeps the events that come before its answer."""
        self.last_id += 1
        request = {"id": self.last_id, "method": method, "params": parameters}
        if self.session and not method.startswith("Target."):
            request["sessionId"] = self.session
        os.write(self.to_browser, json.dumps(request).encode() + b"\0")
        limit = time.monotonic() + ANSWER_LIMIT_S
        while (message := self._message(limit)) is not None:
            if message.get("id") == self.last_id:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self.events.append(message)
        raise RuntimeError(f"{method}: no answer in {ANSWER_LIMIT_S} s")

    def take(self, name):
        """The events of a name that came so far, once."""
        found = [event["params"] for event in self.events if event.get("method") == name]
        self.events = [event for event in self.events if event.get("method") != name]
        return found

    def comes(self, name):
        """Waits for an event."""
        limit = time.monotonic() + LOAD_LIMIT_S
        while not self.take(name):
            message = self._message(limit)
            if message is None:
                raise AssertionError(f"never: {name}")
            self.events.append(message)

    def run(self, script):
        """The value of an expression in the page, or of a promise."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait(self, script, limit_s=LOAD_LIMIT_S):
        """Waits until an expression is true."""
        limit = time.monotonic() + limit_s
        while time.monotonic() < limit:
            try:
                if self.run(script):
                    return
            except RuntimeError:
                # Between two pages there is none.
                pass
            time.sleep(0.05)
        raise AssertionError(f"never: {script}")

    def open(self, address):
        self.run("window.isOld = true")
        self.call("Page.navigate", url=address)
        self.loaded()

    def loaded(self):
        """Waits for the page that comes after one with `isOld`."""
        self.wait("!window.isOld && document.readyState === 'complete'")

    def device(self, width, height, phone=False, dark=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def key(self, key, text=None):
        code = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowLeft": 37, "Home": 36, "/": 191}[key]
        more = {"text": text} if text else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, code=key, windowsVirtualKeyCode=code, **more)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=key, windowsVirtualKeyCode=code)

    def screenshot(self, path):
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 4000), "scale": 1}
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))
