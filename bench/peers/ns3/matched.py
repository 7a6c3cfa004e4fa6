#!/usr/bin/env python3
"""Runs the rows of rows.toml in ns-3 and in Ackless and prints both goodputs, the difference, its interval, and whether it is within the row's limit.

matched.py [--as-listed] [--runs N] [--own-runs N] [--kept-only] [--details] [--json] [ROW...], by default all rows, 3 runs of ns-3 and 10 of Ackless.

By default Ackless has the keys that the comparison has shown to be missing, and a few rows are changed by what it has shown of ns-3 (`found` in rows.toml); --as-listed leaves that out.

Each run is kept in target/ns3-matched, one file for each row and side, until its program or its options change; what is there is not run again, so that a comparison that was
broken off goes on where it was. --kept-only runs nothing and leaves out what is missing. --details adds what happened on the air, per simulated second.

Run I has seed I in both. Where a run of ns-3 crashes or stands still the next seed takes its place, and the table says so. Intervals are of 95 % (Welch). ns-3 and
Ackless run one after the other, never at once. Environment: ACKLESS and NS3_CELL name the programs, if they are built elsewhere.

Exit code 0 if every row is within its limit, 1 if not, 2 if something is missing or an argument is wrong.
"""

import argparse
import hashlib
import json
import math
import os
import shlex
import statistics
import subprocess
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
KEPT = TARGET / "ns3-matched"
# A run of ns-3 that takes longer than this has come to stand still.
PATIENCE_S = 900
# How many seeds may fail before a row is given up.
SPARE_SEEDS = 3
# In rows that compare an order, goodputs that are closer than this, in percent, count as level.
LEVEL = 3.0
# Student's t at 97.5 % for 1 to 30 degrees of freedom.
STUDENT = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
]  # fmt: skip


def refuse(message):
    print(f"matched.py: {message}", file=sys.stderr)
    sys.exit(2)


def digest(*parts):
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def own_program():
    if "ACKLESS" in os.environ:
        return Path(os.environ["ACKLESS"]).resolve()
    subprocess.run(["cargo", "build", "--release", "--locked", "--quiet"], cwd=ROOT, check=True)
    return TARGET / "release" / "ackless"


def peer_program():
    path = Path(os.environ.get("NS3_CELL", TARGET / "ns3-cell"))
    if subprocess.run([HERE / "build.sh", path]).returncode != 0:
        sys.exit(2)
    return path


class Side:
    """One of the two programs, and the runs of it that are kept."""

    def __init__(self, name, path, runs, kept_only):
        self.name, self.path, self.runs, self.kept_only = name, path, runs, kept_only
        self.digest = hashlib.sha256(path.read_bytes()).hexdigest()

    def results(self, row, command, content=""):
        """What the runs of a row printed, and how many failed; `command` makes the arguments for a seed."""
        file = KEPT / f"{row['id']}.{self.name}.json"
        stamp = digest(self.digest, command(0), content)
        by_stamp = json.loads(file.read_text()) if file.exists() else {}
        kept = by_stamp.setdefault(stamp, {"runs": {}, "failed": {}})
        wanted = []
        for seed in range(1, self.runs + SPARE_SEEDS + 1):
            if len(wanted) == self.runs:
                break
            if str(seed) not in kept["runs"] and str(seed) not in kept["failed"]:
                if self.kept_only:
                    break
                self.run(command(seed), seed, kept)
                KEPT.mkdir(parents=True, exist_ok=True)
                file.write_text(json.dumps(by_stamp))
            if str(seed) in kept["runs"]:
                wanted.append(kept["runs"][str(seed)])
        failed = {seed: why for seed, why in kept["failed"].items() if int(seed) <= self.runs + SPARE_SEEDS}
        return wanted, failed

    def run(self, arguments, seed, kept):
        try:
            done = subprocess.run([self.path, *arguments], capture_output=True, text=True, timeout=PATIENCE_S, cwd=HERE)
            failure = None if done.returncode == 0 else f"exit code {done.returncode}: {done.stderr.strip()}"
        except subprocess.TimeoutExpired:
            failure = f"not done after {PATIENCE_S} s"
        if failure is None:
            kept["runs"][str(seed)] = self.figures(json.loads(done.stdout))
        elif self.name == "ns3" and may_happen(failure):
            kept["failed"][str(seed)] = failure
        else:
            refuse(f"{self.path} {shlex.join(arguments)}: {failure}")


def may_happen(failure):
    """Whether a run failed by itself (crashed, came to stand still), rather than by what it was asked."""
    return not failure.startswith("exit code 2:")


