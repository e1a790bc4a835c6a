"""Opens a page in headless Chromium and tells what happened, as JSON on standard output.

    python3 visit.py CHROMIUM PLAN.json

The plan: {"page": "/path/report.html", "width": 1280, "height": 900, "dark": false, "touch": false,
"steps": [{"name": "…", "script": "JavaScript expression"}], "screenshot": "/path/shot.png", "part": [0, 2000]}.
The answer: {"results": {name: value}, "requests": [urls], "console": [texts], "errors": [texts]}.

Speaks the DevTools protocol over the pipe that --remote-debugging-pipe gives, so that nothing but Python is needed.
"""
import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time


class Browser:
    def __init__(self, program):
        self.profile = tempfile.mkdtemp(prefix="hk2pg-chromium-")
        from_us, self.writer = os.pipe()
        self.reader, from_browser = os.pipe()

        def wire():
            # The browser reads commands from 3 and writes to 4; copies first, in case these numbers are taken.
            a, b = os.dup(from_us), os.dup(from_browser)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--remote-debugging-pipe", "--user-data-dir=" + self.profile, "--no-first-run", "--disable-extensions",
             "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
             "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=wire,
            close_fds=False, env={**os.environ, "HOME": self.profile})
        os.close(from_us)
        os.close(from_browser)
        self.pending = b""
        self.number = 0
        self.events = []

    def message(self):
        while b"\0" not in self.pending:
            piece = os.read(self.reader, 1 << 20)
            if not piece:
                raise SystemExit("the browser ended")
            self.pending += piece
        text, self.pending = self.pending.split(b"\0", 1)
        return json.loads(text)

    def send(self, method, session=None, **parameters):
        self.number += 1
        command = {"id": self.number, "method": method, "params": parameters}
        if session:
            command["sessionId"] = session
        data = json.dumps(command).encode() + b"\0"
        while data:
            data = data[os.write(self.writer, data):]
        while True:
            message = self.message()
            if message.get("id") == self.number:
                if "error" in message:
                    raise SystemExit(f"{method}: {message['error']}")
                return message["result"]
            self.events.append(message)

    def close(self):
        try:
            self.send("Browser.close")
        except (OSError, SystemExit):
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)


def visit(browser, plan):
    target = browser.send("Target.createTarget", url="about:blank")["targetId"]
    session = browser.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
    send = lambda method, **parameters: browser.send(method, session, **parameters)
    for domain in ["Page", "Runtime", "Network", "Log"]:
        send(domain + ".enable")
    width, height = plan.get("width", 1280), plan.get("height", 900)
    send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=plan.get("scale", 1),
         mobile=plan.get("touch", False))
    if plan.get("touch"):
        send("Emulation.setTouchEmulationEnabled", enabled=True)
    send("Emulation.setEmulatedMedia",
         features=[{"name": "prefers-color-scheme", "value": "dark" if plan.get("dark") else "light"}])

    def evaluate(script):
        answer = send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise SystemExit(f"{script}: {json.dumps(answer['exceptionDetails'])[:2000]}")
        return answer["result"].get("value")

    settle = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 60))))"
    began = time.monotonic()
    failure = send("Page.navigate", url=plan["page"]).get("errorText")
    if failure:
        raise SystemExit(f"{plan['page']}: {failure}")
    while evaluate("document.readyState") != "complete" or evaluate("location.href") == "about:blank":
        time.sleep(0.02)
        if time.monotonic() - began > 60:
            raise SystemExit("the page did not load within a minute")
    evaluate(settle)
    seconds = time.monotonic() - began
    results = {}
    for step in plan.get("steps", []):
        results[step["name"]] = evaluate(step["script"])
        evaluate(settle)
    if plan.get("screenshot"):
        clip = {}
        if plan.get("part"):
            top, bottom = plan["part"]
            clip = {"captureBeyondViewport": True,
                    "clip": {"x": 0, "y": top, "width": width, "height": bottom - top, "scale": 1}}
        image = send("Page.captureScreenshot", format="png", **clip)
        with open(plan["screenshot"], "wb") as file:
            file.write(base64.b64decode(image["data"]))
    evaluate("0")
    events = [event for event in browser.events if event.get("sessionId") == session]
    params = lambda method: [event["params"] for event in events if event["method"] == method]
    return {
        "results": results, "seconds": seconds,
        "requests": [event["request"]["url"].split("#")[0] for event in params("Network.requestWillBeSent")],
        "console": [event["type"] + ": " + " ".join(str(argument.get("value", argument.get("description")))
                                                    for argument in event["args"])
                    for event in params("Runtime.consoleAPICalled")],
        "errors": [event["exceptionDetails"].get("exception", {}).get("description", event["exceptionDetails"]["text"])
                   for event in params("Runtime.exceptionThrown")]
                  + [event["entry"]["text"] for event in params("Log.entryAdded")],
    }


def main():
    with open(sys.argv[2]) as file:
        plan = json.load(file)
    browser = Browser(sys.argv[1])
    try:
        print(json.dumps(visit(browser, plan)))
    finally:
        browser.close()


main()
