#!/usr/bin/env python3
"""How well `ackless emulate` keeps up with the clock on this machine, beside ns-3's real-time TapBridge in turn.

    bench/emulate.py [--seconds N] [--ackless PROGRAM] [--no-ns3 | --simulated]

For each cell and number of connections: an iperf3 download from the server to the one station, with what arrived, how late packets came out of the cell after their
instant (median, 99th percentile, greatest), seconds of a processor for each gigabit, packets that the kernel dropped at a device, and how loaded the machine was: its load
when it began, and how much of the processors' time others had stolen. Wants root, iperf3 and TUN devices; ns-3's rows want Debian's libns3-dev (bench/peers/ns3/tap.sh).

--simulated sets goodput on the wall clock beside the simulator's instead: plain TCP and HACK at 54 and 150 Mbps, by `ackless compare --emulated`, with load and steal.
"""

import argparse
import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NAME = "bench-emulate"
FAST = ["--set", "wifi.streams=4", "--set", "wifi.width=160MHz", "--set", "wired.rate=10Gbps"]
# Title, scenario, changes to it, offload, ns-3's name for it.
CELLS = [
    ("11n, 150 Mbps", "wifi-80211n", [], "full", "11n150"),
    ("11n, 150 Mbps, single packets", "wifi-80211n", [], "off", None),
    ("11ac, 866.7 Mbps", "wifi-80211ac", [], "full", "11ac"),
    ("11ac, 866.7 Mbps, single packets", "wifi-80211ac", [], "off", None),
    ("11ac, 3,467 Mbps", "wifi-80211ac", FAST, "full", None),
]


