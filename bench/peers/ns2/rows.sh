#!/usr/bin/env bash
# What stock ns-2 carries in the cells of the papers on TCP ACK agent and ARQ proxy, and by how much the same cell without TCP ACKs carries
# more: UDP, whose packets are as long, from windows of CWmin or of minCWmin.
#
# rows.sh [RUNS], by default 3; run I has seed I. NS2 names the program, if it is not `ns`.
# Exit code 2 where ns-2 is missing or an argument is wrong.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
runs=${1:-3}
ns=${NS2:-ns}
if ! [[ $runs =~ ^[1-9][0-9]*$ ]]; then
    echo "rows.sh: expected [RUNS], a whole number from 1 up" >&2
    exit 2
fi
if ! command -v "$ns" >/dev/null; then
    echo "rows.sh: ns-2 is not installed; on Debian: apt-get install ns2" >&2
    exit 2
fi

# The mean in Mbps of a cell with these options.
cell() {
    for seed in $(seq "$runs"); do
        "$ns" "$here/cell.tcl" "$@" --seed "$seed" 2>/dev/null | grep Mbps
    done | awk '{ sum += $1 } END { printf "%.3f", sum / NR }'
}

row() {
    awk -v name="$1" -v tcp="$2" -v udp="$3" 'BEGIN { printf "%-46s %8s %8s %7.1f\n", name, tcp, udp, 100 * (udp / tcp - 1) }'
}

printf '%-46s %8s %8s %7s\n' cell TCP 'no ACKs' 'gain %'
declare -A offered=([b]=9Mb [a]=45Mb)
for standard in b a; do
    zoomed=$(cell --standard $standard --traffic udp --rate "${offered[$standard]}" --cwmin 2)
    for stations in 1 2 5 10 20; do
        row "agent, 802.11$standard, $stations stations" "$(cell --standard $standard --stations $stations --down $stations)" "$zoomed"
    done
    row "agent, 802.11$standard, 520 bytes" "$(cell --standard $standard --packet 520)" \
        "$(cell --standard $standard --packet 520 --traffic udp --rate "${offered[$standard]}" --cwmin 2)"
    row "agent, 802.11$standard, an ACK for two" "$(cell --standard $standard --ack 2)" "$zoomed"
    row "agent, 802.11$standard, TCP from a window of 2" "$(cell --standard $standard --cwmin 2)" "$zoomed"
done
proxy=(--wire 100Mb --delay 15ms --queue 700 --tcp Newreno --window 45 --warm 6 --time 15)
for preamble in long short; do
    row "ARQ proxy, $preamble preamble" "$(cell "${proxy[@]}" --preamble $preamble)" "$(cell --traffic udp --preamble $preamble)"
done
row "ARQ proxy, 15 packets" "$(cell "${proxy[@]}" --window 15)" "$(cell --traffic udp)"
for packet in 128 200 500 1000; do
    row "ARQ proxy, $packet bytes" "$(cell "${proxy[@]}" --packet $packet --window $((65535 / (packet - 40))))" "$(cell --traffic udp --packet $packet)"
done
symmetric=(--stations 40 --down 20 --up 20 --warm 10)
for queue in 50 500; do
    printf '%-46s %8s\n' "20 down, 20 up, queue of $queue" "$(cell "${symmetric[@]}" --queue $queue)"
done
