"""What the tools share that write pages from comparisons: the command, what it has measured, and the marks between which a page is generated."""

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
# Where one client gets so much less than another, a gain is told together with it.
FAIR = 0.9


def refuse(message):
    print(message, file=sys.stderr)
    sys.exit(2)


def threads_of(arguments, tool):
    """The arguments without `--threads N`, and N."""
    if "--threads" not in arguments:
        return arguments, "0"
    at = arguments.index("--threads")
    number = arguments[at + 1 : at + 2]
    if not number or not number[0].isdecimal():
        refuse(f"{tool}: --threads needs a number")
    return arguments[:at] + arguments[at + 2 :], number[0]


class Program:
    """The command, and what it has measured, which is kept in target/KEPT until the program or its scenario changes.

    A part has a `name`, `options()` (everything behind `compare` but a file of its own), and `scenario()`, the text of its own file or None.
    """

    def __init__(self, kept, threads):
        self.folder, self.threads = TARGET / kept, threads
        if "ACKLESS" in os.environ:
            self.path = Path(os.environ["ACKLESS"]).resolve()
        else:
            subprocess.run(["cargo", "build", "--release", "--locked", "--quiet"], cwd=ROOT, check=True)
            self.path = TARGET / "release" / "ackless"
        self.digest = hashlib.sha256(self.path.read_bytes()).hexdigest()

    def stamp(self, part):
        """What the results of a part depend on."""
        text = json.dumps([self.digest, part.options(), part.scenario()])
        return hashlib.sha256(text.encode()).hexdigest()

    def kept(self, part):
        """What was measured of a part; None where it is missing, or of another program."""
        try:
            kept = json.loads((self.folder / f"{part.name}.json").read_text())
        except (FileNotFoundError, json.JSONDecodeError):
            return None
        return kept if kept.get("stamp") == self.stamp(part) else None

    def measure(self, part, with_picture=False):
        if self.kept(part):
            return
        start = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            command = [self.path, "compare", "--json", "--threads", self.threads, *part.options()]
            if with_picture:
                command += ["--out", f"{folder}/out"]
            scenario = part.scenario()
            if scenario is not None:
                file = Path(folder) / f"{part.name}.toml"
                file.write_text(scenario)
                command.append(file)
            printed = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
            picture = (Path(folder) / "out" / "comparison.svg").read_text() if with_picture else None
        comparison = json.loads(printed)
        rows = [slim(row) for row in comparison["rows"]]
        kept = {"stamp": self.stamp(part), "seeds": comparison["seeds"], "rows": rows, "left_out": comparison["left_out"], "picture": picture}
        replace(self.folder / f"{part.name}.json", json.dumps(kept, indent=1))
        print(f"{part.name}: {time.monotonic() - start:.0f} s", file=sys.stderr)

    def measured(self, parts, tool):
        """What was measured of all these parts, by their names; refuses where one is missing."""
        kept = {part.name: self.kept(part) for part in parts}
        missing = [name for name, part in kept.items() if part is None]
        if missing:
            refuse(f"{tool}: not measured yet, or of another program: {', '.join(missing)}; `{tool}` measures them")
        return kept


def run(main):
    """Runs a tool; where the command has failed, it has said why."""
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)


def slim(row):
    """A row without its runs, but for what they have counted."""
    run = row["scenario"]["run"]
    kept = {key: value for key, value in row.items() if key not in ("runs", "scenario")}
    return {**kept, "window": (run["warm_up"], run["measured"]), "merged": merged(row["runs"])}


def merged(runs):
    """Segments that came to hosts that merge, the packets they became, and how many ended at another timestamp, of all runs."""
    ends = [flow["ends"] for run in runs for flow in run["flows"] if flow.get("ends")]
    names = ("merged_segments", "merged_packets", "merges_ended_by_timestamp", "acks")
    return {name: sum(end.get(name, 0) for end in ends) for name in names}


def replace(path, text):
    """Writes a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(text)
    os.replace(temporary, path)


def filled(text, name, content):
    """`text` with `content` between the marks of this name."""
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->\n"
    assert text.count(begin) == text.count(end) == 1, f"one pair of marks is called {name}"
    return text[: text.index(begin) + len(begin)] + content + text[text.index(end) :]


def mean(row, name="goodput_mbps"):
    estimate = row["summary"].get(name)
    return None if estimate is None else estimate["mean"]


def figure(row, name, decimals):
    value = mean(row, name)
    return "" if value is None else f"{value:.{decimals}f}"


def goodput(row, decimals=2):
    estimate = row["summary"]["goodput_mbps"]
    half = estimate.get("ci95")
    return f"{estimate['mean']:.{decimals}f}" + ("" if half is None else f" ± {half:.{decimals}f}") + mark(row)


def cautions(row):
    """What must be known before the figures of a row are believed, but for unfairness, which stands beside them."""
    return [caution["text"] for caution in row.get("cautions", []) if caution["kind"] != "unfair"]


def mark(row):
    return " \\*" if cautions(row) else ""


def unfair(row):
    """Dead and starved flows and Jain's index, where a gain must not be told without them."""
    flows = row.get("flows", [])
    harmed = {word: sum(flow[f"{word}_runs"] > 0 for flow in flows) for word in ("dead", "starved")}
    words = [f"{count} {word}" for word, count in harmed.items() if count]
    index = mean(row, "jain_goodput")
    if index is not None and index < FAIR:
        words.append(f"J {index:.2f}")
    return f" ({', '.join(words)})" if words else ""


def spoken(time):
    return "0" if time == "0us" else re.sub(r"(\d)([a-z])", r"\1 \2", time)


def markdown(header, lines):
    rows = ["| " + " | ".join(header) + " |", "|---" * len(header) + "|"]
    return "\n".join(rows + ["| " + " | ".join(line) + " |" for line in lines]) + "\n"
