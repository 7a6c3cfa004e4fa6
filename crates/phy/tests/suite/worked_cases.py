#!/usr/bin/env python3
"""Works the durations of worked_cases.txt from the standard's numbers, apart from the crate: python3 worked_cases.py > worked_cases.txt

Whole numbers and fractions only. Tables 17-4 and those of 21.5 are typed in, not computed, where they are short enough.
"""

from fractions import Fraction
from math import ceil

HEAD = """\
# Frame durations worked from IEEE Std 802.11-2020, outside the crate, by worked_cases.py.
#
# TXTIME = preamble + payload + signal extension, in microseconds.
#   DSSS, CCK    preamble 192 (long) or 96 (short); payload 8 x PSDU / rate, up to a whole us. N_SYM: 1 us each at 1 and 2 Mbps, else code words.
#   OFDM         preamble 16 + 4; N_SYM = ceil((16 + 8 x PSDU + 6) / N_DBPS) of 4 us
#   HT-mixed     preamble 32 + 4 x LTF;  N_SYM = ceil((16 + 8 x PSDU + 6 x N_ES) / N_DBPS)
#   VHT          preamble 36 + 4 x LTF;  N_SYM likewise, PSDU being the A-MPDU before EOF padding
#                long guard interval: 4 x N_SYM; short: 4 x ceil(3.6 x N_SYM / 4)
#   2.4 GHz      OFDM and HT end with 6 of signal extension
# LTF: HT or VHT long training fields (1, 2, 4, 4, 6, 6, 8, 8 for 1 to 8 streams). MPDUs: count x length. PSDU: one MPDU bare, or with VHT and
# where there are several, each behind a delimiter of 4 bytes and all but the last padded to a multiple of 4.
# What: Ack and CTS 14 bytes, RTS 20, BlockAck 32; data 1500 bytes of IP + 8 LLC + 24 MAC (26 with QoS) + 4 FCS.
#
"""

COLUMNS = "clause format rate/MCS SS MHz GI/preamble GHz what MPDUs PSDU N_DBPS N_ES N_SYM LTF preamble payload ext TXTIME"

OFDM_NDBPS = {6: 24, 9: 36, 12: 48, 18: 72, 24: 96, 36: 144, 48: 192, 54: 216}
BITS = [1, 2, 2, 4, 4, 6, 6, 6, 8, 8]
RATE = [Fraction(r) for r in ("1/2", "1/2", "3/4", "1/2", "3/4", "2/3", "3/4", "5/6", "3/4", "5/6")]
SUBCARRIERS = {20: 52, 40: 108, 80: 234, 160: 468}
LTF = [None, 1, 2, 4, 4, 6, 6, 8, 8]
# N_ES where it is not 1, by (MHz, SS, MCS), as the tables of 19.5 and 21.5 list it.
HT_NES2 = {(40, 3, 5), (40, 3, 6), (40, 3, 7), (40, 4, 4), (40, 4, 5), (40, 4, 6), (40, 4, 7)}
VHT_NES = {
    (40, 6, 9): 2, (40, 8, 7): 2,
    (80, 2, 9): 2, (80, 3, 9): 3, (80, 4, 9): 3, (80, 5, 9): 4, (80, 6, 8): 4, (80, 7, 2): 3, (80, 7, 7): 6, (80, 8, 9): 6,
    (160, 2, 9): 3, (160, 4, 7): 6, (160, 5, 8): 8, (160, 7, 3): 4, (160, 7, 8): 12, (160, 8, 5): 8, (160, 8, 9): 12,
}
ONE_ENCODER = {(20, 1, 0), (20, 2, 8), (20, 3, 9), (20, 4, 5), (40, 1, 9), (40, 2, 7), (40, 3, 0), (80, 1, 9), (160, 1, 0)}

rows = []


def row(*cells):
    rows.append([str(cell) for cell in cells])


def psdu_of(count, length, delimiters):
    if not delimiters and count == 1:
        return length
    padded = 4 * ceil(Fraction(4 + length, 4))
    return (count - 1) * padded + 4 + length


def dsss(rate, preamble, what, length):
    clause = "15.3.4" if rate in ("1", "2") else "16.3.4"
    head = {"long": 192, "short": 96}[preamble]
    if preamble == "short":
        clause = "16.3.4"
    payload = ceil(Fraction(8 * length) / Fraction(rate))
    bits, symbols = {"1": (1, 8 * length), "2": (2, 4 * length), "5.5": (4, 2 * length), "11": (8, length)}[rate]
    row(clause, "dsss", rate, 1, "-", preamble, "2.4", what, f"1x{length}", length, bits, "-", symbols, 0, head, payload, 0, head + payload)


def ofdm(rate, band, what, length):
    bits = OFDM_NDBPS[rate]
    symbols = ceil(Fraction(16 + 8 * length + 6, bits))
    ext = 6 if band == "2.4" else 0
    clause = "18.5.3" if band == "2.4" else "17.4.3"
    row(clause, "ofdm", rate, 1, 20, "-", band, what, f"1x{length}", length, bits, 1, symbols, 0, 20, 4 * symbols, ext, 20 + 4 * symbols + ext)


def payload_of(symbols, guard):
    return 4 * symbols if guard == "long" else 4 * ceil(Fraction(36, 10) * symbols / 4)


