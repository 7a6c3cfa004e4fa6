"""What a trace says of a TCP segment."""

import struct


class Segment:
    def __init__(self, packet):
        header = (packet[0] & 15) * 4
        total = struct.unpack_from("!H", packet, 2)[0]
        tcp = packet[header:total]
        self.seq, self.ack, self.flags, self.window = struct.unpack_from("!4xIIxBH", tcp)
        offset = (tcp[12] >> 4) * 4
        self.len = len(tcp) - offset
        self.mss = self.scale = self.stamps = None
        self.sack = []
        at = 20
        while at < offset and tcp[at] != 0:
            if tcp[at] == 1:
                at += 1
                continue
            kind, size = tcp[at], tcp[at + 1]
            body = tcp[at + 2 : at + size]
            if kind == 2:
                self.mss = struct.unpack("!H", body)[0]
            elif kind == 3:
                self.scale = body[0]
            elif kind == 5:
                edges = struct.unpack(f"!{len(body) // 4}I", body)
                self.sack = list(zip(edges[::2], edges[1::2]))
            elif kind == 8:
                self.stamps = struct.unpack("!II", body)
            at += size

    SYN = 2
    ACK = 16

    def flag_names(self):
        return "".join(name for bit, name in enumerate("FSRPAUEC") if self.flags >> bit & 1)
