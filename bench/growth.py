#!/usr/bin/env python3
"""Shows how what a cell costs grows with its stations and flows.

    bench/growth.py [--stations 1,10,100,1000] [--flows 1,10,100] [--advances]

Runs the built-in scenario wifi-80211n, downloads by TCP, with so many stations and so many flows for each, and prints as a table, for each pair:
  - instructions for each MPDU that was sent and was no repetition, and how many times those of the first pair: by callgrind, which no other load on the machine changes, as the
    difference of a longer and a shorter run, so that the warm-up counts in neither; without what writing a result takes, which has a line for each flow;
  - what an MPDU stands for, of the same time: how many go with a PPDU, how often one is sent, how many segments TCP sends again for each, and how many packets full queues drop;
  - the most memory that the program takes, and what a station adds to it;
  - with --advances, how long the calls of `Cell::advance` take that each end with one instant, as an emulated cell has them: the 99.9th percentile and the
    longest, in microseconds of the core. It builds and asks `cargo bench -p ackless-lab --bench cells -- --advances`.
Flows start 1 ms after each other, and the warm-up is 2 s and 2 ms for each flow. A cell has at most 10,000 flows: pairs with more are left out.
Environment: ACKLESS names the program, if it is built elsewhere.
Exit code 2 where valgrind or cargo is missing, or a run fails.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MOST_FLOWS = 10_000
# Seconds measured: the longer run less the shorter one is what counts.
SHORT, LONG = 1, 3


class Failed(Exception):
    """What went wrong, for whoever runs this."""


def run(command, **options):
    try:
        done = subprocess.run(command, capture_output=True, text=True, **options)
    except OSError as error:
        raise Failed(f"{command[0]}: {error.strerror}") from error
    if done.returncode != 0:
        raise Failed(f"{' '.join(map(str, command))}\n{done.stderr.strip()}")
    return done.stdout


def program():
    named = os.environ.get("ACKLESS")
    if named:
        return named
    run(["cargo", "build", "--quiet", "--release"], cwd=ROOT)
    return str(Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release" / "ackless")


def words(ackless, stations, flows, measured):
    keys = {
        "stations.count": stations,
        "flows.count": flows,
        "flows.stagger": "1ms",
        "run.warm_up": f"{2_000 + 2 * stations * flows}ms",
        "run.measured": f"{measured}s",
    }
    settings = [f"--set={key}={value}" for key, value in keys.items()]
    # The second one prints a line for all flows together.
    whole = [ackless, "run", "wifi-80211n", "--scheme", "tcp", "--json", *settings]
    brief = [ackless, "compare", "wifi-80211n", "--schemes", "tcp", "--seeds", "1", "--threads", "1", "--csv", *settings]
    return whole, brief


def profile(whole, brief):
    """Of a run: instructions, and what its result counted."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", *brief])
        totals = next(line for line in out.read_text().splitlines() if line.startswith(("summary:", "totals:")))
    result = json.loads(run(whole))
    counts = Counter({name: count for name, count in result["counters"]["total"].items() if isinstance(count, int)})
    counts["instructions"] = int(totals.split()[1])
    counts["again"] = sum(flow["retransmissions"] for flow in result["flows"])
    counts["mpdus"] = counts["data_mpdus"] - counts["retries"]
    return counts


def memory(command):
    """The most bytes that a run has resident: what the system says of it shortly before its end, which is the most until then."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    status, peak = Path(f"/proc/{process.pid}/status"), 0
    while process.poll() is None:
        lines = status.read_text().splitlines()
        # One that has ended and was not waited for has no memory.
        peak = max([peak, *(1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))])
        time.sleep(0.005)
    if process.returncode != 0:
        raise Failed(f"{' '.join(command)} failed")
    return peak


def advances(stations, flows):
    """Nanoseconds of the 99.9th percentile and of the longest call."""
    command = ["cargo", "bench", "--quiet", "-p", "ackless-lab", "--bench", "cells", "--", "--advances", str(stations), str(flows)]
    return [int(word) for word in run(command, cwd=ROOT).split()[1:]]


def numbers(text):
    return [int(word) for word in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stations", type=numbers, default=[1, 10, 100, 1000])
    parser.add_argument("--flows", type=numbers, default=[1, 10, 100])
    parser.add_argument("--advances", action="store_true")
    options = parser.parse_args()
    if not shutil.which("valgrind"):
        raise Failed("valgrind is not installed; on Debian: apt-get install valgrind")
    ackless = program()
    columns = ["stations", "flows for each", "instructions for an MPDU", "times the first", "MPDUs for a PPDU", "times sent", "sent again by TCP", "dropped"]
    columns += ["MB at most", "kB for a station", *(["advance, p99.9 us", "longest us"] if options.advances else [])]
    print("| " + " | ".join(columns) + " |")
    print("|" + "---|" * len(columns))
    first = None
    for stations in options.stations:
        for flows in options.flows:
            if stations * flows > MOST_FLOWS:
                continue
            short, long = (profile(*words(ackless, stations, flows, measured)) for measured in (SHORT, LONG))
            long.subtract(short)
            cost = long["instructions"] / long["mpdus"]
            peak = memory(words(ackless, stations, flows, LONG)[0])
            first = first or (cost, peak, stations)
            added = f"{(peak - first[1]) / (stations - first[2]) / 1e3:.0f}" if stations > first[2] else ""
            line = f"| {stations:,} | {flows} | {cost:,.0f} | {cost / first[0]:.2f} | {long['mpdus'] / long['data_ppdus']:.1f} |"
            line += "".join(f" {long[name] / long['mpdus']:.2f} |" for name in ("data_mpdus", "again", "queue_drops"))
            line += f" {peak / 1e6:.1f} | {added} |"
            if options.advances:
                line += "".join(f" {nanos / 1e3:.1f} |" for nanos in advances(stations, flows))
            print(line, flush=True)


if __name__ == "__main__":
    try:
        main()
    except Failed as problem:
        print(f"growth.py: {problem}", file=sys.stderr)
        sys.exit(2)
