"""A path that is the same each time: a rate with a queue, a delay, and what happens to the packets that a situation names."""

import heapq


class Link:
    def __init__(self, path):
        self.path = path
        # When the wire is free again, and when each packet that waits for it has left.
        self.free_at = 0
        self.leaving = []
        self.data_packets = 0
        # Who is under way: when it arrives, a serial number, whether to the receiver, the packet.
        self.under_way = []
        self.serial = 0

    def send(self, now, packet, to_receiver, has_data):
        """Takes a packet and says what becomes of it: nothing (it will arrive), `lost` or `queue`."""
        if not to_receiver:
            self._arrive(now + self.path["delay"], packet, to_receiver)
            return ""
        extra = 0
        if has_data:
            number = self.data_packets
            self.data_packets += 1
            if number in self.path["drop"] or random(self.path["seed"], number) % 1_000_000 < self.path["loss"]:
                return "lost"
            extra = dict(self.path["late"]).get(number, 0)
        self.leaving = [at for at in self.leaving if at > now]
        if len(self.leaving) >= self.path["queue"]:
            return "queue"
        begin = max(self.free_at, now)
        for stop, go in self.path["stall"]:
            if stop <= begin < go:
                begin = go
        self.free_at = begin - (-len(packet) * 8 * 1_000_000_000 // self.path["rate"])
        self.leaving.append(self.free_at)
        at = self.free_at + self.path["delay"] + extra
        if has_data and self.path["batch"]:
            at = -(-at // self.path["batch"]) * self.path["batch"]
        self._arrive(at, packet, to_receiver)
        return ""

    def _arrive(self, at, packet, to_receiver):
        self.serial += 1
        heapq.heappush(self.under_way, (at, self.serial, to_receiver, packet))

    def next_arrival(self):
        return self.under_way[0][0] if self.under_way else None

    def arrived(self, now):
        """The next packet that has arrived by now, with whether it is the receiver's."""
        if self.under_way and self.under_way[0][0] <= now:
            _, _, to_receiver, packet = heapq.heappop(self.under_way)
            return packet, to_receiver
        return None


def random(seed, number):
    """splitmix64: the same in `crates/tcp/examples/beside_linux/path.rs`."""
    word = ((seed << 32 | number) * 0x9E3779B97F4A7C15) % 2**64
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    word = (word ^ word >> 27) * 0x94D049BB133111EB % 2**64
    return word ^ word >> 31