def ht(mcs, mhz, guard, band, what, count, length):
    streams, base = mcs // 8 + 1, mcs % 8
    bits = SUBCARRIERS[mhz] * BITS[base] * RATE[base] * streams
    encoders = 2 if (mhz, streams, base) in HT_NES2 else 1
    psdu = psdu_of(count, length, False)
    symbols = ceil(Fraction(16 + 8 * psdu + 6 * encoders) / bits)
    head, payload, ext = 32 + 4 * [None, 1, 2, 4, 4][streams], payload_of(symbols, guard), 6 if band == "2.4" else 0
    row("19.4.3", "ht", mcs, streams, mhz, guard, band, what, f"{count}x{length}", psdu, bits, encoders, symbols,
        [None, 1, 2, 4, 4][streams], head, payload, ext, head + payload + ext)


def vht(mcs, streams, mhz, guard, what, count, length):
    bits = int(SUBCARRIERS[mhz] * BITS[mcs] * RATE[mcs] * streams)
    key = (mhz, streams, mcs)
    assert key in ONE_ENCODER or key in VHT_NES, f"look N_ES of {key} up"
    encoders = VHT_NES.get(key, 1)
    psdu = psdu_of(count, length, True)
    symbols = ceil(Fraction(16 + 8 * psdu + 6 * encoders, bits))
    head, payload = 36 + 4 * LTF[streams], payload_of(symbols, guard)
    row("21.4.3", "vht", mcs, streams, mhz, guard, "5", what, f"{count}x{length}", psdu, bits, encoders, symbols, LTF[streams], head, payload, 0,
        head + payload)


for preamble in ("long", "short"):
    for rate in ("1", "2", "5.5", "11"):
        if (rate, preamble) == ("1", "short"):
            continue
        dsss(rate, preamble, "Ack", 14)
        dsss(rate, preamble, "data", 1536)
dsss("11", "long", "TCP-ACK", 88)
dsss("2", "long", "RTS", 20)
for rate in OFDM_NDBPS:
    ofdm(rate, "5", "data", 1536)
for rate in (6, 12, 24):
    ofdm(rate, "5", "Ack", 14)
    ofdm(rate, "5", "BlockAck", 32)
    ofdm(rate, "5", "RTS", 20)
ofdm(24, "5", "CTS", 14)
ofdm(54, "5", "TCP-ACK", 88)
for rate in OFDM_NDBPS:
    ofdm(rate, "2.4", "data", 1536)
ofdm(24, "2.4", "Ack", 14)
for mhz in (20, 40):
    for guard in ("long", "short"):
        for mcs in (0, 7, 12, 15, 21, 23, 28, 31):
            ht(mcs, mhz, guard, "5", "data", 1, 1538)
ht(7, 40, "short", "5", "A-MPDU", 42, 1538)
ht(7, 40, "short", "5", "A-MPDU", 2, 1538)
ht(7, 40, "short", "5", "TCP-ACK", 1, 90)
ht(7, 40, "short", "5", "TCP-ACKs", 21, 90)
ht(15, 40, "short", "5", "A-MPDU", 42, 1538)
ht(0, 20, "long", "5", "A-MPDU", 2, 1538)
ht(7, 20, "short", "2.4", "A-MPDU", 21, 1538)
ht(31, 40, "long", "2.4", "data", 1, 1538)
for guard in ("long", "short"):
    vht(0, 1, 20, guard, "data", 1, 1538)
    vht(8, 2, 20, guard, "data", 1, 1538)
    vht(9, 3, 20, guard, "A-MPDU", 10, 1538)
    vht(5, 4, 20, guard, "A-MPDU", 10, 1538)
    vht(9, 1, 40, guard, "data", 1, 1538)
    vht(7, 2, 40, guard, "A-MPDU", 20, 1538)
    vht(0, 3, 40, guard, "data", 1, 1538)
    vht(9, 6, 40, guard, "A-MPDU", 64, 1538)
    vht(7, 8, 40, guard, "A-MPDU", 64, 1538)
    vht(9, 1, 80, guard, "A-MPDU", 64, 1538)
    vht(9, 2, 80, guard, "A-MPDU", 64, 1538)
    vht(9, 3, 80, guard, "A-MPDU", 64, 1538)
    vht(9, 4, 80, guard, "A-MPDU", 64, 1538)
    vht(9, 5, 80, guard, "A-MPDU", 64, 1538)
    vht(8, 6, 80, guard, "A-MPDU", 64, 1538)
    vht(2, 7, 80, guard, "A-MPDU", 64, 1538)
    vht(7, 7, 80, guard, "A-MPDU", 64, 1538)
    vht(9, 8, 80, guard, "A-MPDU", 64, 1538)
    vht(0, 1, 160, guard, "data", 1, 1538)
    vht(9, 2, 160, guard, "A-MPDU", 64, 1538)
    vht(7, 4, 160, guard, "A-MPDU", 64, 1538)
    vht(8, 5, 160, guard, "A-MPDU", 64, 1538)
    vht(3, 7, 160, guard, "A-MPDU", 64, 1538)
    vht(8, 7, 160, guard, "A-MPDU", 64, 11454)
    vht(5, 8, 160, guard, "A-MPDU", 64, 1538)
    vht(9, 8, 160, guard, "A-MPDU", 64, 11454)
vht(9, 2, 80, "short", "TCP-ACK", 1, 90)

table = [COLUMNS.split()] + rows
widths = [max(len(line[i]) for line in table) for i in range(len(table[0]))]
print(HEAD, end="")
for index, line in enumerate(table):
    cells = [cell.rjust(width) if cell[0].isdigit() and i else cell.ljust(width) for i, (cell, width) in enumerate(zip(line, widths))]
    print(("# " if index == 0 else "  ") + "  ".join(cells).rstrip())
