#!/usr/bin/env bash
# Runs the scenarios of reference rows and prints both goodputs: rows.sh [RUNS], by default 5 runs of 3 s + 10 s each.
#
# The reference is a table of results of ns-3-dev (July 2026) that the project was given; id, mean and standard deviation
# of the goodput in Mbps are copied from it. The row `equal` is ns3-8 with equal power, which its own counts rule out:
# see README.md beside this script.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
runs=${1:-5}
cell=${NS3_CELL:-$here/../../../target/ns3-cell}
"$here/build.sh" "$cell"

# id, mean, standard deviation, options
rows=(
    "ns3-0  135.02  0.02198  --standard=11n150 --transport=udp"
    "ns3-1  108.594 0.6766   --standard=11n150 --payload=1460"
    "ns3-30 108.606 0.7116   --standard=11n150 --payload=1448"
    "ns3-8  115.942 0.9444   --standard=11n150 --payload=1460 --stations=10 --power=distance"
    "equal  115.942 0.9444   --standard=11n150 --payload=1460 --stations=10"
    "ns3-13 29.9082 0.02842  --standard=11a --transport=udp"
    "ns3-15 24.6633 0.05249  --standard=11a --payload=1460"
    "ns3-18 20.6456 0.04969  --standard=11a --payload=1460 --ack=1"
    "ns3-20 5.135   0.01045  --standard=11b --payload=1460"
    "ns3-21 6.05522 0.004165 --standard=11b --transport=udp"
    "ns3-38 30.218  0.03925  --standard=11a --transport=udp --direction=up --stations=2"
)

printf '%-7s %10s %8s %10s %8s %8s %11s\n' row reference sd here sd ratio collisions
for row in "${rows[@]}"; do
    read -r id mean sd options <<<"$row"
    results=""
    for ((seed = 1; seed <= runs; seed++)); do
        # shellcheck disable=SC2086 # the options are words of our own table
        results+=$("$cell" $options --counters --seed="$seed")
    done
    jq -r '[.goodput_mbps, .collisions] | @tsv' <<<"$results" | awk -v id="$id" -v mean="$mean" -v sd="$sd" '
        { n++; sum += $1; squares += $1 * $1; collisions += $2 }
        END {
            m = sum / n
            s = n > 1 ? sqrt((squares - n * m * m) / (n - 1)) : 0
            printf "%-7s %10.3f %8.3f %10.3f %8.3f %8.4f %11.1f\n", id, mean, sd, m, s, m / mean, collisions / n
        }'
done
