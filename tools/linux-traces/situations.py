"""The ten situations: what the path does and what the application writes. Times are in nanoseconds.

Each is a dictionary of what `link.py` and `record.py` understand; what is not said is as in `PATH`. A trace repeats all of it
in its head, so that it can be compared without this file.
"""

MS = 1_000_000

PATH = {
    # Of data; ACKs go back without waiting for one another.
    "rate": 20_000_000,
    # Each way.
    "delay": 20 * MS,
    # Packets that wait for the rate, that which is on the wire included.
    "queue": 100,
    # Data packets that are lost, by number: each that the sender sends counts, repeated ones too, from 0.
    "drop": [],
    # Of how many in a million data packets one is lost at random, and the seed of that.
    "loss": 0,
    "seed": 0,
    # Data packets that take longer: number and by how much.
    "late": [],
    # From when to when after the SYN nothing is put on the wire.
    "stall": [],
    # Data reaches the receiver only at multiples of this after the SYN; 0 means at once.
    "batch": 0,
    # What the application writes: how long after the connection is established, and bytes.
    "write": [(0, 600_000)],
    # SO_RCVBUF; 0 means that the kernel chooses.
    "receive_buffer": 0,
    # Whether the receiver's interface merges what arrives together (GRO).
    "gro": 0,
}

SITUATIONS = {
    "start": {},
    "start-gro": {"batch": 5 * MS, "gro": 1, "queue": 400},
    # As above where the sender sends larger bursts: ten times the rate, a quarter of the delay.
    "start-gro-fast": {"rate": 200_000_000, "delay": 5 * MS, "batch": 2 * MS, "gro": 1, "queue": 1000, "write": [(0, 2_000_000)]},
    "one-loss": {"drop": [60]},
    "tail-loss": {"drop": [412, 413, 414], "write": [(0, 600_000)]},
    "two-losses": {"drop": [60, 64]},
    "reordering": {"late": [(60, 10 * MS), (120, 3 * MS)]},
    "delay-spike": {"stall": [(250 * MS, 700 * MS)]},
    "application-limited": {"write": [(100 * MS * i, 20_000) for i in range(16)]},
    "window-limited": {"receive_buffer": 32_768},
    "idle-restart": {"write": [(0, 300_000), (3_000 * MS, 300_000)]},
}

# Of these only the outcome is recorded, in `means.csv`: 20 MB, without and with random loss.
BULK = {
    f"bulk-loss-{loss}-{seed}": {"write": [(0, 20_000_000)], "loss": loss, "seed": seed}
    for loss, seeds in ((0, 1), (100, 5), (1_000, 5), (10_000, 5))
    for seed in range(1, seeds + 1)
}
