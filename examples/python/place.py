"""Places one instance, starts it, and confirms its claim, with only the standard library.

Each call that reserves resources has an idempotency key, so it can be repeated if no answer came, and nothing is reserved twice.
Before that, two hosts report. The request allows only these two, so the example places nothing on other hosts.
"""

import http.client
import json
import os
import random
import time
import urllib.error
import urllib.request
import uuid

URL = os.environ.get("GANTT_URL", "http://127.0.0.1:4400/graphql")
KEY = os.environ["GANTT_KEY"]
DEADLINE_S = 30
PASSING = {408, 429, 502, 503, 504}


def post(body, timeout):
    """Returns the answer as (status, headers, text), whatever its status. Raises an OSError or an HTTPException if no answer came."""
    headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
    try:
        with urllib.request.urlopen(urllib.request.Request(URL, json.dumps(body).encode(), headers), timeout=timeout) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as answer:
        with answer:
            return answer.code, answer.headers, answer.read()


def call(query, **variables):
    """Returns the data of the answer. Repeats the call until the deadline if no answer came, or if the service is unavailable or busy."""
    end = time.monotonic() + DEADLINE_S
    failures = 0
    while True:
        wait = 0
        try:
            timeout = max(0.1, min(12, end - time.monotonic()))
            status, headers, text = post({"query": query, "variables": variables}, timeout)
            if status not in PASSING:
                body = json.loads(text)
                if body.get("errors"):
                    raise RuntimeError("; ".join(error["message"] for error in body["errors"]))
                return body["data"]
            failure = RuntimeError(f"{URL} answered {status}")
            after = headers.get("Retry-After", "")
            wait = int(after) if after.isdigit() else 0
        except (OSError, http.client.HTTPException) as error:
            failure = error
        # The wait is random, so that clients whose calls failed at the same time do not repeat them at the same time.
        wait += random.uniform(0, min(5, 0.1 * 2**failures))
        failures += 1
        if time.monotonic() + wait >= end:
            raise failure
        time.sleep(wait)


def start_on(host):
    """Does what a program does to start an instance on a host. If it raises, the host cannot start the instance."""
    if host == "rack1-a":
        raise RuntimeError("it has no image")


REPORT = "mutation ($updates: [ResourceStatsInput!]!) { updateResourceStats(input: { updates: $updates }) { appliedCount } }"

ROOM = """__typename
  ... on SelectDestinationsPayload {
    decision { id }
    destinations { selected { host { name } claim { id fence } } alternates { host { name node } } }
  }
  ... on UserError { message }"""

SELECT = f"mutation ($input: SelectDestinationsInput!) {{ room: selectDestinations(input: $input) {{ {ROOM} }} }}"
CLAIM = f"mutation ($input: ClaimCreateInput!) {{ room: claimCreate(input: $input) {{ {ROOM} }} }}"
RELEASE = "mutation ($claims: [ClaimRef!]!) { claimRelease(claims: $claims) { __typename } }"
CONFIRM = """mutation ($claims: [ClaimRef!]!) {
  claimConfirm(claims: $claims) { __typename ... on ClaimPayload { claim { state } } ... on UserError { message } }
}"""


def report(host, vcpus):
    stats = {"vcpus": vcpus, "vcpusUsed": 0, "memoryMb": 4096 * vcpus, "memoryMbUsed": 0, "localGb": 1000, "localGbUsed": 0}
    return {
        "name": {"host": host},
        "reporter": {"incarnation": str(uuid.uuid4()), "sequence": 1},
        "report": {"full": stats},
    }


def main():
    call(REPORT, updates=[report("rack1-a", 128), report("rack1-b", 16)])

    key = str(uuid.uuid4())
    spec = {"gantt": {"flavor": {"vcpus": 2, "memoryMb": 4096}, "forceHosts": ["rack1-a", "rack1-b"]}}
    first = call(SELECT, input={"idempotencyKey": key, "spec": spec})["room"]
    if first["__typename"] != "SelectDestinationsPayload":
        raise SystemExit(first["message"])
    (destination,) = first["destinations"]
    alternates = destination["alternates"]

    tries = [lambda: first]
    for number, alternate in enumerate(alternates, 1):
        there = {"host": alternate["host"]["name"], "node": alternate["host"]["node"]}
        again = {"idempotencyKey": f"{key}/{number}", "decisionId": first["decision"]["id"], "host": there}
        tries.append(lambda again=again: call(CLAIM, input=again)["room"])

    for take in tries:
        room = take()
        if room["__typename"] != "SelectDestinationsPayload":
            continue
        selected = room["destinations"][0]["selected"]
        host, claim = selected["host"]["name"], selected["claim"]
        print(f"{host} is reserved")
        try:
            start_on(host)
        except RuntimeError as error:
            print(f"{host} refused: {error}")
            call(RELEASE, claims=[claim])
            continue
        (confirmed,) = call(CONFIRM, claims=[claim])["claimConfirm"]
        if confirmed["__typename"] != "ClaimPayload":
            raise SystemExit(confirmed["message"])
        print(f"{host} runs it, and its claim is {confirmed['claim']['state']}")
        return
    raise SystemExit("no host took it")


main()
