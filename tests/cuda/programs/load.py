# SPDX-License-Identifier: Apache-2.0
# load.py PORT SECONDS [CLIENTS]: asks server.py without a pause, and compares each answer with what
# is right. Ends with "asked N right N wrong N failed N, longest N s", and status 0 when all were right.
import http.client
import json
import random
import sys
import threading
import time

from server import reference_answer

port, seconds = int(sys.argv[1]), float(sys.argv[2])
clients = int(sys.argv[3]) if len(sys.argv) > 3 else 12
right_answers = {seed: reference_answer(seed) for seed in range(32)}
counts = {"asked": 0, "right": 0, "wrong": 0, "failed": 0}
longest = 0.0
lock = threading.Lock()
until = time.monotonic() + seconds


def ask(connection, seed):
    connection.request("POST", "/decode", json.dumps({"seed": seed}))
    response = connection.getresponse()
    body = response.read()
    if response.status != 200:
        return "failed"
    return "right" if json.loads(body)["answer"] == right_answers[seed] else "wrong"


def client(number):
    global longest
    dice = random.Random(number)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    while time.monotonic() < until:
        began = time.monotonic()
        try:
            what = ask(connection, dice.randrange(32))
        except (OSError, http.client.HTTPException):
            what = "failed"
            connection.close()
        with lock:
            counts["asked"] += 1
            counts[what] += 1
            longest = max(longest, time.monotonic() - began)
        time.sleep(dice.random() * 0.02)  # batches of all sizes


threads = [threading.Thread(target=client, args=(number,)) for number in range(clients)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(" ".join(f"{name} {count}" for name, count in counts.items()) + f", longest {longest:.2f} s")
sys.exit(0 if counts["right"] == counts["asked"] > 0 else 1)
