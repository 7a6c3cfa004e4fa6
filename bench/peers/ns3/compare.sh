#!/usr/bin/env bash
# Runs ns-3 and Ackless in turn on the same cells; prints the versions of both, both goodputs, the wall time of both per
# simulated second, and how many times faster Ackless is.
#
# Two rows for each cell: `matched` has Ackless do what ns-3 does (beacons, one queue for all stations), `shipped` is the
# built-in scenario as it stands. The goodput is the mean of the runs, the wall time their median; the time
# to start up, and in ns-3 to associate, is left out.
#
# compare.sh [RUNS [WARM_UP [MEASURED]]], by default 5 runs of 2 s + 5 s each; run I has seed I in both.
# Environment: ACKLESS and NS3_CELL name the programs, if they are built elsewhere.
# Exit code 2 where libns3-dev, a compiler, jq or cargo is missing or an argument is wrong.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
runs=${1:-5}
warm_up=${2:-2}
measured=${3:-5}
cell=${NS3_CELL:-$root/target/ns3-cell}
ackless=${ACKLESS:-}

if ! [[ $runs =~ ^[1-9][0-9]*$ && $warm_up =~ ^[0-9]+$ && $measured =~ ^[1-9][0-9]*$ ]]; then
    echo "compare.sh: expected [RUNS [WARM_UP [MEASURED]]], whole numbers (seconds)" >&2
    exit 2
fi
if ! command -v jq >/dev/null; then
    echo "compare.sh: jq is not installed; on Debian: apt-get install jq" >&2
    exit 2
fi
"$here/build.sh" "$cell"
if [[ -z $ackless ]]; then
    if ! command -v cargo >/dev/null; then
        echo "compare.sh: cargo is not installed; name a built program by ACKLESS=" >&2
        exit 2
    fi
    (cd "$root" && cargo build --quiet --release)
    ackless=${CARGO_TARGET_DIR:-$root/target}/release/ackless
fi

# What ns-3 does and our scenario does not: beacons, and one queue for all stations.
matched=(--set wifi.beacons=true --set wifi.beacon_size=134B --set ap.scheduler=fcfs)
lengths=(--set "run.warm_up=${warm_up}s" --set "run.measured=${measured}s")

# cell; options of ns-3; options of Ackless; its AP queue where matched. ns-3 keeps what is in flight, up to 42 packets,
# in the queue, Ackless does not: 126 less 42 for one client, a tenth of 1260 less 42 for ten.
cells=(
    "1 client, TCP;--stations=1;--scheme tcp;84"
    "10 clients, TCP;--stations=10;--scheme tcp --set stations.count=10;121"
    "1 client, UDP;--stations=1 --transport=udp;--scheme udp;84"
)

# Reads lines of goodput and wall seconds; prints the mean of the first and the median of the second, per simulated second.
summarise() {
    sort -k2,2g | awk -v seconds="$((warm_up + measured))" '
        { sum += $1; wall[NR] = $2 }
        END {
            median = NR % 2 ? wall[(NR + 1) / 2] : (wall[NR / 2] + wall[NR / 2 + 1]) / 2
            print sum / NR, median / seconds
        }'
}

figures='"\(.goodput_mbps) \(.wall_seconds)"'
peer_version=$("$cell" --warmUp=0 --measured=0.1 | jq -r .simulator)
printf '%s and %s, %d runs of %d s and %d s measured, on %s cores\n\n' \
    "$peer_version" "$("$ackless" --version)" "$runs" "$warm_up" "$measured" "$(nproc)"
layout='%-16s %-10s %10s %10s %8s %12s %12s %9s\n'
# shellcheck disable=SC2059 # the layout is ours
printf "$layout" "" "" goodput Mbps "" "wall seconds" "per sim. s" times
# shellcheck disable=SC2059
printf "$layout" "cell (802.11n)" settings ns-3 Ackless diff. ns-3 Ackless faster
for entry in "${cells[@]}"; do
    IFS=';' read -r name peer_options own_options queue <<<"$entry"
    read -ra peer_options <<<"$peer_options"
    read -ra own_options <<<"$own_options"
    own=("$ackless" run wifi-80211n --json "${lengths[@]}" "${own_options[@]}")
    peer_results="" matched_results="" shipped_results=""
    for ((seed = 1; seed <= runs; seed++)); do
        peer_results+=$("$cell" "${peer_options[@]}" --warmUp="$warm_up" --measured="$measured" --seed="$seed")
        matched_results+=$("${own[@]}" "${matched[@]}" --set ap.queue_packets="$queue" --seed "$seed")
        shipped_results+=$("${own[@]}" --seed "$seed")
    done
    read -r peer_goodput peer_wall < <(jq -r "$figures" <<<"$peer_results" | summarise)
    for settings in matched shipped; do
        results=${settings}_results
        read -r own_goodput own_wall < <(jq -r "$figures" <<<"${!results}" | summarise)
        awk -v name="$name" -v settings="$settings" -v p="$peer_goodput" -v o="$own_goodput" -v pw="$peer_wall" \
            -v ow="$own_wall" 'BEGIN {
                printf "%-16s %-10s %10.2f %10.2f %+7.2f%% %12.4f %12.6f %9.0f\n",
                    name, settings, p, o, 100 * (o / p - 1), pw, ow, pw / ow
            }'
        name=""
    done
done
