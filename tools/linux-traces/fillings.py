"""Asks the kernel how its congestion window grows when a sender fills it in part. Runs as root, best in virtual time.

    fillings.py FILE

The peer is this program: it answers what the kernel sends to a TUN device, without SACK and timestamps. In each of four
round trips the application writes 1 to 10 segments into a window of 10, in slow start or after a timeout has ended it.
"""

import fcntl
import os
import select
import socket
import struct
import subprocess
import sys
import time

from segment import Segment

OURS, THEIRS = "198.18.0.1", "198.18.0.2"
MSS = 1000
ROUNDS = 4
# The window that a timeout leaves half of (Reno), or 7 tenths of (CUBIC): 10 segments.
BEFORE = {"reno": 20, "cubic": 15}


def main(out):
    for key in ("timestamps=0", "sack=0", "frto=0", "no_metrics_save=1", "ecn=0"):
        name, value = key.split("=")
        with open(f"/proc/sys/net/ipv4/tcp_{name}", "w") as file:
            file.write(value)
    tun = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(tun, 0x400454CA, struct.pack("16sH22x", b"tun", 0x1001))
    run("address", "add", f"{OURS}/32", "peer", THEIRS, "dev", "tun")
    run("link", "set", "tun", "mtu", "1500", "txqueuelen", "1000", "up")
    with open(out, "w") as file:
        print("# kernel", os.uname().release, file=file)
        print("controller,phase,acks,filled," + ",".join(f"cwnd{n}" for n in range(ROUNDS + 1)), file=file)
        for controller, before in BEFORE.items():
            for phase in ("slow-start", "avoidance"):
                run("route", "replace", THEIRS, "dev", "tun", "initcwnd", str(before if phase == "avoidance" else 10))
                for acks in ("one", "each"):
                    for filled in range(1, 11):
                        windows = Conversation(tun, controller).run(phase, acks, filled, before)
                        print(controller, phase, acks, filled, *windows, sep=",", file=file)


class Conversation:
    """One connection of the kernel's, to a peer that this is."""

    def __init__(self, tun, controller):
        self.tun = tun
        # The highest number that the kernel has sent since it was last set back, and its first.
        self.highest = 0
        self.socket = socket.socket()
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, controller.encode())
        self.socket.setblocking(False)
        self.socket.connect_ex((THEIRS, 80))
        syn = self.hear()
        self.iss, self.port = syn.seq, self.socket.getsockname()[1]
        time.sleep(0.05)
        self.say(0, 1, 0x12)
        self.hear()

    def run(self, phase, acks, filled, before):
        if phase == "avoidance":
            self.time_out(before)
        windows = [self.window()]
        for _ in range(ROUNDS):
            self.socket.send(bytes(filled * MSS))
            begin = self.acked
            self.take_all()
            assert self.highest == begin + filled * MSS, f"{self.highest} is out, {begin} acknowledged, {filled} written"
            time.sleep(0.05)
            for end in range(begin + MSS if acks == "each" else self.highest, self.highest + 1, MSS):
                self.say(1, end, 0x10)
            time.sleep(0.05)
            windows.append(self.window())
        self.say(1, self.acked, 0x14)
        self.socket.close()
        return windows

    def time_out(self, before):
        """Fills the window and answers nothing before a timeout, then what goes again each time."""
        self.socket.send(bytes(before * MSS))
        self.take_all()
        end, self.highest = self.highest, 0
        while self.acked < end:
            self.highest = max(self.highest, self.place(self.hear()))
            self.take_all()
            time.sleep(0.05)
            self.say(1, self.highest, 0x10)

    def place(self, segment):
        return (segment.seq - self.iss) % 2**32 + segment.len

    def hear(self):
        """The next segment, however long that takes."""
        while not (packet := self.packet()):
            assert select.select([self.tun], [], [], 100)[0], "the kernel is silent"
        return packet

    def packet(self):
        """The next segment that is there, if one is; other packets are of no account."""
        while True:
            try:
                packet = os.read(self.tun, 65_536)
            except BlockingIOError:
                return None
            if packet[0] >> 4 == 4 and packet[9] == socket.IPPROTO_TCP:
                return Segment(packet)

    def take_all(self):
        while packet := self.packet():
            self.highest = max(self.highest, self.place(packet))

    def say(self, seq, ack, flags):
        self.acked = ack
        options = struct.pack("!BBH", 2, 4, MSS) if flags & 2 else b""
        offset = (20 + len(options)) // 4 << 4
        tcp = struct.pack("!HHIIBBHHH", 80, self.port, seq, (self.iss + ack) % 2**32, offset, flags, 60_000, 0, 0) + options
        ends = socket.inet_aton(THEIRS) + socket.inet_aton(OURS)
        check = checksum(ends + struct.pack("!HH", 6, len(tcp)) + tcp)
        tcp = tcp[:16] + struct.pack("!H", check) + tcp[18:]
        ip = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(tcp), 0, 0x4000, 64, 6, 0) + ends
        ip = ip[:10] + struct.pack("!H", checksum(ip)) + ip[12:]
        os.write(self.tun, ip + tcp)

    def window(self):
        return struct.unpack_from("=I", self.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104), 8 + 18 * 4)[0]


def checksum(data):
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def run(*command):
    subprocess.run(["ip", "-4", *command], check=True)


main(sys.argv[1])
