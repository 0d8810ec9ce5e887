"""A filter and a weigher for Gantt over HTTP. They use the free power of a host's rack in kilowatts.

It needs only Python's standard library. Run: python3 extender.py 8085
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

FORMAT = "gantt.outside/1"

# The free power for each host in kilowatts. Only this service knows it.
KILOWATTS_LEFT = {"rack1-a": 0.5, "rack1-b": 4.0, "rack2-a": 9.0}


def power_filter(host, parameters):
    """True if the host passes, otherwise the reason why it does not."""
    need = parameters.get("kilowatts", 1)
    have = KILOWATTS_LEFT.get(host["host"])
    if have is None:
        return {"code": "power.unknown", "source": "the power of the host is not measured"}
    if have < need:
        return {"code": "power.short", "need": need, "have": have, "unit": "kW"}
    return True


def power_weigher(host, parameters):
    """The free power of the host in kilowatts. Hosts with more are preferred."""
    return KILOWATTS_LEFT.get(host["host"], 0)


PARTS = {"PowerFilter": power_filter, "PowerWeigher": power_weigher}


class Extender(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # connections stay open for further requests

    def do_POST(self):
        question = json.loads(self.rfile.read(int(self.headers["content-length"])))
        part = PARTS.get(question["part"])
        if question["format"] != FORMAT or part is None:
            return self.answer(400, {"error": "unknown format or part"})
        answers = [part(host, question["parameters"]) for host in question["hosts"]]
        self.answer(200, {"format": FORMAT, "answers": answers})

    def answer(self, status, document):
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Extender)
    print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
