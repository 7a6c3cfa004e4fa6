"""Records what the kernel's TCP does in one situation. Runs as root in networks of its own, best in virtual time.

    record.py SITUATION FILE [KEY=VALUE]...

The keys are sysctls of both hosts, such as net/ipv4/tcp_frto.
"""

import ctypes
import errno
import fcntl
import os
import select
import socket
import struct
import subprocess
import sys
import time

from link import Link
from segment import Segment
from situations import BULK, PATH, SITUATIONS

SENDER, RECEIVER = "198.18.0.1", "198.18.0.2"


def main(name, out, *sysctls):
    path = PATH | (SITUATIONS | BULK)[name] | {"sysctl": sysctls}
    recording = Recording(name, path)
    recording.run()
    with open(out, "w") as file:
        if name in SITUATIONS:
            recording.write_trace(file)
        else:
            recording.write_outcome(file)


class Host:
    """A network with one TUN device, the only thing in it; the next sockets are opened in it."""

    def __init__(self, ours, theirs, gro, sysctls):
        check(libc.unshare(CLONE_NEWNET))
        for key, value in (sysctl.split("=", 1) for sysctl in sysctls):
            with open(f"/proc/sys/{key}", "w") as file:
                file.write(value)
        self.tun = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        # With NAPI what is written to the device goes through GRO, and without it does not.
        flags = IFF_TUN | IFF_NO_PI | (IFF_NAPI if gro else 0)
        fcntl.ioctl(self.tun, TUNSETIFF, struct.pack("16sH22x", b"tun", flags))
        if gro:
            # What is written within 2 us counts as having arrived together. /sys shows a network's devices only where it was mounted in that network.
            script = "mount -t sysfs sysfs /sys && echo 2000 >/sys/class/net/tun/gro_flush_timeout"
            subprocess.run(["unshare", "--mount", "sh", "-c", script], check=True)
        ip = ["ip", "-4"]
        subprocess.run([*ip, "address", "add", f"{ours}/32", "peer", theirs, "dev", "tun"], check=True)
        # The queue must hold whatever TCP sends at one instant.
        subprocess.run([*ip, "link", "set", "tun", "mtu", "1500", "txqueuelen", "10000", "up"], check=True)
        self.netstat = os.open("/proc/thread-self/net/netstat", os.O_RDONLY)

    def packets(self):
        """What the kernel has sent since the last call, TCP only."""
        while True:
            try:
                packet = os.read(self.tun, 65_536)
            except BlockingIOError:
                return
            if packet[0] >> 4 == 4 and packet[9] == socket.IPPROTO_TCP:
                yield packet

    def counters(self):
        """The kernel's own counters of TCP that are not zero."""
        os.lseek(self.netstat, 0, os.SEEK_SET)
        lines = os.read(self.netstat, 65_536).decode().splitlines()
        names, values = (line.split()[1:] for line in lines if line.startswith("TcpExt:"))
        return [(name, int(value)) for name, value in zip(names, values) if int(value) != 0]