def processor_seconds(process):
    """What a process has used of processors, without its children."""
    with open(f"/proc/{process}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def machine():
    with open("/proc/stat") as stat:
        counts = [int(count) for count in stat.readline().split()[1:9]]
    return counts[7], sum(counts)


class Watch:
    """What a process and the machine did while something ran."""

    def __init__(self, process):
        self.process = process
        self.load = os.getloadavg()[0]
        self.began = (processor_seconds(process), machine())

    def stop(self):
        used, (stolen, total) = self.began
        now = machine()
        self.used = processor_seconds(self.process) - used
        self.stolen = 100 * (now[0] - stolen) / max(1, now[1] - total)


def download(server, station, address, connections, seconds):
    """The Mbit/s of an iperf3 download between two namespaces."""
    inside = lambda namespace, *command: ["ip", "netns", "exec", namespace, *command]
    listening = subprocess.Popen(inside(server, "iperf3", "-s", "-1"), stdout=subprocess.DEVNULL)
    time.sleep(0.5)
    command = ["iperf3", "-c", address, "-R", "-J", "-O", "1", "-t", str(seconds), "-P", str(connections)]
    try:
        told = subprocess.run(inside(station, *command), capture_output=True, text=True, timeout=seconds + 30)
        return json.loads(told.stdout)["end"]["sum_received"]["bits_per_second"] / 1e6
    except (KeyError, ValueError, subprocess.TimeoutExpired):
        return None
    finally:
        listening.kill()
        listening.wait()


def start(ackless, scenario, changes, offload):
    command = [ackless, "emulate", scenario, "--name", NAME, "--scheme", "tcp", "--offload", offload, "--json", *changes]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    said = ""
    for line in process.stderr:
        said += line
        if "Ctrl-C ends it" in line:
            return process
    process.wait()
    sys.exit(f"emulate.py: {said}")


def emulated(ackless, cell, connections, seconds):
    title, scenario, changes, offload, _ = cell
    process = start(ackless, scenario, changes, offload)
    watch = Watch(process.pid)
    mbps = download(f"{NAME}-server", f"{NAME}-sta-1", "10.77.0.1", connections, seconds)
    watch.stop()
    process.send_signal(signal.SIGINT)
    told = json.loads(process.communicate()[0])
    dropped = sum(host["dropped_by_kernel"] for host in told["hosts"])
    return "ackless", title, connections, mbps, told["lateness"], watch, dropped, seconds


def idle(ackless, seconds):
    process = start(ackless, "wifi-80211ac", [], "full")
    watch = Watch(process.pid)
    time.sleep(seconds)
    watch.stop()
    process.send_signal(signal.SIGINT)
    process.communicate()
    print(f"idle: {1000 * watch.used:.0f} ms of a processor in {seconds} s (load {watch.load:.1f}, {watch.stolen:.0f} % stolen)", flush=True)


def ns3(command, cell, connections, seconds):
    title, *_, standard = cell
    spaces = [f"{NAME}-{place}" for place in ("ns3", "srv", "sta")]
    ip = lambda line: subprocess.run(["ip", *line.split()], check=True)
    variable, program = command.split()
    for space in spaces:
        ip(f"netns add {space}")
        # TapBridge ends the program where it cannot write, as while a device is moved; so nobody says anything by themselves.
        ip(f"netns exec {space} sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1")
    try:
        # It begins with 4 s in which devices are moved and the station associates.
        arguments = ["env", variable, program, f"--standard={standard}", f"--seconds={seconds + 8}"]
        process = subprocess.Popen(["ip", "netns", "exec", spaces[0], *arguments], stdout=subprocess.PIPE, text=True)
        time.sleep(2)
        for number, device in enumerate(("srv", "sta"), 1):
            space = f"{NAME}-{device}"
            ip(f"-n {spaces[0]} link set {device} netns {space}")
            ip(f"-n {space} link set {device} up")
            ip(f"-n {space} addr add 10.78.0.{number}/24 dev {device}")
        time.sleep(2)
        watch = Watch(process.pid)
        mbps = download(spaces[1], spaces[2], "10.78.0.1", connections, seconds)
        watch.stop()
        dropped = 0
        for device in ("srv", "sta"):
            counts = subprocess.run(["ip", "netns", "exec", f"{NAME}-{device}", "cat", "/proc/net/dev"], capture_output=True, text=True).stdout
            dropped += int(re.search(rf"{device}:(.*)", counts)[1].split()[11])
        return "ns-3", title, connections, mbps, json.loads(process.communicate()[0]), watch, dropped, seconds
    finally:
        for space in spaces:
            ip(f"netns delete {space}")


def show(program, title, connections, mbps, late, watch, dropped, seconds):
    gigabits = (mbps or 0) * (seconds + 1) / 1e3
    each = f"{watch.used / gigabits:.2f}" if gigabits else "-"
    got = f"{mbps:.1f}" if mbps else "none"
    late = " | ".join(f"{late[name]:,.0f}" for name in ("median_us", "p99_us", "max_us"))
    print(f"| {program} | {title} | {connections} | {got} | {late} | {each} | {dropped:,} | {watch.load:.1f} | {watch.stolen:.0f} |", flush=True)


def beside_simulated(ackless, seconds):
    """Goodput of the kernel's TCP on the wall clock, and the simulator's."""
    header = ["cell", "scheme", "offload", "emulated, Mbps", "simulated, Mbps", "differs, %", "late p99, us", "dropped", "load", "stolen, %"]
    print("| " + " | ".join(header) + " |\n" + "|---" * len(header) + "|")
    for title, scenario in (("11a, 54 Mbps", "wifi-80211a"), ("11n, 150 Mbps", "wifi-80211n")):
        for scheme in ("tcp", "hack"):
            for offload in ("off", "gro"):
                command = [ackless, "compare", "--emulated", scenario, "--schemes", scheme, "--offload", offload, "--tcp", "cubic", "--seeds", "1", "--csv"]
                command += ["--set", "run.warm_up=2s", "--set", f"run.measured={seconds}s"]
                watch = Watch(os.getpid())
                told = subprocess.run(command, stdout=subprocess.PIPE, text=True)
                watch.stop()
                if told.returncode != 0:
                    sys.exit("emulate.py: nothing was measured")
                (row,) = csv.DictReader(io.StringIO(told.stdout))
                figures = [f"{float(row['emulated_mbps']):.2f}", f"{float(row['simulated_mbps']):.2f}", f"{float(row['differs_percent']):+.1f}"]
                figures += [f"{float(row['late_p99_us']):,.0f}", row["dropped_by_kernel"], f"{watch.load:.1f}", f"{watch.stolen:.0f}"]
                print(f"| {title} | {scheme} | {offload} | " + " | ".join(figures) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=int, default=5, help="how long each download is measured, after 1 s")
    parser.add_argument("--ackless", default=os.path.join(ROOT, "target/release/ackless"), help="the program")
    parser.add_argument("--no-ns3", action="store_true", help="leave ns-3 out")
    parser.add_argument("--simulated", action="store_true", help="plain TCP and HACK beside the simulator's, and nothing else")
    options = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("emulate.py: run it as root")
    if options.simulated:
        return beside_simulated(options.ackless, options.seconds)
    command = None
    if not options.no_ns3:
        built = subprocess.run([os.path.join(ROOT, "bench/peers/ns3/tap.sh")], capture_output=True, text=True)
        if built.returncode != 0:
            sys.exit(f"{built.stderr}\nemulate.py: --no-ns3 leaves ns-3 out")
        command = built.stdout.strip()
    idle(options.ackless, 10)
    header = ["program", "cell", "connections", "iperf3, Mbps", "late, median us", "p99 us", "greatest us", "CPU s per Gbit", "dropped", "load", "stolen, %"]
    print("| " + " | ".join(header) + " |\n" + "|---" * len(header) + "|")
    for cell in CELLS:
        for connections in (1, 10):
            show(*emulated(options.ackless, cell, connections, options.seconds))
            if command and cell[-1]:
                show(*ns3(command, cell, connections, options.seconds))


if __name__ == "__main__":
    main()