class Peer(Side):
    def __init__(self, path, runs, kept_only):
        super().__init__("ns3", path, runs, kept_only)

    def of(self, row, found, lengths):
        def command(seed):
            times = [f"--warmUp={lengths[0]}", f"--measured={lengths[1]}"]
            options = [*shlex.split(row["ns3"]), *shlex.split(found.get("ns3", ""))]
            return [*options, *times, f"--seed={seed}", "--counters"]

        return self.results(row, command)

    def figures(self, printed):
        return {
            "mbps": printed["goodput_mbps"],
            "flows": printed["flows"],
            "wall_s": printed["wall_seconds"],
            "ap_ppdus": printed["ap_data_ppdu"],
            "ap_mpdus": printed["ap_mpdu"],
            "ap_timeouts": printed["ap_timeouts"],
            "sta_ppdus": printed["sta_data_ppdu"],
            "sta_mpdus": printed["sta_mpdu"],
            "sta_timeouts": printed["sta_timeouts"],
            "recoveries": printed["tcp_recoveries"],
            "rates": {str(at["mbps"]): at["mpdus"] for at in printed["ap_rates"]},
        }


class Own(Side):
    def __init__(self, path, runs, kept_only, file, as_listed):
        super().__init__("ackless", path, runs, kept_only)
        self.file, self.as_listed = file, as_listed

    def of(self, row, found, lengths):
        base = self.file["bases"][row["base"]]
        scenario = base["scenario"]
        keys = [*self.file["matched"]["set"], *base["set"], *row.get("set", [])]
        if not self.as_listed:
            keys += [*self.file["matched"]["found"], *base.get("found", []), *found.get("set", [])]
        keys += [f"run.warm_up={lengths[0]}s", f"run.measured={lengths[1]}s"]

        def command(seed):
            sets = [word for key in keys for word in ("--set", key)]
            return ["run", scenario, "--json", "--seed", str(seed), *sets]

        content = (HERE / scenario).read_text() if scenario.endswith(".toml") else ""
        return self.results(row, command, content)

    def figures(self, printed):
        ap, *stations = printed["counters"]["nodes"]
        rates = {}
        for link in printed.get("rates") or []:
            if link["from"] == "ap":
                for at in link["rates"]:
                    rates[str(at["mbps"])] = rates.get(str(at["mbps"]), 0) + at["mpdus"]
        return {
            "mbps": printed["goodput_mbps"],
            "flows": [flow["goodput_mbps"] for flow in printed["flows"]],
            "wall_s": printed.get("wall_seconds"),
            "ap_ppdus": ap["data_ppdus"],
            "ap_mpdus": ap["data_mpdus"],
            "ap_timeouts": ap["ack_timeouts"],
            "sta_ppdus": sum(node["data_ppdus"] for node in stations),
            "sta_mpdus": sum(node["data_mpdus"] for node in stations),
            "sta_timeouts": sum(node["ack_timeouts"] for node in stations),
            "rates": rates,
        }


def welch(peer, own):
    """Half the width of the interval of the difference of the means, in percent of the first."""
    if len(peer) < 2 or len(own) < 2:
        return math.inf
    a, b = statistics.variance(peer) / len(peer), statistics.variance(own) / len(own)
    if a + b == 0:
        return 0.0
    freedom = (a + b) ** 2 / (a**2 / (len(peer) - 1) + b**2 / (len(own) - 1))
    return 100 * STUDENT[min(max(int(freedom), 1), 30) - 1] * math.sqrt(a + b) / statistics.fmean(peer)


def mean_rate(runs):
    """The mean data rate of the AP's MPDUs in Mbps; None where it was not watched."""
    mpdus = sum(count for run in runs for count in run["rates"].values())
    return sum(float(rate) * count for run in runs for rate, count in run["rates"].items()) / mpdus if mpdus else None


def jain(runs):
    """The mean of Jain's index over the flows of each run."""
    return statistics.fmean(sum(run["flows"]) ** 2 / (len(run["flows"]) * sum(x * x for x in run["flows"])) for run in runs)


def summary(runs, seconds):
    mbps = [run["mbps"] for run in runs]
    counts = ("ap_ppdus", "ap_mpdus", "ap_timeouts", "sta_ppdus", "sta_mpdus", "sta_timeouts")
    return {
        "runs": len(mbps),
        "mbps": statistics.fmean(mbps),
        "sd": statistics.stdev(mbps) if len(mbps) > 1 else 0.0,
        "jain": jain(runs),
        "rate": mean_rate(runs),
        "per_second": {name: statistics.fmean(run[name] for run in runs) / seconds for name in counts},
    }


def compared(row, lengths, peer, own):
    """A row's line; without figures where there are no runs."""
    found = {} if own.as_listed else row.get("found", {})
    lengths = found.get("seconds", row.get("seconds", lengths))
    (peer_runs, failed), (own_runs, _) = peer.of(row, found, lengths), own.of(row, found, lengths)
    line = {"id": row["id"], "what": row["what"], "failed": failed}
    line |= {name: row[name] for name in ("limit", "order") if name in row}
    if not peer_runs or not own_runs:
        return line
    line["ns3"], line["ackless"] = summary(peer_runs, lengths[1]), summary(own_runs, lengths[1])
    line["difference"] = 100 * (line["ackless"]["mbps"] / line["ns3"]["mbps"] - 1)
    line["interval"] = welch([run["mbps"] for run in peer_runs], [run["mbps"] for run in own_runs])
    if "limit" in row:
        line["within"] = abs(line["difference"]) <= row["limit"]
    return line