class Recording:
    def __init__(self, name, path):
        self.name, self.path = name, path
        self.rows = []
        self.link = Link(path)
        self.left = [list(write) for write in path["write"]]
        self.total = sum(size for _, size in path["write"])
        self.began = self.established = None
        self.acked = 0
        # The first sequence number and time stamp of each end, from which a trace counts.
        self.first = {True: None, False: None}

        self.hosts = {}
        self.hosts[False] = Host(RECEIVER, SENDER, path["gro"], path["sysctl"])
        self.listener = socket.socket()
        if path["receive_buffer"]:
            self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, path["receive_buffer"])
        self.listener.bind((RECEIVER, 80))
        self.listener.listen()
        self.listener.setblocking(False)
        self.hosts[True] = Host(SENDER, RECEIVER, False, path["sysctl"])
        self.sender = socket.socket()
        self.sender.setblocking(False)
        self.receiver = None

    def run(self):
        timer = check(libc.timerfd_create(time.CLOCK_MONOTONIC, os.O_NONBLOCK))
        poll = select.epoll()
        for file in (self.hosts[True].tun, self.hosts[False].tun, timer, self.listener):
            poll.register(file, select.EPOLLIN)
        poll.register(self.sender, select.EPOLLOUT | select.EPOLLET)
        # From a full second on, so that the ticks of the kernel's timers lie alike in every trace.
        check(libc.clock_nanosleep(time.CLOCK_MONOTONIC, TIMER_ABSTIME, struct.pack("2q", time.monotonic_ns() // 10**9 + 2, 0), None))
        assert self.sender.connect_ex((RECEIVER, 80)) == errno.EINPROGRESS
        while self.acked < self.total:
            self.now = time.monotonic_ns()
            self.step(poll)
            at = self.next_event()
            setting = struct.pack("4q", 0, 0, *divmod(at, 1_000_000_000)) if at is not None else bytes(32)
            check(libc.timerfd_settime(timer, TIMER_ABSTIME, setting, None))
            # A kernel that has nothing to do for an hour will not finish.
            assert poll.poll(3600), f"nothing happens any more: {self.acked} of {self.total} bytes"

    def step(self, poll):
        """Everything that happens at this instant."""
        self.take_sent()
        while self.began is not None and (arrived := self.link.arrived(self.now - self.began)):
            packet, to_receiver = arrived
            os.write(self.hosts[not to_receiver].tun, packet)
            if not to_receiver:
                self.note_state(Segment(packet))
            self.take_sent()
        if self.receiver is None:
            try:
                self.receiver, _ = self.listener.accept()
            except BlockingIOError:
                pass
            else:
                self.receiver.setblocking(False)
                poll.register(self.receiver, select.EPOLLIN)
        if self.established is not None:
            self.write_due()
        if self.receiver is not None:
            self.read_all()
        self.take_sent()

    def take_sent(self):
        """Puts on the link what both ends have sent."""
        for of_sender, host in self.hosts.items():
            for packet in host.packets():
                segment = Segment(packet)
                if self.began is None:
                    self.began = self.now
                if self.first[of_sender] is None:
                    self.first[of_sender] = segment
                at = self.now - self.began
                fate = self.link.send(at, packet, of_sender, segment.len > 0)
                self.note_segment(at, of_sender, segment, fate)

    def write_due(self):
        while self.left and self.established + self.left[0][0] <= self.now:
            try:
                written = self.sender.send(bytes(self.left[0][1]))
            except BlockingIOError:
                return
            self.left[0][1] -= written
            if self.left[0][1] == 0:
                self.left.pop(0)

    def read_all(self):
        while True:
            try:
                if not self.receiver.recv(1 << 20):
                    return
            except BlockingIOError:
                return

    def next_event(self):
        """When to wake up if the kernel is silent."""
        arrival = self.link.next_arrival()
        due = [] if arrival is None else [self.began + arrival]
        if self.established is not None and self.left and self.established + self.left[0][0] > self.now:
            due.append(self.established + self.left[0][0])
        return min(due, default=None)

    def note_segment(self, at, of_sender, segment, fate):
        ours, theirs = self.first[of_sender], self.first[not of_sender]
        seq = (segment.seq - ours.seq) % 2**32
        ack = (segment.ack - theirs.seq) % 2**32 if segment.flags & Segment.ACK else ""
        sack = " ".join("-".join(str((edge - theirs.seq) % 2**32) for edge in block) for block in segment.sack)
        scale = 0 if segment.flags & Segment.SYN else ours.scale
        tsval = (segment.stamps[0] - ours.stamps[0]) % 2**32 if segment.stamps else ""
        tsecr = (segment.stamps[1] - theirs.stamps[0]) % 2**32 if segment.stamps and segment.flags & Segment.ACK else ""
        self.rows.append((at, "data" if of_sender else "ack", segment.flag_names(), seq, segment.len, ack, sack,
                          segment.window << scale, tsval, tsecr, fate, "", "", "", "", ""))

    def note_state(self, segment):
        """What the sender has made of a segment that it has just been handed."""
        info = self.sender.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104)
        state, ca_state = info[0], info[1]
        word = struct.unpack("24I", info[8:])
        if self.established is None and state == 1:
            self.established = self.now
        self.acked = max(self.acked, (segment.ack - self.first[True].seq - 1) % 2**32)
        in_flight = word[4] - word[5] - word[6] + word[7]
        ssthresh = "" if word[17] >= 2**31 - 1 else word[17]
        self.rows.append((self.now - self.began, "state", "", "", "", self.acked + 1, "", "", "", "", STATES[ca_state],
                          word[18], ssthresh, in_flight, word[15], word[0]))

    def write_trace(self, file):
        print("# situation", self.name, file=file)
        print("# kernel", os.uname().release, file=file)
        for key, value in self.path.items():
            for item in value if isinstance(value, (list, tuple)) else [value]:
                print("#", key, *(item if isinstance(item, (list, tuple)) else [item]), file=file)
        for who, of_sender in (("sender", True), ("receiver", False)):
            counters = " ".join(f"{name}={value}" for name, value in self.hosts[of_sender].counters())
            print(f"# {who} counted {counters}", file=file)
        print(COLUMNS, file=file)
        for row in self.rows:
            print(*row, sep=",", file=file)

    def write_outcome(self, file):
        """What `OUTCOME` names: when the last byte was acknowledged, and how many segments went each way."""
        data = [row[3:5] for row in self.rows if row[1] == "data" and row[4] > 0]
        acks = sum(row[1] == "ack" for row in self.rows)
        highest = again = 0
        for seq, size in data:
            again += seq < highest
            highest = max(highest, seq + size)
        path = (self.path[key] for key in ("rate", "delay", "queue", "loss", "seed"))
        print(*path, self.total, self.rows[-1][0], len(data), again, acks, sep=",", file=file)


def check(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


COLUMNS = "time_ns,what,flags,seq,len,ack,sack,window,tsval,tsecr,fate,cwnd,ssthresh,in_flight,srtt_us,rto_us"
STATES = ["open", "disorder", "cwr", "recovery", "loss"]
CLONE_NEWNET = 0x40000000
TUNSETIFF = 0x400454CA
IFF_TUN, IFF_NO_PI, IFF_NAPI = 1, 0x1000, 0x10
TIMER_ABSTIME = 1
libc = ctypes.CDLL(None, use_errno=True)

if __name__ == "__main__":
    main(*sys.argv[1:])
