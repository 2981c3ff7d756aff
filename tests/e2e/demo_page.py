"""Holds what the demo prints against what it measured: its text and its page against its JSON.

Usage: demo_page.py TEXT JSON PAGE. Prints what does not agree; exit status 1 if anything.
"""

import html
import json
import re
import sys
from pathlib import Path

text, document, page = (Path(name).read_text(encoding="utf-8") for name in sys.argv[1:4])
demo = json.loads(document)
wrong = []


def demand(holds, what):
    if not holds:
        wrong.append(what)


def script(name):
    found = re.search(rf'<script type="application/json" id="{name}">(.*?)</script>', page, re.DOTALL)
    return json.loads(found.group(1)) if found else None


demand(script("document") == demo, "the page's document is not that of --format json")
# All that people read of the page: no scripts, no styles, no tags.
seen = re.sub(r"<(script|style)\b.*?</\1>", " ", page, flags=re.DOTALL)
words = " ".join(html.unescape(re.sub(r"<[^>]*>", " ", seen)).split())
squeezed = " ".join(text.split())


def in_both(wanted, what):
    demand(wanted in squeezed, f"text: {what}: {wanted!r}")
    demand(wanted in words, f"page: {what}: {wanted!r}")


def percent(share):
    return f"{100 * share:.1f}"


ways = {way["way"]: way for way in demo["ways"]}
demand(len(ways) == 4, "four ways to run it")
for name, way in ways.items():
    counted = f"{way['wrong']} of {way['steps']}"
    share = f"{percent(way['share'])}% ({percent(way['low'])} to {percent(way['high'])}%)"
    row = f"{name} {counted} {share} {way['step_us']:.1f}"
    demand(row in squeezed, f"text: {row!r}")
    demand(row in words, f"page: {row!r}")
    demand(way["low"] <= way["share"] <= way["high"], f"{name}: its interval holds its share")
    demand(abs(way["share"] - way["wrong"] / way["steps"]) < 1e-12, f"{name}: its share")
    racy = name in ("eager, two streams", "graph, two streams")
    demand((way["findings"] > 0) == racy, f"{name}: {way['findings']} findings")
    demand((way["wrong"] > 0) == (name == "graph, two streams"), f"{name}: {counted} wrong")
two = ways["graph, two streams"]
in_both(f"{two['wrong_runs']} of {two['runs']} runs of the third way", "wrong answers")
in_both(demo["answer"]["right"], "the right answer")
demand(demo["answer"]["wrong"] != demo["answer"]["right"], "the wrong answer is wrong")

findings = demo["findings"]
exploration = findings["explorations"][0]
witness = findings["witness"]
demand(witness["replays"] >= 20 and witness["identical"] == witness["replays"], "20 of 20")
in_both(f"{witness['identical']} of {witness['replays']} identical", "the proof")
first, second = (finding["label"] for finding in
                 (findings["findings"][0]["first"], findings["findings"][0]["second"]))
demand(witness["critical_pair"] == [first, second], "check and explore name one pair")
in_both(first, "the first of the pair")
in_both(second, "the second of the pair")
in_both(f"{exploration['different']} of {exploration['orders']} orders left other bytes; "
        f"{exploration['replays']} replays in all", "what was explored")
demand(demo["repaired"]["different"] == 0 and demo["repaired"]["exhaustive"], "the repaired one")

# Prices: of the program as it is, of each verified repair, and without overlap.
verified = [part["cost"] for part in findings["fixes"] if part["verified"]]
demand(verified, "a repair is verified")
prices = [findings["costs"][0]["as_is"], *verified, findings["costs"][0]["serial"]]
for price in prices:
    in_both(f"{price['step_us']['value']:.1f} +-", "what a run takes")
    kept = price["kept"]
    inside = kept is None or kept["low"] <= kept["value"] <= kept["high"]
    demand(inside, f"the share that is kept: {kept}")
demand(prices[0]["step_us"]["value"] < prices[-1]["step_us"]["value"], "overlap gains something")

figures = script("figures")
charts = [figure for figure in figures if figure["kind"] == "bars"]
if charts:
    more = [0] + [price["more_us"]["value"] for price in prices[1:]]
    demand([bar["value"] for bar in charts[1]["bars"]] == more, "the chart of the prices")
for bars in (figure for figure in figures if figure["kind"] == "bars"):
    for bar in bars["bars"]:
        demand(bar["low"] <= bar["value"] <= bar["high"], f"the chart of {bar['label']}")
        if bar["label"] in ways:
            demand(abs(bar["value"] - 100 * ways[bar["label"]]["share"]) < 1e-9, bar["label"])
for memory in (figure for figure in figures if figure["kind"] == "memory"):
    racing = [one for one in memory["accesses"] if one["racing"]]
    demand({one["label"] for one in racing} == {first, second}, "the picture marks the pair")

for reference in re.findall(r"""(?:src|href)\s*=\s*["'][^"']*|url\([^)]*|@import[^;]*""", seen):
    demand(False, f"the page refers to {reference}")
demand("default-src 'none'" in page, "the page's policy forbids requests")

for one in wrong:
    print(one)
sys.exit(1 if wrong else 0)