def side_of(line, other, program):
    """-1, 0 or 1: on which side of another row a row comes out in one of the programs."""
    gap = 100 * (line[program]["mbps"] / other[program]["mbps"] - 1)
    return 0 if abs(gap) < LEVEL else int(math.copysign(1, gap))


def judge_order(lines):
    for line in lines.values():
        other = lines.get(line.get("order"))
        if other and "ns3" in other and "ns3" in line:
            line["within"] = side_of(line, other, "ns3") == side_of(line, other, "ackless")


def verdict(line):
    if "within" not in line:
        return f"{line['order']} is missing"
    if "limit" in line:
        return f"{'within' if line['within'] else 'OUTSIDE'} {line['limit']} %"
    return f"{'same' if line['within'] else 'OTHER'} side of {line['order']}"


HEAD = f"{'row':<19}{'ns-3':>9}{'sd':>7}{'Ackless':>9}{'sd':>7}{'diff.':>9}{'+-':>8}  verdict"


def show(line, details):
    if "ns3" not in line:
        return f"{line['id']:<19}no runs of ns-3: {next(iter(line['failed'].values()), 'none kept')}"
    ns3, ackless = line["ns3"], line["ackless"]
    extra = "".join(f"; seed {seed} of ns-3 failed" for seed in line["failed"])
    if "order" in line and ns3["rate"] and ackless["rate"]:
        extra += f"; mean rate {ns3['rate']:.1f} and {ackless['rate']:.1f} Mbps"
    interval = f"{line['interval']:.2f} %" if math.isfinite(line["interval"]) else "-"
    text = f"{line['id']:<19}{ns3['mbps']:>9.2f}{ns3['sd']:>7.2f}{ackless['mbps']:>9.2f}{ackless['sd']:>7.2f}"
    text += f"{line['difference']:>+8.2f} %{interval:>8}  {verdict(line)}{extra}"
    if details:
        for name, side in (("ns-3", ns3), ("Ackless", ackless)):
            counts = side["per_second"]
            text += f"\n    {name:<8} Jain {side['jain']:.3f}"
            for node in ("ap", "sta"):
                ppdus, mpdus, missed = (counts[f"{node}_{what}"] for what in ("ppdus", "mpdus", "timeouts"))
                per = mpdus / ppdus if ppdus else 0
                text += f"; {node}: {ppdus:.1f} PPDUs of {per:.1f}, {missed:.1f} answers missing"
    return text


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--as-listed", action="store_true", help="without what the comparison has shown")
    parser.add_argument("--runs", type=int, default=3, help="runs of ns-3 for each row")
    parser.add_argument("--own-runs", type=int, default=10, help="runs of Ackless for each row")
    parser.add_argument("--rows", type=Path, default=HERE / "rows.toml", help="the list of rows")
    parser.add_argument("--kept-only", action="store_true", help="run nothing, show what is kept")
    parser.add_argument("--details", action="store_true", help="also what happened on the air")
    parser.add_argument("--json", action="store_true", help="one JSON object with every row")
    parser.add_argument("ids", nargs="*", metavar="ROW")
    asked = parser.parse_args()
    if asked.runs < 1 or asked.own_runs < 1:
        refuse("--runs and --own-runs: expected 1 or more")
    return asked


def main():
    asked = arguments()
    file = tomllib.loads(asked.rows.read_text())
    rows = {row["id"]: row for row in file["rows"]}
    for name in asked.ids:
        if name not in rows:
            refuse(f"no row {name}; there are {', '.join(rows)}")
    chosen = [rows[name] for name in asked.ids] or list(rows.values())
    peer = Peer(peer_program(), asked.runs, asked.kept_only)
    own = Own(own_program(), asked.own_runs, asked.kept_only, file, asked.as_listed)
    if not asked.json:
        version = subprocess.run([own.path, "--version"], capture_output=True, text=True, check=True).stdout.strip()
        print(f"ns-3.37 and {version}; goodput in Mbps, all flows together\n\n{HEAD}", flush=True)
    lines = {}
    for row in chosen:
        line = compared(row, file["lengths"]["seconds"], peer, own)
        lines[row["id"]] = line
        if not asked.json and "order" not in line:
            print(show(line, asked.details), flush=True)
    judge_order(lines)
    if not asked.json:
        for line in lines.values():
            if "order" in line:
                print(show(line, asked.details))
    outside = [line["id"] for line in lines.values() if line.get("within") is False]
    if asked.json:
        print(json.dumps({"rows": list(lines.values()), "outside": outside}, indent=1))
    else:
        print(f"\n{len(lines)} rows, {len(outside)} outside: {', '.join(outside) or 'none'}")
    sys.exit(1 if outside else 0)


if __name__ == "__main__":
    main()
